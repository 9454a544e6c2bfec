"""What a stack promises of admission is what its cluster decides by."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.admission import admission_of
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.queues import Admission
from hybrid_pools.blueprint.vocabulary import BucketKind
from hybrid_pools.workload.judging import judge
from tests.environments import blueprint_of
from tests.hybrid_pools.blueprint.test_contract import contract_of
from tests.strategies import queued_blueprints
from tests.workload_strategies import jobs, pods
from tests.workloads import Manifest

PROD = blueprint_of("prod")
PROD_WITHOUT_BUCKETS = replace(PROD, buckets=())


def told(promised: Contract) -> Admission:
    assert promised.admission is not None
    return admission_of(promised.admission, promised.teams, promised.flavors)


class TestAdmissionOfTheContract:
    @given(queued_blueprints())
    def test_is_that_of_the_blueprint_without_those_who_keep_the_platform(self, blueprint: Blueprint):
        assert blueprint.kubernetes is not None
        promised = contract_of(blueprint)
        buckets = {bucket.kind: bucket.name for bucket in promised.buckets}
        bucket = buckets.get(BucketKind.CHECKPOINTS, "*")
        own = blueprint.kubernetes.admission
        teams = tuple(replace(team, checkpoint_prefix=team.checkpoint_prefix.replace("*", bucket)) for team in own.teams)
        assert told(promised) == replace(own, schedulers=(), platform_groups=(), platform_users=(), teams=teams)

    def test_is_left_out_where_nothing_is_declared_inside_the_cluster(self):
        assert contract_of(replace(PROD, kubernetes=None)).admission is None

    @given(st.one_of(pods(), jobs()))
    def test_judges_as_the_cluster_does(self, manifest: Manifest):
        assert PROD.kubernetes is not None
        assert judge(manifest, told(contract_of(PROD_WITHOUT_BUCKETS))) == judge(manifest, PROD.kubernetes.admission)

    def test_names_nobody_who_keeps_the_platform(self):
        text = contract_of(PROD).model_dump_json()
        assert "system:masters" not in text
        assert "@acme.example" not in text
