"""What is derived from any valid configuration."""

import re

from hypothesis import given

from hybrid_pools.blueprint.catalogue import CapacityKind, catalogue
from hybrid_pools.blueprint.configuration import StackConfiguration
from hybrid_pools.blueprint.configuration.pools import DeletionPolicy
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.model import Blueprint, LocationPolicy, Pool
from hybrid_pools.blueprint.vocabulary import (
    BUFFER_TAINT,
    GPU_TAINT,
    REQUIRED_RESOURCE_LABELS,
    ROLE_LABEL,
    SPOT_KEY,
    SPOT_TAINT,
    Effect,
    Role,
)
from tests.strategies import FILE, Sections, blueprints, environments, sections

SUFFIX_LENGTH = 7
"""Letters of Pulumi's random suffix on physical names."""


class TestEveryValidConfiguration:
    @given(sections())
    def test_is_accepted_and_derived_to_as_many_pools_as_it_names(self, made: Sections):
        blueprint = derive(check(FILE, made))
        assert {pool.name for pool in blueprint.pools} == made["pools"].keys()

    @given(environments())
    def test_is_derived_to_the_same_each_time_and_left_as_it_was(self, environment: StackConfiguration):
        before = environment.model_dump_json()
        assert derive(environment) == derive(environment)
        assert environment.model_dump_json() == before

    @given(sections())
    def test_means_the_same_in_whatever_order_its_pools_stand(self, made: Sections):
        turned = {**made, "pools": dict(reversed(made["pools"].items()))}
        assert derive(check(FILE, made)) == derive(check(FILE, turned))


class TestEveryBlueprint:
    @given(blueprints())
    def test_creates_stable_pools_first_and_among_them_those_without_gpus(self, blueprint: Blueprint):
        order = [(pool.role is not Role.STABLE, pool.role is Role.STABLE and pool.gpus_per_node > 0) for pool in blueprint.pools]
        assert order == sorted(order)

    @given(blueprints())
    def test_has_one_account_for_each_role_that_has_pools(self, blueprint: Blueprint):
        assert {account.role for account in blueprint.accounts} == {pool.role for pool in blueprint.pools}

    @given(blueprints())
    def test_names_accounts_as_google_takes_them(self, blueprint: Blueprint):
        for account in blueprint.accounts:
            assert re.fullmatch(r"[a-z][-a-z0-9]{4,28}[a-z0-9]", account.account_id)
        assert len({account.account_id for account in blueprint.accounts}) == len(blueprint.accounts)

    @given(blueprints())
    def test_gives_no_node_a_broad_role(self, blueprint: Blueprint):
        for account in blueprint.accounts:
            assert not {"roles/owner", "roles/editor", "roles/viewer"} & set(account.roles)

    @given(blueprints())
    def test_stays_under_its_own_ceiling_of_gpus(self, blueprint: Blueprint):
        assert sum(pool.max_gpus for pool in blueprint.pools) <= blueprint.environment.max_gpus

    @given(blueprints())
    def test_leaves_a_place_for_pods_that_tolerate_nothing(self, blueprint: Blueprint):
        assert any(pool.role is Role.STABLE and not pool.node_taints for pool in blueprint.pools)


def pools_of(blueprint: Blueprint, role: Role | None = None) -> list[Pool]:
    return [pool for pool in blueprint.pools if role in (None, pool.role)]


class TestEveryPool:
    @given(blueprints())
    def test_of_spot_vms_carries_the_spot_taint(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert pool.is_spot_vm == (SPOT_TAINT in pool.taints)

    @given(blueprints())
    def test_that_is_not_stable_keeps_away_pods_that_do_not_ask_for_it(self, blueprint: Blueprint):
        own = {SPOT_KEY, ROLE_LABEL}
        for pool in pools_of(blueprint):
            kept_away = any(taint.key in own and taint.effect is Effect.NO_SCHEDULE for taint in pool.taints)
            assert kept_away == (pool.role is not Role.STABLE)
        for pool in pools_of(blueprint, Role.BUFFER):
            assert BUFFER_TAINT in pool.taints

    @given(sections())
    def test_that_is_stable_without_gpus_carries_only_the_taints_it_was_given(self, made: Sections):
        for pool in pools_of(derive(check(FILE, made)), Role.STABLE):
            if not pool.gpus_per_node:
                assert {taint.key for taint in pool.taints} == made["pools"][pool.name].get("taints", {}).keys()

    @given(blueprints())
    def test_declares_no_taint_that_gke_puts_there_itself(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert not {taint.key for taint in pool.taints} & (catalogue().gke_taints.keys() - {SPOT_KEY})

    @given(blueprints())
    def test_carries_what_it_declares_and_no_key_with_one_effect_twice(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert set(pool.node_taints) >= set(pool.taints)
            assert len({(taint.key, taint.effect) for taint in pool.node_taints}) == len(pool.node_taints)

    @given(blueprints())
    def test_with_gpus_is_tainted_by_gke(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert (GPU_TAINT in pool.node_taints) == (pool.gpus_per_node > 0)

    @given(blueprints())
    def test_says_its_role_on_nodes_and_on_the_bill(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert pool.labels[ROLE_LABEL] == pool.role
            assert pool.resource_labels.keys() >= set(REQUIRED_RESOURCE_LABELS)
            assert pool.resource_labels.items() >= blueprint.resource_labels.items()

    @given(blueprints())
    def test_stands_in_zones_of_the_region_that_sell_its_machine(self, blueprint: Blueprint):
        facts = catalogue()
        for pool in pools_of(blueprint):
            assert pool.zones
            assert set(pool.zones) <= set(facts.region(blueprint.environment.region).zones)
            assert set(pool.zones) <= (facts.zones(pool.machine.name) or set(pool.zones))
            assert list(pool.zones) == sorted(set(pool.zones))

    @given(blueprints())
    def test_reaches_as_many_gpus_as_its_nodes_have(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            nodes = pool.limits.maximum * len(pool.zones) if pool.limits.per_zone else pool.limits.maximum
            assert pool.max_nodes == nodes
            assert pool.max_gpus == nodes * pool.gpus_per_node
            if pool.machine.accelerator:
                assert pool.gpus_per_node == pool.machine.accelerator.count

    @given(blueprints())
    def test_starts_within_its_limits(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert 0 <= pool.limits.minimum <= pool.limits.maximum
            started = pool.initial_nodes_per_zone or 0
            assert started * (1 if pool.limits.per_zone else len(pool.zones)) <= pool.limits.maximum
            assert started == 0 or pool.gpus_per_node == 0

    @given(blueprints())
    def test_of_interruptible_nodes_takes_whatever_zone_has_stock_and_keeps_no_idle_node(self, blueprint: Blueprint):
        for pool in pools_of(blueprint, Role.SPOT):
            assert pool.location_policy is LocationPolicy.ANY
            assert not pool.limits.per_zone
            assert pool.limits.minimum == 0
            assert pool.reservation is None

    @given(blueprints())
    def test_promises_no_more_time_than_the_window_leaves(self, blueprint: Blueprint):
        known = catalogue().shutdown_grace
        for pool in pools_of(blueprint):
            if pool.shutdown_grace is not None:
                assert 0 <= pool.shutdown_grace.critical_seconds <= pool.shutdown_grace.seconds <= known.maximum_seconds
                assert pool.usable_grace_seconds <= pool.shutdown_grace.seconds - pool.shutdown_grace.critical_seconds
            elif pool.role is Role.SPOT:
                assert pool.usable_grace_seconds <= known.default_seconds - known.default_critical_pods_seconds

    @given(blueprints())
    def test_declares_a_shutdown_window_only_where_gke_has_one(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            if pool.shutdown_grace is not None:
                assert pool.is_spot_vm
                assert blueprint.cluster_version >= catalogue().gate("spot-shutdown-grace").minimum

    @given(blueprints())
    def test_is_made_of_what_its_machine_has(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert pool.boot_disk.type in pool.machine.boot_disk_types
            assert pool.machine.offers(pool.capacity) is not False
            disks = pool.local_ssd.count if pool.local_ssd else 0
            assert disks >= pool.machine.bundled_local_ssds
            assert pool.machine.allowed_local_ssds is None or disks in pool.machine.allowed_local_ssds

    @given(blueprints())
    def test_leaves_to_gke_what_gke_insists_on(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            short_lived = pool.capacity in (CapacityKind.FLEX_START, CapacityKind.QUEUED)
            assert (pool.upgrade is None) == short_lived
            assert pool.auto_repair != short_lived

    @given(blueprints())
    def test_is_protected_exactly_where_it_is_stable_in_a_protected_environment(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert pool.protected == (blueprint.environment.protected and pool.role is Role.STABLE)

    @given(sections())
    def test_is_prevented_from_deletion_where_it_is_protected_and_nothing_else_was_said(self, made: Sections):
        for pool in derive(check(FILE, made)).pools:
            if "deletionPolicy" not in made["pools"][pool.name]:
                assert pool.deletion_policy is (DeletionPolicy.PREVENT if pool.protected else DeletionPolicy.DELETE)

    @given(blueprints())
    def test_is_the_schedules_exactly_where_it_is_a_buffer(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert pool.schedule_owned == (pool.role is Role.BUFFER)

    @given(blueprints())
    def test_has_a_physical_name_that_gke_takes(self, blueprint: Blueprint):
        for pool in pools_of(blueprint):
            assert re.fullmatch(r"[a-z][-a-z0-9]{0,38}[a-z0-9]", f"{pool.name}-pool-{'0' * SUFFIX_LENGTH}")
