"""Quotas are what the pools can reach, no more and no less."""

from typing import Any

from hypothesis import given

from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.catalogue.compute_quotas import compute_quotas
from hybrid_pools.blueprint.configuration.schedule import Profile
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.derivation.quotas import quota_needs
from hybrid_pools.blueprint.model import Blueprint, QuotaNeed
from tests.environments import blueprint_of, sections_of
from tests.strategies import FILE, blueprints


def needs(blueprint: Blueprint) -> dict[str, QuotaNeed]:
    return {need.name or need.what: need for need in blueprint.quotas}


def changed(environment: str, pools: dict[str, Any]) -> Blueprint:
    sections = sections_of(environment)
    for name, change in pools.items():
        sections["pools"][name] |= change
    return derive(check(FILE, sections))


class TestProduction:
    needs = needs(blueprint_of("prod"))

    def test_needs_gpus_by_model_and_kind_of_capacity(self) -> None:
        assert self.needs["PREEMPTIBLE_NVIDIA_A100_GPUS"].amount == 8 * 8
        assert self.needs["PREEMPTIBLE_NVIDIA_L4_GPUS"].amount == 12 * 4
        assert self.needs["NVIDIA_L4_GPUS"].amount == 16 * 2
        assert self.needs["GPUS_ALL_REGIONS"].amount == 64 + 48 + 32 + 4 * 8
        assert self.needs["GPUS_ALL_REGIONS"].location == "global"

    def test_counts_stable_pools_over_all_their_zones(self) -> None:
        assert (self.needs["CPUS"].amount, self.needs["CPUS"].pools) == (3 * 6 * 8, ("services",))
        assert self.needs["INSTANCES"].amount == 18 + 9 + 8 + 12 + 4 + 16

    def test_invents_no_name_for_families_that_have_none(self) -> None:
        assert self.needs["preemptible nvidia-h100-80gb GPUs"].name is None
        assert self.needs["vCPUs per VM family, family G2"].name is None
        assert self.needs["preemptible Local SSD per VM family, family A3-HIGH"].amount == 4 * 16 * 375


def test_flex_start_and_queued_provisioning_count_as_preemptible() -> None:
    flex, queued = needs(blueprint_of("staging")), needs(blueprint_of("dev"))
    assert flex["preemptible nvidia-h100-80gb GPUs"].pools == ("train-h100-flex",)
    assert "train-h100-queued" in queued["PREEMPTIBLE_CPUS"].pools
    assert all("train-h100" not in pool for pool in flex["CPUS"].pools)


def test_a_named_reservation_needs_no_quota_and_an_open_one_does() -> None:
    reserved = {"capacity": "reservation", "reservation": {"name": "block-1"}}
    assert not any("coordinators" in need.pools for need in changed("prod", {"coordinators": reserved}).quotas)
    anyone = {"capacity": "reservation", "reservation": {}}
    assert "coordinators" in needs(changed("prod", {"coordinators": anyone}))["N2_CPUS"].pools


def test_a_schedule_that_brings_more_nodes_needs_more() -> None:
    sections = sections_of("prod")
    sections["schedule"]["pools"]["buffer-l4"] = {"training": {"maximum": 20}}
    assert needs(derive(check(FILE, sections)))["NVIDIA_L4_GPUS"].amount == 40


@given(blueprints())
def test_amounts_add_up_whatever_the_pools(blueprint: Blueprint) -> None:
    counted = [pool for pool in blueprint.pools if pool.reservation is None or pool.reservation.name is None]
    scheduled = blueprint.schedule.pools if blueprint.schedule else ()
    by_night = {pool.name: pool.limits[Profile.TRAINING].maximum for pool in scheduled}
    nodes = {pool.name: max(pool.max_nodes, by_night.get(pool.name, 0)) for pool in counted}
    all_gpus = sum(nodes[pool.name] * pool.gpus_per_node for pool in counted)
    by_name = needs(blueprint)
    names = compute_quotas()
    assert sum(need.amount for need in blueprint.quotas if need.unit == "VMs") == sum(nodes.values())
    gpus = by_name.get(names.all_gpus)
    assert (gpus.amount if gpus else 0) == all_gpus
    assert sum(need.amount for need in blueprint.quotas if need.unit == "GPUs" and need.location != "global") == all_gpus
    for need in blueprint.quotas:
        assert need.amount > 0
        assert set(need.pools) <= {pool.name for pool in counted}
        assert sum(amount for _, amount in need.instead) == (need.amount if need.name == names.preemptible_cpus else 0)
    keys = [(need.name, need.location, need.what) for need in blueprint.quotas]
    assert len(keys) == len(set(keys))


def test_more_nodes_never_need_less() -> None:
    blueprint = blueprint_of("prod")
    facts = catalogue()
    before = {(need.name, need.what): need.amount for need in quota_needs(blueprint.pools, "us-central1", facts)}
    after = {(need.name, need.what): need.amount for need in quota_needs(blueprint.pools, "us-central1", facts, {"train-l4": 40})}
    assert all(after[key] >= amount for key, amount in before.items())
    assert after["PREEMPTIBLE_NVIDIA_L4_GPUS", "preemptible nvidia-l4 GPUs"] == 160
