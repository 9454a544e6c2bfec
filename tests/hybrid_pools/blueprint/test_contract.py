"""What a stack promises to those who use its pools."""

import json

import jsonschema
from hypothesis import given

from hybrid_pools.blueprint.contract import CONTRACT_VERSION, Contract, contract
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.vocabulary import NODE_POOL_LABEL, QUEUED_CLASSES, ROLE_LABEL, Role
from tests.environments import blueprint_of
from tests.strategies import blueprints, queued_blueprints

SCHEMA = jsonschema.Draft202012Validator(Contract.model_json_schema(by_alias=True, mode="serialization"))


def contract_of(blueprint: Blueprint) -> Contract:
    names = {pool.name: f"{pool.name}-pool-0123456" for pool in blueprint.pools}
    buckets = {bucket.kind: f"{bucket.name_stem}-0123456" for bucket in blueprint.buckets}
    return contract(blueprint, "cluster-0123456", "gke-1.us-central1.gke.goog", names, buckets=buckets)


class TestEveryContract:
    @given(blueprints())
    def test_comes_back_from_json_as_it_was(self, blueprint: Blueprint):
        promised = contract_of(blueprint)
        assert Contract.model_validate_json(promised.model_dump_json()) == promised
        assert Contract.model_validate_json(json.dumps(promised.model_dump(mode="json", exclude_none=True))) == promised

    @given(blueprints())
    def test_fits_its_own_schema_with_and_without_what_is_not_there(self, blueprint: Blueprint):
        promised = contract_of(blueprint)
        SCHEMA.validate(promised.model_dump(mode="json"))
        SCHEMA.validate(promised.model_dump(mode="json", exclude_none=True))

    @given(blueprints())
    def test_says_its_version(self, blueprint: Blueprint):
        assert contract_of(blueprint).model_dump(mode="json")["contractVersion"] == CONTRACT_VERSION

    @given(blueprints())
    def test_names_every_pool_in_order_of_creation(self, blueprint: Blueprint):
        assert [pool.name for pool in contract_of(blueprint).pools] == [pool.name for pool in blueprint.pools]

    @given(blueprints())
    def test_tolerates_every_taint_that_the_nodes_carry_and_nothing_else(self, blueprint: Blueprint):
        for promised, pool in zip(contract_of(blueprint).pools, blueprint.pools, strict=True):
            tolerated = {(toleration.key, toleration.value, toleration.effect) for toleration in promised.tolerations}
            assert tolerated == {(taint.key, taint.value, taint.effect) for taint in pool.node_taints}

    @given(blueprints())
    def test_selects_each_pool_and_no_other(self, blueprint: Blueprint):
        promised = contract_of(blueprint).pools
        for pool in promised:
            assert pool.selector[ROLE_LABEL] == pool.role
            assert [other.name for other in promised if other.selector[NODE_POOL_LABEL] == pool.selector[NODE_POOL_LABEL]] == [pool.name]

    @given(blueprints())
    def test_counts_nodes_and_gpus_over_all_zones(self, blueprint: Blueprint):
        for promised, pool in zip(contract_of(blueprint).pools, blueprint.pools, strict=True):
            assert promised.limits.minimum_nodes <= promised.limits.maximum_nodes == pool.max_nodes
            assert promised.limits.maximum_gpus == pool.max_gpus
            assert (promised.accelerator is None) == (pool.gpus_per_node == 0)

    @given(blueprints())
    def test_tells_every_team_its_own_folder_in_every_bucket(self, blueprint: Blueprint):
        promised = contract_of(blueprint)
        urls = {bucket.kind: bucket.url for bucket in promised.buckets}
        prefixes = [prefix for team in promised.teams for prefix in team.prefixes.values()]
        for team in promised.teams:
            assert team.prefixes.keys() == urls.keys()
            for kind, prefix in team.prefixes.items():
                assert prefix.startswith(f"{urls[kind]}/")
                assert prefix.endswith(f"/{team.name}/")
                assert [other for other in prefixes if other.startswith(prefix)] == [prefix]

    @given(blueprints())
    def test_promises_of_each_bucket_what_was_declared(self, blueprint: Blueprint):
        for promised, bucket in zip(contract_of(blueprint).buckets, blueprint.buckets, strict=True):
            assert promised.kind is bucket.kind
            assert promised.versioning is (promised.kept is not None) is not bucket.hierarchical_namespace
            assert promised.soft_delete_seconds == bucket.soft_delete_seconds

    @given(blueprints())
    def test_says_that_a_zone_may_be_lost_only_where_there_is_another(self, blueprint: Blueprint):
        for promised in contract_of(blueprint).pools:
            assert promised.survives_zone_loss == (len(promised.zones) > 1)


class TestTheContractOfQueues:
    @given(queued_blueprints())
    def test_comes_back_from_json_as_it_was_and_fits_its_schema(self, blueprint: Blueprint):
        promised = contract_of(blueprint)
        assert Contract.model_validate_json(promised.model_dump_json()) == promised
        SCHEMA.validate(promised.model_dump(mode="json", exclude_none=True))

    @given(queued_blueprints())
    def test_sends_every_class_to_flavors_and_pools_that_it_describes(self, blueprint: Blueprint):
        promised = contract_of(blueprint)
        pools = {flavor.name: flavor.pools for flavor in promised.flavors}
        described = {pool.name: pool for pool in promised.pools}
        for one in promised.classes:
            assert list(one.pools) == [pool for name in one.flavors for pool in pools[name]]
            assert (one.queue is None) == (one.name not in QUEUED_CLASSES)
        for flavor in promised.flavors:
            for name in flavor.pools:
                assert flavor.usable_grace_seconds <= described[name].usable_grace_seconds
                assert {*flavor.tolerations} <= {*described[name].tolerations}

    @given(queued_blueprints())
    def test_gives_every_team_its_queues_by_the_name_that_the_class_has(self, blueprint: Blueprint):
        assert blueprint.kubernetes is not None
        promised = contract_of(blueprint)
        queues = {one.name: one.queue for one in promised.classes}
        for team, own in zip(promised.teams, blueprint.teams, strict=True):
            told = [queue for queue in blueprint.kubernetes.queues.queues if queue.team == team.name]
            assert [(queue.cluster_queue, queue.name) for queue in team.queues] == [(queue.name, queue.local_queue) for queue in told]
            assert all(queue.name == queues[queue.workload_class] for queue in team.queues)
            spots = {flavor.name for flavor in promised.flavors if flavor.role is Role.SPOT}
            assert team.spot is own.spot
            assert team.spot or not spots & {quota.flavor for queue in team.queues for quota in queue.quotas}

    def test_says_when_training_is_asked_to_leave_the_buffer(self):
        schedule = contract_of(blueprint_of("local")).schedule
        assert schedule is not None
        assert schedule.training_leaves_minutes == schedule.lead_minutes + schedule.drain_minutes == 60

    @given(blueprints())
    def test_is_empty_where_nothing_is_declared_inside_the_cluster(self, blueprint: Blueprint):
        promised = contract_of(blueprint)
        assert (blueprint.kubernetes is None) == (promised.classes == ())
        if blueprint.kubernetes is None:
            assert promised.flavors == ()
            assert not any(team.queues for team in promised.teams)
