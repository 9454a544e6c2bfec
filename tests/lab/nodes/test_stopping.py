"""Simulated machines end as Google's do."""

from dataclasses import replace
from typing import Any

import pytest

from lab.kubelet.marks import HARD, PREEMPT, STOP_ANNOTATION
from lab.nodes.objects import STOPPED_ANNOTATION, LabNode
from lab.nodes.pools import NodePool
from lab.nodes.stopping import Duty, ending
from tests.lab.nodes.given import a_pod, node, pool, record

WINDOW = {"shutdownGracePeriodSeconds": 120, "shutdownGracePeriodCriticalPodsSeconds": 15}
SPOT = pool(record(nodeConfig={"kubeletConfig": WINDOW}))
REPAIR = 60.0


def stopped(how: str, of: NodePool = SPOT, **changes: Any) -> LabNode:
    return replace(node(of, notes={STOP_ANNOTATION: how, STOPPED_ANNOTATION: "1000"}), **changes)


class TestPreemption:
    def test_begins_with_a_node_that_says_it_shuts_down(self):
        found = stopped(PREEMPT)
        assert ending(found, [a_pod(on=found.name)], SPOT, 1000.1, REPAIR).duty is Duty.SHUT_DOWN

    @pytest.mark.parametrize(
        ("grace", "critical", "end"),
        [(300, False, 105), (10, False, 10), (0, False, 0), (300, True, 120), (5, True, 110)],
        ids=["long", "short", "none", "critical and long", "critical and short"],
    )
    def test_ends_pods_when_their_time_is_over(self, grace, critical, end):
        found = stopped(PREEMPT, ready=False)
        one = replace(a_pod(on=found.name), grace=grace, critical=critical)
        if end:
            assert ending(found, [one], SPOT, 1000.0 + end - 1, REPAIR).pods == ()
        assert ending(found, [one], SPOT, 1000.0 + end, REPAIR).pods == (one,)

    def test_ends_ordinary_pods_after_15_seconds_where_the_pool_says_nothing(self):
        of = pool()
        found = stopped(PREEMPT, of, ready=False)
        one = replace(a_pod(on=found.name), grace=300)
        assert ending(found, [one], of, 1014.0, REPAIR).pods == ()
        assert ending(found, [one], of, 1015.0, REPAIR).pods == (one,)

    def test_removes_the_node_with_its_last_pod_and_not_before_it_said_so(self):
        first, last = (replace(a_pod(name, on="x"), grace=grace) for name, grace in (("first", 1), ("last", 9)))
        found = stopped(PREEMPT, ready=False)
        assert ending(found, [first, last], SPOT, 1005.0, REPAIR).duty is Duty.WAIT
        assert ending(found, [last], SPOT, 1009.0, REPAIR).duty is Duty.REMOVE
        assert ending(replace(found, ready=True), [], SPOT, 1009.0, REPAIR).duty is Duty.SHUT_DOWN

    def test_leaves_the_pods_of_process_nodes_to_their_kubelet(self):
        found = stopped(PREEMPT, process=True)
        one = a_pod(on=found.name)
        decided = ending(found, [one], SPOT, 1125.0, REPAIR)
        assert decided.duty is Duty.WAIT
        assert decided.pods == ()
        assert ending(found, [one], SPOT, 1130.0, REPAIR).duty is Duty.REMOVE


class TestHardStop:
    def test_says_nothing_and_is_made_anew_later(self):
        found = stopped(HARD)
        assert ending(found, [a_pod(on=found.name)], SPOT, 1059.0, REPAIR).duty is Duty.FALL_SILENT
        assert ending(found, [a_pod(on=found.name)], SPOT, 1060.0, REPAIR).duty is Duty.REMOVE
