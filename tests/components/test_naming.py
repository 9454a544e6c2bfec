"""Physical names: the same for the same thing, another one where Google would have to make a new thing."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pulumi._types import input_type_to_dict, is_input_type

from components.naming import physical_name
from components.node_config import node_config
from components.node_pool import node_pool_name
from hybrid_pools.blueprint.catalogue import CapacityKind, catalogue
from hybrid_pools.blueprint.configuration.nodes import Driver, Kubelet, Linux, LocalSsdUse, Sharing, SharingStrategy
from hybrid_pools.blueprint.configuration.pools import DeletionPolicy, MaintenanceInterval, Placement, Reservation
from hybrid_pools.blueprint.configuration.scaling import BestEffort, Drain, Surge, Upgrade
from hybrid_pools.blueprint.model import Accelerators, BootDisk, LocalSsd, LocationPolicy, NodeLimits, Pool, ShutdownGrace
from hybrid_pools.blueprint.vocabulary import BUFFER_TAINT, Role
from lab.google.facts import read_facts
from tests.environments import blueprint_of

NODE_CONFIG = "nodeConfig."
REPLACING = [
    path.removeprefix(NODE_CONFIG).split("[")[0]
    for path in read_facts()["gcp:container/nodePool:NodePool"]["replaces"]
    if path.startswith(NODE_CONFIG)
]
OUTSIDE_NODE_CONFIG = {"best_effort", "max_pods_per_node", "placement"}
"""Attributes that become fields of the pool itself and replace it."""

OTHERWISE: dict[str, tuple[Any, ...]] = {
    "name": ("other",),
    "role": (Role.BUFFER,),
    "capacity": (CapacityKind.FLEX_START, CapacityKind.QUEUED, CapacityKind.ON_DEMAND),
    "machine": (catalogue().machine_type("g2-standard-48"),),
    "accelerators": (
        None,
        Accelerators("nvidia-l4", 4, Driver.DEFAULT, None, None),
        Accelerators("nvidia-l4", 2, Driver.LATEST, None, None),
        Accelerators("nvidia-l4", 2, Driver.DEFAULT, Sharing(strategy=SharingStrategy.MPS, clients_per_gpu=2), None),
        Accelerators("nvidia-l4", 2, Driver.DEFAULT, None, "1g.5gb"),
    ),
    "zones": (("us-central1-a",),),
    "limits": (NodeLimits(False, 0, 99),),
    "initial_nodes_per_zone": (3,),
    "location_policy": (LocationPolicy.BALANCED,),
    "taints": ((BUFFER_TAINT,),),
    "node_taints": ((),),
    "labels": ({"a": "b"},),
    "resource_labels": ({"a": "b"},),
    "boot_disk": (BootDisk("pd-ssd", 500, None), BootDisk("pd-balanced", 100, "projects/p/locations/l/keyRings/r/cryptoKeys/k")),
    "local_ssd": (LocalSsd(LocalSsdUse.EPHEMERAL_STORAGE, 2), LocalSsd(LocalSsdUse.RAW_BLOCK, 2)),
    "image_streaming": (False,),
    "preloaded_image": ("projects/p/global/images/i",),
    "reservation": (Reservation(), Reservation(name="r"), Reservation(name="r", project="p")),
    "placement": (Placement(), Placement(policy="p")),
    "upgrade": (Upgrade(surge=Surge(max_surge=2, max_unavailable=0)), None),
    "auto_repair": (False,),
    "drain": (Drain(),),
    "shutdown_grace": (ShutdownGrace(30, 15), None),
    "usable_grace_seconds": (1,),
    "max_run_seconds": (3600,),
    "max_pods_per_node": (32,),
    "kubelet": (Kubelet(cpu_manager="static"),),
    "linux": (Linux(hugepages_2mib=8),),
    "network_tags": (("tag",),),
    "fast_socket": (True,),
    "confidential": (True,),
    "host_maintenance": (MaintenanceInterval.PERIODIC,),
    "hold_upgrades_until_end_of_support": (True,),
    "ignore_node_count_changes": (True,),
    "best_effort": (BestEffort(minimum_nodes=1),),
    "deletion_policy": (DeletionPolicy.ABANDON,),
    "protected": (True,),
    "schedule_owned": (True,),
}
"""For each attribute of a pool, values that differ from those of the pool below."""

POOL = blueprint_of("local").pools_of(Role.SPOT)[0]
CASES = [
    pytest.param(attribute, value, id=f"{attribute}-{index}")
    for attribute, values in OTHERWISE.items()
    for index, value in enumerate(values)
]


def replaced_by_google(pool: Pool) -> dict[str, Any]:
    """What of the node configuration cannot be changed in place, and the machine type, which the program replaces on purpose."""
    declared = input_type_to_dict(node_config(pool, f"{pool.role}@example.iam.gserviceaccount.com"))
    return {key: plain(declared.get(key)) for key in {path.split(".")[0] for path in REPLACING} | {"machineType"}}


def plain(value: Any) -> Any:
    """Nested arguments as nested mappings, comparable by value."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if is_input_type(type(value)):
        value = input_type_to_dict(value)
    return {key: plain(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def name_of(pool: Pool) -> str:
    return node_pool_name("train", "us-central1", pool)


class TestTheNameOfAPool:
    def test_is_tried_with_every_attribute_there_is(self) -> None:
        assert set(OTHERWISE) == {field.name for field in fields(Pool)}

    @pytest.mark.parametrize(("attribute", "value"), CASES)
    def test_differs_exactly_where_google_could_not_change_the_pool_in_place(self, attribute: str, value: Any) -> None:
        """The same name would be refused beside the old pool; another one without need would replace a pool that could have stayed."""
        changed = replace(POOL, **{attribute: value})
        assert getattr(POOL, attribute) != value
        replaces = replaced_by_google(POOL) != replaced_by_google(changed) or attribute in OUTSIDE_NODE_CONFIG
        assert (name_of(POOL) != name_of(changed)) == replaces


class TestAPhysicalName:
    @given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=32), st.lists(st.text()))
    def test_is_the_logical_one_with_a_short_suffix(self, logical: str, parts: list[str]) -> None:
        name = physical_name(logical, *parts)
        assert name.startswith(f"{logical}-")
        assert len(name) == len(logical) + 8
        assert name == physical_name(logical, *parts)

    @pytest.mark.parametrize("parts", [("a",), ("b",), ("a", "b"), (1,), (None,), ()])
    def test_depends_on_every_part(self, parts: tuple[Any, ...]) -> None:
        others = [("a",), ("b",), ("a", "b"), (1,), (None,), ()]
        assert [physical_name("x", *other) == physical_name("x", *parts) for other in others].count(True) == 1
