"""What is done about nodes: limits hold, pods get nodes, idle ones go, what is asked for is followed."""

from collections import Counter
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.model import NodeLimits
from hybrid_pools.blueprint.vocabulary import HOSTNAME_LABEL, ZONE_LABEL
from lab.kubelet.marks import PREEMPT, STOP_ANNOTATION
from lab.nodes.amounts import rest
from lab.nodes.matching import fits
from lab.nodes.objects import STOPPED_ANNOTATION, LabNode, Pod
from lab.nodes.plan import Plan, World, plan
from lab.nodes.pools import NodePool
from lab.nodes.sizes import Sizes
from tests.lab.nodes.given import a_pod, buffer_record, node, pool, record, stable_record

IDLE = 30.0
TRAIN = pool(record("train"))
SERVICES = pool(stable_record("services"))
A, B = TRAIN.zones


def world(*pools: NodePool, nodes=(), pods=(), sizes=None, idle_since=None, now=1000.0) -> World:
    return World(tuple(pools), tuple(nodes), tuple(pods), sizes or {}, idle_since or {}, now, IDLE)


def sized(of: NodePool, **zones: int) -> dict[str, Sizes]:
    return {of.id: Sizes(of.asked, {zone: zones.get(zone[-1], 0) for zone in of.zones})}


def created(decided: Plan) -> Counter[tuple[str, str]]:
    return Counter((new.pool.name, new.zone[-1]) for new in decided.create)


class TestPodsThatWait:
    def test_bring_one_node_for_what_one_node_holds(self):
        assert created(plan(world(TRAIN, pods=[a_pod("a", gpus=1), a_pod("b", gpus=1)]))) == {("train", "a"): 1}

    def test_bring_more_nodes_for_more(self):
        assert created(plan(world(TRAIN, pods=[a_pod(str(n), gpus=2) for n in range(3)]))) == {("train", "a"): 3}

    def test_bring_none_beyond_the_limit(self):
        assert created(plan(world(TRAIN, pods=[a_pod(str(n), gpus=2) for n in range(9)]))).total() == 4

    @pytest.mark.parametrize(
        "hopeless",
        [
            a_pod(gpus=3),
            a_pod(tolerates=()),
            a_pod(nodeSelector={ZONE_LABEL: "us-east1-b"}),
            a_pod(nodeSelector={HOSTNAME_LABEL: "gke-gone"}),
            a_pod(priority=-11),
            replace(a_pod(), deleting=True),
            replace(a_pod(), waiting=False),
        ],
        ids=["too large", "intolerant", "elsewhere", "a certain node", "expendable", "being deleted", "gated"],
    )
    def test_bring_nothing_where_no_node_would_help(self, hopeless):
        assert not plan(world(TRAIN, pods=[hopeless])).create

    def test_go_to_a_node_that_is_on_its_way(self):
        coming = node(TRAIN, ready=False, created="1970-01-01T00:15:00Z")
        decided = plan(world(TRAIN, nodes=[coming], pods=[a_pod(gpus=2)], sizes=sized(TRAIN, a=1)))
        assert not decided.create

    def test_do_not_wait_for_a_node_that_never_came(self):
        lost = node(TRAIN, ready=False, created="1970-01-01T00:00:00Z")
        assert created(plan(world(TRAIN, nodes=[lost], pods=[a_pod(gpus=2)], sizes=sized(TRAIN, a=1))))

    def test_do_not_wait_for_a_cordoned_or_stopped_or_full_node(self):
        full = node(TRAIN, A, 1)
        nodes = [replace(node(TRAIN), cordoned=True), full]
        running = a_pod("old", on=full.name, gpus=2)
        decided = plan(world(TRAIN, nodes=nodes, pods=[running, a_pod(gpus=1)], sizes=sized(TRAIN, a=2)))
        assert created(decided).total() == 1

    def test_bring_nothing_while_the_scheduler_makes_room_for_them(self):
        found = node(TRAIN)
        victim = a_pod("victim", on=found.name, gpus=2)
        waits = replace(a_pod(gpus=2), nominated=found.name)
        assert not plan(world(TRAIN, nodes=[found], pods=[victim, waits], sizes=sized(TRAIN, a=1))).create

    def test_go_to_the_first_pool_that_fits_and_to_the_next_when_it_is_out_of_stock(self):
        buffer = pool(buffer_record())
        tolerant = a_pod(gpus=1, tolerations=[{"operator": "Exists"}])
        assert created(plan(world(TRAIN, buffer, pods=[tolerant]))) == {("train", "a"): 1}
        assert created(plan(world(replace(TRAIN, in_stock=False), buffer, pods=[tolerant]))) == {("buffer", "a"): 1}

    def test_are_spread_over_zones_where_the_pool_is_balanced(self):
        empty = replace(SERVICES, size=0)
        pods = [a_pod(str(n), cpu="3", tolerates=()) for n in range(4)]
        assert created(plan(world(empty, pods=pods))) == {("services", "a"): 2, ("services", "b"): 2}

    def test_get_a_node_in_their_zone(self):
        decided = plan(world(TRAIN, pods=[a_pod(nodeSelector={ZONE_LABEL: B})]))
        assert created(decided) == {("train", "b"): 1}


class TestIdleNodes:
    def of_age(self, *nodes: LabNode, age: float) -> dict[str, float]:
        return {found.name: 1000.0 - age for found in nodes}

    def test_go_after_their_time_and_not_before(self):
        found = node(TRAIN)
        for age, gone in ((IDLE - 1, ()), (IDLE, (found.name,))):
            given_world = world(TRAIN, nodes=[found], sizes=sized(TRAIN, a=1), idle_since=self.of_age(found, age=age))
            assert plan(given_world).drain == gone

    def test_stay_at_the_minimum_of_each_zone(self):
        nodes = [node(SERVICES, A, 0), node(SERVICES, A, 1), node(SERVICES, B, 0)]
        decided = plan(world(SERVICES, nodes=nodes, sizes=sized(SERVICES, a=2, b=1), idle_since=self.of_age(*nodes, age=99)))
        assert len(decided.drain) == 1
        assert decided.sizes[SERVICES.id].zones == {A: 1, B: 1}

    def test_stay_where_the_autoscaler_is_off_or_told_to_keep_them(self):
        found = node(TRAIN)
        off = replace(TRAIN, limits=None, size=1)
        kept = replace(found, kept=True)
        for of, one in ((off, found), (TRAIN, kept)):
            assert not plan(world(of, nodes=[one], sizes=sized(of, a=1, b=0), idle_since=self.of_age(found, age=99))).drain

    def test_are_not_idle_while_a_pod_runs_there_or_waits_for_them(self):
        found = node(TRAIN)
        for one in (a_pod(on=found.name), a_pod(gpus=1)):
            decided = plan(world(TRAIN, nodes=[found], pods=[one], sizes=sized(TRAIN, a=1), idle_since=self.of_age(found, age=99)))
            assert not decided.drain
            assert found.name not in decided.idle_since

    def test_are_idle_under_pods_of_daemon_sets_and_pods_that_have_ended(self):
        found = node(TRAIN)
        pods = [replace(a_pod("daemon", on=found.name), tied=True), a_pod("done", on=found.name, phase="Succeeded")]
        decided = plan(world(TRAIN, nodes=[found], pods=pods, sizes=sized(TRAIN, a=1), idle_since=self.of_age(found, age=99)))
        assert decided.drain == (found.name,)


class TestSizes:
    def test_a_new_pool_gets_what_it_was_created_with_in_each_zone(self):
        assert created(plan(world(SERVICES))) == {("services", "a"): 1, ("services", "b"): 1}

    def test_a_set_size_is_followed_in_both_directions(self):
        nodes = [node(TRAIN, A, index) for index in range(3)]
        up, down = replace(TRAIN, asked="up", size=4), replace(TRAIN, asked="down", size=1)
        assert created(plan(world(up, nodes=nodes, sizes=sized(TRAIN, a=3)))) == {("train", "a"): 1, ("train", "b"): 4}
        decided = plan(world(down, nodes=nodes, sizes=sized(TRAIN, a=3)))
        assert len(decided.drain) == 2
        assert created(decided) == {("train", "b"): 1}

    def test_a_smaller_size_takes_nodes_without_pods_first(self):
        busy, idle = node(TRAIN, A, 0), node(TRAIN, A, 1)
        decided = plan(world(replace(TRAIN, asked="x", size=1), nodes=[busy, idle], pods=[a_pod(on=busy.name)], sizes=sized(TRAIN, a=2)))
        assert decided.drain == (idle.name,)

    def test_other_limits_alone_move_nothing(self):
        nodes = [node(TRAIN, A, 0), node(TRAIN, A, 1)]
        pods = [a_pod(str(index), on=found.name) for index, found in enumerate(nodes)]
        for limits in (NodeLimits(False, 4, 9), NodeLimits(False, 0, 1)):
            decided = plan(world(replace(TRAIN, limits=limits), nodes=nodes, pods=pods, sizes=sized(TRAIN, a=2)))
            assert not decided.create
            assert not decided.drain

    def test_a_zone_that_is_taken_from_the_pool_is_emptied(self):
        found = node(TRAIN, B)
        decided = plan(world(replace(TRAIN, zones=(A,)), nodes=[found], pods=[a_pod(on=found.name)], sizes=sized(TRAIN, b=1)))
        assert decided.drain == (found.name,)

    def test_nodes_of_a_pool_that_is_gone_are_removed(self):
        found = node(TRAIN)
        assert plan(world(SERVICES, nodes=[found], sizes=sized(TRAIN, a=1))).drain == (found.name,)

    def test_a_node_that_is_being_removed_still_takes_a_place(self):
        going = replace(node(TRAIN), draining_since=999.0)
        decided = plan(world(TRAIN, nodes=[going], pods=[a_pod(gpus=2)], sizes=sized(TRAIN)))
        assert decided.sizes[TRAIN.id].zones[A] == 1
        assert not decided.create

    def test_nodes_do_not_come_while_machines_are_out_of_stock_and_then_they_do(self):
        asked = replace(TRAIN, size=2, in_stock=False)
        decided = plan(world(asked))
        assert not decided.create
        again = plan(world(replace(asked, in_stock=True), sizes=decided.sizes))
        assert created(again) == {("train", "a"): 2, ("train", "b"): 2}

    def test_what_never_came_is_given_up_when_nobody_needs_it(self):
        asked = replace(TRAIN, size=2, in_stock=False)
        first = plan(world(asked))
        later = plan(world(asked, sizes=first.sizes, idle_since=first.idle_since, now=1000.0 + IDLE))
        assert later.sizes[TRAIN.id].total == 0


class TestStoppedNodes:
    def test_are_neither_replaced_nor_removed_while_their_node_object_is_there(self):
        stopped = node(TRAIN, notes={STOP_ANNOTATION: PREEMPT, STOPPED_ANNOTATION: "990"})
        decided = plan(world(TRAIN, nodes=[stopped], pods=[a_pod(on=stopped.name)], sizes=sized(TRAIN, a=1)))
        assert not decided.create
        assert not decided.drain

    def test_come_back_under_their_name(self):
        name = node(TRAIN).name
        decided = plan(world(TRAIN, sizes=sized(TRAIN, a=1), pods=[a_pod("dead", on=name, phase="Failed")]))
        assert [new.name for new in decided.create] == [name]

    def test_leave_their_name_to_pods_that_kubernetes_still_takes_for_running(self):
        name = node(TRAIN).name
        decided = plan(world(TRAIN, sizes=sized(TRAIN, a=1), pods=[a_pod("ghost", on=name)]))
        assert len(decided.create) == 1
        assert decided.create[0].name != name


@dataclass
class Played:
    """A small world that carries plans out."""

    pools: list[NodePool]
    nodes: dict[str, LabNode] = field(default_factory=dict)
    pods: dict[str, Pod] = field(default_factory=dict)
    sizes: dict[str, Sizes] = field(default_factory=dict)
    idle_since: dict[str, float] = field(default_factory=dict)
    now: float = 1000.0

    def step(self, seconds: float) -> Plan:
        self.now += seconds
        decided = plan(
            World(tuple(self.pools), tuple(self.nodes.values()), tuple(self.pods.values()), self.sizes, self.idle_since, self.now, IDLE)
        )
        self.sizes, self.idle_since = dict(decided.sizes), dict(decided.idle_since)
        for new in decided.create:
            assert new.name not in self.nodes
            self.nodes[new.name] = node(new.pool, new.zone, new.index)
        for name in decided.drain:
            self.nodes[name] = replace(self.nodes[name], draining_since=self.now)
        self.evict()
        self.schedule()
        return decided

    def evict(self) -> None:
        going = {name for name, found in self.nodes.items() if found.draining_since is not None}
        for pod in list(self.pods.values()):
            if pod.node in going:
                self.pods[pod.name] = a_pod(pod.name, gpus=pod.requests.get("nvidia.com/gpu", 0))
        for name in going:
            del self.nodes[name]

    def schedule(self) -> None:
        for pod in [pod for pod in self.pods.values() if pod.waiting]:
            for found in self.nodes.values():
                free = dict(found.allocatable)
                for other in self.pods.values():
                    if other.node == found.name:
                        free = rest(free, other.requests)
                if fits(pod, found.name, found.labels, found.taints, free):
                    self.pods[pod.name] = replace(pod, node=found.name, waiting=False)
                    break


EVENTS = st.one_of(
    st.tuples(st.just("pods"), st.integers(1, 4), st.integers(0, 2)),
    st.tuples(st.just("end"), st.integers(0, 9), st.just(0)),
    st.tuples(st.just("size"), st.integers(0, 3), st.just(0)),
    st.tuples(st.just("limits"), st.integers(0, 2), st.integers(2, 5)),
    st.tuples(st.just("stock"), st.integers(0, 1), st.just(0)),
    st.tuples(st.just("time"), st.integers(1, 40), st.just(0)),
)


@given(st.booleans(), st.lists(EVENTS, max_size=20))
def test_whatever_happens_limits_hold_and_it_comes_to_rest(per_zone, events):
    played = Played([replace(TRAIN, limits=NodeLimits(per_zone, 0, 4))])
    for number, (what, one, other) in enumerate(events):
        of = played.pools[0]
        before = played.sizes.get(of.id)
        match what:
            case "pods":
                for index in range(one):
                    played.pods[f"{number}-{index}"] = a_pod(f"{number}-{index}", gpus=other)
            case "end":
                for name in sorted(played.pods)[:one]:
                    del played.pods[name]
            case "size":
                of = replace(of, size=one, asked=str(number))
            case "limits":
                of = replace(of, limits=NodeLimits(per_zone, one, other))
            case "stock":
                of = replace(of, in_stock=bool(one))
        played.pools = [of]
        waiting = sum(pod.waiting for pod in played.pods.values())
        busy = {pod.node for pod in played.pods.values() if pod.node}
        decided = played.step(one if what == "time" else 1)
        after, limits = decided.sizes[of.id], of.limits
        assert limits
        for zone in of.zones:
            there = sum(found.zone == zone for found in played.nodes.values())
            assert there <= max(after.zones[zone], there - sum(new.zone == zone for new in decided.create))
        if what == "size" or before is None:
            continue
        # What nobody asked for, the autoscaler did: within the limits, one node a pod at the most, nothing from under a pod.
        assert after.total - before.total <= waiting
        assert not busy & set(decided.drain)
        for zone in of.zones if per_zone else ("",):
            was, now = (before.zones[zone], after.zones[zone]) if per_zone else (before.total, after.total)
            assert now <= max(was, limits.maximum)
            assert now >= min(was, limits.minimum)
    for _ in range(4):
        decided = played.step(IDLE)
    assert not decided.create
    assert not decided.drain
