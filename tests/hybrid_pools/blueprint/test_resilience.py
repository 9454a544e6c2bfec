"""What is left after a loss follows from the pools, and never promises more than they may have."""

from hypothesis import given, settings

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.resilience import SPOT_LOSS, Loss, Outcome, Verdict, losses, outcomes, remainder, zones
from hybrid_pools.blueprint.vocabulary import Role
from tests.environments import blueprint_of
from tests.strategies import blueprints


def outcome(blueprint: Blueprint, stage: str, accelerator: str | None, loss: Loss) -> Outcome:
    [found] = [each for each in outcomes(blueprint) if (each.stage.name, each.accelerator, each.loss) == (stage, accelerator, loss)]
    return found


class TestEveryLoss:
    @given(blueprints())
    @settings(max_examples=50)
    def test_leaves_a_pool_in_no_zone_that_is_lost_and_in_every_other_one(self, blueprint):
        for loss in losses(blueprint):
            for pool in blueprint.pools:
                left = remainder(pool, loss)
                lost = set(pool.zones) if loss == SPOT_LOSS and pool.role is Role.SPOT else {loss.zone}
                assert set(left.zones if left else ()) == set(pool.zones) - lost

    @given(blueprints())
    @settings(max_examples=50)
    def test_never_leaves_a_pool_more_nodes_than_it_may_have(self, blueprint):
        for loss in losses(blueprint):
            for pool in blueprint.pools:
                left = remainder(pool, loss)
                if left is not None:
                    assert 0 < left.max_nodes <= pool.max_nodes
                    assert left.max_gpus == left.max_nodes * pool.gpus_per_node

    @given(blueprints())
    @settings(max_examples=50)
    def test_stops_a_stage_exactly_if_no_pool_that_may_carry_it_is_left(self, blueprint):
        for each in outcomes(blueprint):
            assert (each.verdict is Verdict.STOPPED) == (not each.carriers and not each.fallbacks)
            assert each.nodes_left <= each.nodes_before

    @given(blueprints())
    @settings(max_examples=50)
    def test_moves_work_for_a_gpu_model_only_to_pools_of_that_model(self, blueprint):
        models = {pool.name: pool.accelerators.type if pool.accelerators else None for pool in blueprint.pools}
        for each in outcomes(blueprint):
            if each.accelerator is not None:
                assert {models[left.pool] for left in (*each.carriers, *each.fallbacks)} <= {each.accelerator}


class TestProduction:
    blueprint = blueprint_of("prod")

    def test_keeps_services_and_coordinators_when_any_zone_or_all_spot_nodes_are_lost(self):
        for loss in losses(self.blueprint):
            for stage in ("services", "coordinators"):
                assert outcome(self.blueprint, stage, None, loss).verdict in (Verdict.KEPT, Verdict.REDUCED)

    def test_loses_a_third_of_per_zone_limits_with_one_of_three_zones(self):
        found = outcome(self.blueprint, "services", None, Loss("us-central1-b"))
        assert found.verdict is Verdict.REDUCED
        assert found.nodes_left * 3 == found.nodes_before * 2

    def test_keeps_total_limits_when_another_zone_can_take_the_nodes(self):
        assert outcome(self.blueprint, "training", "nvidia-h100-80gb", Loss("us-central1-a")).verdict is Verdict.KEPT

    def test_moves_l4_training_to_the_l4_buffer_when_all_spot_nodes_are_lost(self):
        found = outcome(self.blueprint, "training", "nvidia-l4", SPOT_LOSS)
        assert found.verdict is Verdict.MOVED
        assert [left.pool for left in found.fallbacks] == ["buffer-l4"]

    def test_stops_training_on_a_model_that_only_spot_pools_have(self):
        assert outcome(self.blueprint, "training", "nvidia-tesla-a100", SPOT_LOSS).verdict is Verdict.STOPPED


def test_a_pool_in_one_zone_is_gone_with_that_zone() -> None:
    staging = blueprint_of("staging")
    assert outcome(staging, "training", "nvidia-h100-80gb", Loss("europe-west4-b")).verdict is Verdict.STOPPED


def test_an_environment_without_spot_pools_has_only_zones_to_lose() -> None:
    blueprint = blueprint_of("local")
    without = type(blueprint)(**{**vars(blueprint), "pools": blueprint.pools_of(Role.STABLE)})
    assert losses(without) == tuple(Loss(zone) for zone in zones(without))
