"""Rules on work that would wait for ever: there is no node that it may get."""

from collections.abc import Iterator

from hybrid_pools.lint.rule import Fault, Scope, Subject, rule
from hybrid_pools.lint.surroundings import Surroundings


@rule(
    id="LINT-401",
    title="A queued job names a queue of its namespace",
    scope=Scope.JOB,
    why="Kueue leaves a job whose queue it does not find suspended for ever, and says so only on the job's workload.",
    fix="Set the queue's label to one of the queues that the contract names for the team, and the namespace to the team's.",
    source="https://kueue.sigs.k8s.io/docs/tasks/run/jobs/",
)
def queue_is_of_the_namespace(subject: Subject) -> Iterator[Fault]:
    if not subject.queue:
        return
    names = _queues(subject.surroundings, subject.namespace)
    if subject.queue not in names:
        known = f"which has {', '.join(names)}" if names else "which is no namespace of a team with queues"
        yield Fault(_queue_path(subject), f"is for queue {subject.queue} of namespace {subject.namespace}, {known}")


@rule(
    id="LINT-402",
    title="Every pod of a queued job has a flavor of its class",
    scope=Scope.POD,
    why="Kueue admits a job only when each of its pods has a flavor. One that selects nodes which its class may not use, such as a "
    "coordinator on stable nodes in the class deferred, keeps the whole job waiting for ever.",
    fix="Select nodes that the class may use, or send the job to a queue whose class may use them; the contract names the flavors of each.",
    source="docs/queues.md",
)
def pod_has_a_flavor(subject: Subject) -> Iterator[Fault]:
    if not subject.queue or subject.queue not in _queues(subject.surroundings, subject.namespace):
        return
    if not subject.flavors:
        selector = subject.pod.at("spec.nodeSelector")
        path = selector.path if selector.is_set() else subject.pod.at("spec").path
        yield Fault(
            path, f"selects no nodes of {', '.join(subject.placed.order()) or 'any flavor'}, which are those of queue {subject.queue}"
        )


def _queues(surroundings: Surroundings, namespace: str) -> tuple[str, ...]:
    team = surroundings.teams.get(namespace)
    return tuple(queue.name for queue in team.queues) if team else ()


def _queue_path(subject: Subject) -> str:
    kind = subject.kind
    return (kind.queue or kind.labels) if kind else ""
