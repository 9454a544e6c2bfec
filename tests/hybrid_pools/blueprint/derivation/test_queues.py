"""Queues: what is promised fits into the pools, and each class goes where it may."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from hypothesis import given

from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.derivation.queues import PRIORITIES
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.queues import FlavorQuota, Kubernetes, Queues, Resources
from hybrid_pools.blueprint.vocabulary import QUEUED_CLASSES, SPOT_CLASSES, Role, WorkloadClass
from tests.environments import blueprint_of, sections_of
from tests.strategies import queued_blueprints


def kubernetes_of(blueprint: Blueprint) -> Kubernetes:
    assert blueprint.kubernetes is not None
    return blueprint.kubernetes


def quotas_of(queues: Queues) -> Iterator[FlavorQuota]:
    """Every quota of every queue and cohort."""
    yield from queues.shared
    yield from queues.buffer.quotas if queues.buffer else ()
    for queue in queues.queues:
        yield from queue.quotas


def local(**changes: Any) -> Kubernetes:
    """The lab's Kubernetes side with sections changed."""
    return kubernetes_of(derive(check("a file", sections_of("local") | changes)))


def order_of(kubernetes: Kubernetes, workload_class: WorkloadClass) -> tuple[str, ...]:
    return next(policy.order for policy in kubernetes.classes if policy.workload_class is workload_class)


class TestWhatIsPromised:
    @given(queued_blueprints())
    def test_never_adds_up_to_more_than_the_pools_hold(self, blueprint: Blueprint):
        queues = kubernetes_of(blueprint).queues
        promised: dict[str, list[Resources]] = {}
        for quota in quotas_of(queues):
            promised.setdefault(quota.flavor, []).append(quota.nominal)
        for name, parts in promised.items():
            capacity = queues.flavor(name).capacity
            assert sum(part.cpu for part in parts) <= capacity.cpu
            assert sum(part.memory for part in parts) <= capacity.memory
            assert sum(part.gpus for part in parts) <= capacity.gpus

    @given(queued_blueprints())
    def test_of_spot_is_all_of_it_and_of_stable_only_what_teams_own(self, blueprint: Blueprint):
        queues = kubernetes_of(blueprint).queues
        assert {queues.flavor(quota.flavor).role for quota in queues.shared} <= {Role.SPOT}
        for flavor in queues.flavors:
            if flavor.role is Role.SPOT and flavor.capacity.gpus:
                assert sum(quota.nominal.gpus for quota in quotas_of(queues) if quota.flavor == flavor.name) == flavor.capacity.gpus

    @given(queued_blueprints())
    def test_is_nowhere_negative_and_never_lent_beyond_what_is_owned(self, blueprint: Blueprint):
        for quota in quotas_of(kubernetes_of(blueprint).queues):
            for amount in (quota.nominal, quota.borrowing or quota.nominal, quota.lending or quota.nominal):
                assert min(amount.cpu, amount.memory, amount.gpus) >= 0
            if quota.lending:
                assert quota.lending.cpu <= quota.nominal.cpu
                assert quota.lending.memory <= quota.nominal.memory
                assert quota.lending.gpus <= quota.nominal.gpus

    @given(queued_blueprints())
    def test_of_the_buffer_is_nobodys_own(self, blueprint: Blueprint):
        queues = kubernetes_of(blueprint).queues
        for queue in queues.queues:
            for quota in queue.quotas:
                if queues.flavor(quota.flavor).role is Role.BUFFER:
                    assert quota.nominal == Resources()
                    assert queues.buffer

    @given(queued_blueprints())
    def test_caps_what_training_takes_of_stable_pools_where_nobody_says_otherwise(self, blueprint: Blueprint):
        queues = kubernetes_of(blueprint).queues
        for queue in queues.queues:
            for quota in queue.quotas:
                assert queues.flavor(quota.flavor).role is not Role.STABLE or quota.borrowing is not None


class TestEveryQueue:
    @given(queued_blueprints())
    def test_is_one_for_each_class_of_each_team_that_has_somewhere_to_go(self, blueprint: Blueprint):
        kubernetes = kubernetes_of(blueprint)
        queues = kubernetes.queues
        spots = {flavor.name for flavor in queues.flavors if flavor.role is Role.SPOT}
        expected = {
            (team.name, workload_class)
            for team in blueprint.teams
            for workload_class in QUEUED_CLASSES
            if [name for name in order_of(kubernetes, workload_class) if team.spot or name not in spots]
        }
        assert Counter((queue.team, queue.workload_class) for queue in queues.queues) == Counter(dict.fromkeys(expected, 1))
        assert [cohort.team for cohort in queues.teams] == [team.name for team in blueprint.teams]

    @given(queued_blueprints())
    def test_tries_flavors_in_the_order_of_its_class(self, blueprint: Blueprint):
        kubernetes = kubernetes_of(blueprint)
        teams = {team.name: team for team in blueprint.teams}
        for queue in kubernetes.queues.queues:
            flavors = [quota.flavor for quota in queue.quotas]
            order = order_of(kubernetes, queue.workload_class)
            assert flavors == [name for name in order if name in flavors]
            for name in {*order} - {*flavors}:
                assert kubernetes.queues.flavor(name).role is Role.SPOT
                assert not teams[queue.team].spot

    @given(queued_blueprints())
    def test_stands_in_its_teams_namespace_under_names_that_nothing_else_has(self, blueprint: Blueprint):
        queues = kubernetes_of(blueprint).queues
        namespaces = {team.name: team.namespace for team in blueprint.teams}
        assert all(queue.namespace == namespaces[queue.team] for queue in queues.queues)
        cohorts = [queues.cohort, *(cohort.name for cohort in queues.teams), *([queues.buffer.cohort] if queues.buffer else [])]
        for names in ([queue.name for queue in queues.queues], cohorts):
            assert len(names) == len(set(names))
            assert all(re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name) for name in names)


class TestAnOrder:
    @given(queued_blueprints())
    def test_names_only_flavors_that_have_pools_and_the_pools_that_make_them(self, blueprint: Blueprint):
        kubernetes = kubernetes_of(blueprint)
        pools = {pool.name for pool in blueprint.pools}
        for policy in kubernetes.classes:
            made = [pool for name in policy.order for pool in kubernetes.queues.flavor(name).pools]
            assert list(policy.pools) == made
            assert {*made} <= pools
            assert len(set(policy.order)) == len(policy.order)

    @given(queued_blueprints())
    def test_leads_to_spot_only_what_may_be_interrupted(self, blueprint: Blueprint):
        kubernetes = kubernetes_of(blueprint)
        for policy in kubernetes.classes:
            roles = {kubernetes.queues.flavor(name).role for name in policy.order}
            assert Role.SPOT not in roles or policy.workload_class in SPOT_CLASSES
            assert Role.STABLE not in roles or policy.workload_class is not WorkloadClass.DEFERRED

    def test_that_is_left_out_is_the_classs_own(self):
        orders = {policy.workload_class: policy.order for policy in local().classes}
        assert orders == {
            WorkloadClass.SERVICE: ("stable-cpu", "buffer-l4"),
            WorkloadClass.INTERACTIVE: ("stable-cpu", "buffer-l4"),
            WorkloadClass.TRAINING: ("spot-l4", "buffer-l4", "stable-cpu"),
            WorkloadClass.DEFERRED: ("spot-l4", "buffer-l4"),
        }

    def test_without_a_schedule_leaves_the_buffer_to_services(self):
        sections = sections_of("local")
        del sections["schedule"]
        kubernetes = kubernetes_of(derive(check("a file", sections)))
        assert kubernetes.queues.buffer is None
        assert order_of(kubernetes, WorkloadClass.SERVICE) == ("stable-cpu", "buffer-l4")
        assert order_of(kubernetes, WorkloadClass.TRAINING) == ("spot-l4", "stable-cpu")

    def test_puts_nodes_that_must_be_asked_for_together_behind_those_of_the_same_role(self):
        kubernetes = kubernetes_of(blueprint_of("dev"))
        spots = [name for name in order_of(kubernetes, WorkloadClass.TRAINING) if name.startswith("spot")]
        assert spots == ["spot-a100-2g.10gb", "spot-l4", "spot-h100-80gb-queued"]


class TestAClass:
    @given(queued_blueprints())
    def test_goes_before_another_as_the_design_says_and_services_before_all(self, blueprint: Blueprint):
        priorities = {policy.workload_class: policy.priority for policy in kubernetes_of(blueprint).classes}
        assert sorted(priorities, key=lambda one: -priorities[one]) == list(WorkloadClass)

    def test_has_a_priority_that_job_set_can_write_into_a_label(self):
        for workload_class in QUEUED_CLASSES:
            assert 0 <= PRIORITIES[workload_class] < PRIORITIES[WorkloadClass.SERVICE] <= 1_000_000_000

    @given(queued_blueprints())
    def test_pushes_others_off_nodes_only_if_it_is_a_service(self, blueprint: Blueprint):
        for policy in kubernetes_of(blueprint).classes:
            assert policy.preempts == (policy.workload_class is WorkloadClass.SERVICE)

    def test_ends_forgotten_interactive_work_where_nobody_says_otherwise(self):
        sections = sections_of("local")
        del sections["queues"]["classes"]
        limits = {policy.workload_class: policy.runtime_limit_seconds for policy in local(queues=sections["queues"]).classes}
        assert limits[WorkloadClass.INTERACTIVE] == 8 * 3600
        assert limits[WorkloadClass.SERVICE] is limits[WorkloadClass.TRAINING] is limits[WorkloadClass.DEFERRED] is None
