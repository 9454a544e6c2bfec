"""The generators reach every corner that the tests rely on."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, find, settings
from hypothesis import strategies as st

from hybrid_pools.blueprint.catalogue import CapacityKind, GkeVersion
from hybrid_pools.blueprint.configuration.pools import BasePool, SpotPoolConfiguration, StablePoolConfiguration
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.model import Pool
from hybrid_pools.blueprint.vocabulary import Role
from tests.environments import sections_of
from tests.strategies import FILE, Sections, pool_sections, sections

SEARCH = settings(max_examples=2000, deadline=None, phases=[Phase.generate], database=None)

OF_POOLS: dict[str, Callable[[Pool], Any]] = {
    **{f"{role.value} pools": lambda pool, role=role: pool.role is role for role in Role},  # type: ignore[misc]
    **{f"{kind.value} capacity": lambda pool, kind=kind: pool.capacity is kind for kind in CapacityKind},  # type: ignore[misc]
    "a named reservation": lambda pool: pool.reservation and pool.reservation.name,
    "GPUs attached to a machine": lambda pool: pool.gpus_per_node and not pool.machine.accelerator,
    "GPUs shared": lambda pool: pool.accelerators and pool.accelerators.sharing,
    "GPUs cut into parts": lambda pool: pool.accelerators and pool.accelerators.partition,
    "Arm machines": lambda pool: pool.machine.architecture == "arm64",
    "raw local disks": lambda pool: pool.local_ssd and pool.local_ssd.use == "raw-block",
    "limits per zone over several zones": lambda pool: pool.limits.per_zone and len(pool.zones) > 1,
    "a floor shared by zones": lambda pool: not pool.limits.per_zone and pool.limits.minimum > len(pool.zones) > 1,
    "blue-green upgrades": lambda pool: pool.upgrade and pool.upgrade.blue_green,
    "autoscaled blue-green upgrades": lambda pool: pool.upgrade and pool.upgrade.blue_green and pool.upgrade.blue_green.autoscaled,
    "a shutdown window": lambda pool: pool.shutdown_grace,
    "spot nodes with the window that Google gives": lambda pool: pool.is_spot_vm and pool.shutdown_grace is None,
    "compact placement of flex-start": lambda pool: pool.placement and pool.capacity is CapacityKind.FLEX_START,
    "taints of the user": lambda pool: len(pool.taints) > 1,
}


def one_pool() -> st.SearchStrategy[Pool]:
    """A pool of an environment that is otherwise always the same, before or after the gate of the shutdown window."""

    def derived(version: str, pool: Sections) -> Pool:
        prod = sections_of("prod")
        made = {name: prod[name] for name in ("environment", "network", "cluster")}
        made["environment"]["maxGpus"] = 10_000
        made["cluster"]["minimumVersion"] = version
        made["pools"] = {"services": prod["pools"]["services"], "searched": pool}
        return next(pool for pool in derive(check(FILE, made)).pools if pool.name == "searched")

    versions = st.sampled_from(["1.34.1-gke.2364000", "1.36"])
    return versions.flatmap(lambda version: pool_sections("us-central1", GkeVersion(version)).map(lambda pool: derived(version, pool)))


class TestGeneratedConfigurations:
    @pytest.mark.parametrize("feature", OF_POOLS)
    def test_reach_pools_with(self, feature: str):
        assert OF_POOLS[feature](find(one_pool(), lambda pool: bool(OF_POOLS[feature](pool)), settings=SEARCH))

    @pytest.mark.parametrize("key", sorted(field.alias or name for name, field in BasePool.model_fields.items()))
    def test_reach_every_key_of_a_pool(self, key: str):
        assert key in find(pool_sections("us-central1", GkeVersion("1.36")), lambda pool: key in pool, settings=SEARCH)

    @pytest.mark.parametrize("section", ["network", "cluster"])
    @pytest.mark.parametrize("existing", [True, False])
    def test_reach_new_and_existing(self, section: str, existing: bool):
        def has(made: Sections) -> bool:
            return section in made and ("existing" in made[section]) is existing

        assert has(find(sections(), has, settings=SEARCH))

    def test_leave_out_only_what_is_never_valid(self):
        own = {"shutdown_grace", "max_run_seconds", "reservation", "capacity", "role"}
        for model in (SpotPoolConfiguration, StablePoolConfiguration):
            assert model.model_fields.keys() - BasePool.model_fields.keys() <= own
