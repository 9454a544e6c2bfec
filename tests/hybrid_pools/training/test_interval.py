"""The checkpoint interval against the published numbers, against every other interval and against a simulated run."""

import math
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.catalogue.loss_rates import loss_rate
from hybrid_pools.training.interval import Costs, IntervalError, checkpoint_interval, waste

HOUR = 3600
DAY = 24 * HOUR


def interval_of(save: float, mean: float, **more: float):
    return checkpoint_interval(Costs(save), 1, HOUR / mean, **more)


class TestPublishedNumbers:
    @pytest.mark.parametrize(("save", "mean", "minutes"), [(300, DAY, 117), (300, 6 * HOUR, 57), (300, HOUR / 4, 9.1)])
    def test_are_those_of_dalys_figures_3_to_5(self, save, mean, minutes):
        assert interval_of(save, mean).seconds / 60 == pytest.approx(minutes, rel=0.01)

    @pytest.mark.parametrize(
        ("save", "mean", "minutes", "share"),
        [(60, 2 * HOUR, 15.5, 0.13), (30, HOUR, 7.8, 0.13), (60, 4 * HOUR, 22, 0.09), (120, DAY, 76, 0.05)],
    )
    def test_are_those_of_youngs_rule_to_first_order(self, save, mean, minutes, share):
        found = interval_of(save, mean)
        assert found.young_seconds / 60 == pytest.approx(minutes, abs=0.5)
        assert found.seconds / 60 == pytest.approx(minutes, rel=0.06)
        assert found.waste.total == pytest.approx(share, abs=0.01)

    @given(save=st.floats(1, 600), mean=st.floats(600, 30 * DAY))
    def test_lie_within_a_hundredth_of_dalys_estimate_where_saves_are_short(self, save, mean):
        ratio = save / (2 * mean)
        if ratio < 0.1:
            daly = math.sqrt(2 * save * mean) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - save
            # Whole seconds, and never under the save.
            assert interval_of(save, mean).seconds == pytest.approx(max(daly, math.ceil(save)), rel=0.01, abs=1)


runs = st.builds(
    lambda save, share, restart: Costs(save, restart, save * share),
    st.floats(1, 900),
    st.floats(0.01, 1),
    st.floats(0, 1800),
)
gangs = st.integers(1, 300)
rates = st.floats(1e-4, 2)
steps = st.floats(0.05, 120)


class TestWaste:
    @given(runs, gangs, rates, steps)
    def test_is_never_above_that_of_any_other_whole_number_of_steps(self, costs, nodes, rate, step):
        found = checkpoint_interval(costs, nodes, rate, step_seconds=step)
        assert found.steps is not None
        fewest = math.ceil(math.ceil(costs.save) / step)
        nearby = {round(found.steps * factor) + more for factor in (0.01, 0.1, 0.5, 0.9, 1, 1.1, 2, 10) for more in range(-20, 21)}
        best = waste(costs, found.mean_seconds_between_losses, found.steps * step).total
        for other in nearby:
            if other >= fewest:
                assert best <= waste(costs, found.mean_seconds_between_losses, other * step).total + 1e-12

    @given(runs, st.floats(60, 30 * DAY), st.floats(1, DAY))
    def test_is_the_sum_of_shares_and_never_more_than_all(self, costs, mean, seconds):
        found = waste(costs, mean, seconds)
        assert min(found.saving, found.lost, found.restarting) >= 0
        assert found.total <= 1 + 1e-9

    @pytest.mark.parametrize(
        ("costs", "mean", "seconds"),
        [(Costs(60), 2 * HOUR, 890), (Costs(60, 300), HOUR, 700), (Costs(200, 120, 10), HOUR, 400), (Costs(30, 600, 5), HOUR / 4, 120)],
        ids=["saves", "restarts", "uploads behind the training", "is lost every quarter of an hour"],
    )
    def test_is_what_a_simulated_run_loses(self, costs, mean, seconds):
        assert waste(costs, mean, seconds).total == pytest.approx(simulated(costs, mean, seconds, checkpoints=40_000), abs=0.006)


def simulated(costs: Costs, mean: float, seconds: float, checkpoints: int) -> float:
    """The share of time that a run of so many checkpoints is not training for good, its losses drawn at random."""
    random = Random(7)
    upload = costs.save - costs.standstill
    cycle = seconds + costs.standstill
    clock = 0.0
    loss = random.expovariate(1 / mean)
    due = cycle + upload  # of the next checkpoint that counts
    for _ in range(checkpoints):
        while loss < due:
            clock = loss
            loss = clock + random.expovariate(1 / mean)
            due = clock + costs.restart + cycle + upload
        clock, due = due, due + cycle
    return 1 - checkpoints * seconds / clock


class TestTheInterval:
    @given(st.floats(1, 900), st.floats(1, 900), gangs, rates, steps)
    def test_never_gets_shorter_as_saves_get_longer(self, one, other, nodes, rate, step):
        short, long = (checkpoint_interval(Costs(save), nodes, rate, step_seconds=step) for save in sorted((one, other)))
        assert (short.steps or 0) <= (long.steps or 0)
        assert short.waste.total <= long.waste.total + 1e-12

    @given(runs, rates, steps)
    def test_never_gets_longer_as_the_gang_grows(self, costs, rate, step):
        found = [checkpoint_interval(costs, nodes, rate, step_seconds=step) for nodes in (1, 2, 8, 64, 500)]
        assert all((more.steps or 0) <= (fewer.steps or 0) for fewer, more in pairwise(found))
        assert all(fewer.waste.total <= more.waste.total + 1e-12 for fewer, more in pairwise(found))

    @given(runs, gangs, rates, st.none() | steps, st.floats(1, 30 * DAY))
    def test_is_never_under_the_save_and_never_over_the_whole_run(self, costs, nodes, rate, step, total):
        try:
            found = checkpoint_interval(costs, nodes, rate, step_seconds=step, total_seconds=total)
        except IntervalError:
            assert math.ceil(math.ceil(costs.save) / (step or 1)) * (step or 1) > total - (step or 1)
        else:
            assert costs.save <= found.seconds <= total
            assert found.steps is None or found.seconds == math.floor(found.steps * (step or 1) + 1e-9)

    @given(runs, rates, st.integers(1, 64))
    def test_depends_on_the_loss_rate_of_the_gang_alone(self, costs, rate, nodes):
        assert checkpoint_interval(costs, nodes, rate).seconds == pytest.approx(checkpoint_interval(costs, 1, nodes * rate).seconds, abs=1)

    @given(runs, gangs, rates)
    def test_does_not_depend_on_how_long_a_restart_takes(self, costs, nodes, rate):
        quick = checkpoint_interval(Costs(costs.save, 0, costs.stall), nodes, rate)
        assert checkpoint_interval(costs, nodes, rate).seconds == pytest.approx(quick.seconds, abs=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"save": 0}, "the time to save is 0 seconds: write a number above 0"),
        ({"save": math.nan}, "the time to save is nan seconds"),
        ({"restart": -1}, "the time to restart is -1 seconds: write 0 or more"),
        ({"stall": 61}, "stands still for 61 seconds in a save of 60"),
        ({"nodes": 0}, "the gang has 0 nodes: write at least 1"),
        ({"rate": 0}, "the loss rate is 0 losses per node and hour: write a number above 0"),
        ({"rate": math.inf}, "the loss rate is inf"),
        ({"rate": 1e308, "nodes": 100}, "the time between two losses of the gang is 0 seconds"),
        ({"step_seconds": -2}, "the time of a step is -2 seconds"),
        ({"total_seconds": 0}, "the bound on the whole run is 0 seconds"),
        ({"total_seconds": 59}, "a save of 60 seconds leave no interval in a run of at most 59 seconds"),
        ({"total_seconds": 100, "step_seconds": 101}, "a save of 60 seconds and steps of 101 leave no interval"),
    ],
)
def test_a_number_that_makes_no_sense_is_refused_by_name(arguments, message):
    with pytest.raises(IntervalError, match=message):
        checkpoint_interval(
            Costs(arguments.get("save", 60), arguments.get("restart", 0), arguments.get("stall")),
            arguments.get("nodes", 1),
            arguments.get("rate", 0.1),
            step_seconds=arguments.get("step_seconds"),
            total_seconds=arguments.get("total_seconds"),
        )


@pytest.mark.parametrize("capacity", CapacityKind)
def test_every_kind_of_capacity_has_a_loss_rate_within_what_its_sources_support(capacity):
    rate = loss_rate(capacity)
    assert rate.lowest <= rate.per_node_hour <= rate.highest
