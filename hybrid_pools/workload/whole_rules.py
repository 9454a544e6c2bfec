"""What must hold for a job as a whole, by what `wholes` knows of its kind."""

from operator import attrgetter

from hybrid_pools.blueprint.vocabulary import MAX_EXEC_LABEL
from hybrid_pools.workload.rule import Scope, Subject, rule
from hybrid_pools.workload.wholes import whole_of


@rule(
    id="WORK-009",
    title="A disruption of a job on spot is no failure",
    why="Spot nodes end several times a day. A job that counts that as failing uses up its retries and ends, with work left to do.",
    fix="Job: let the first rule of podFailurePolicy that matches a disruption be Ignore onPodConditions DisruptionTarget. JobSet: that in "
    "every job, or a failurePolicy rule RestartJobSetAndIgnoreMaxRestarts. PyTorchJob and the like: restartPolicy ExitCode. RayJob: a "
    "backoffLimit.",
    cel=attrgetter("survives_cel"),
    scope=Scope.WHOLE,
)
def disruption_is_no_failure(subject: Subject) -> str | None:
    whole = whole_of(subject.kind)
    if whole is None or whole.survives(subject.owner, subject.asking):
        return None
    return "counts a disruption as a failure"


@rule(
    id="WORK-010",
    title="A job on spot ends at some time",
    why="Disruptions are retried without counting, so a job that never gets done would hold its nodes for ever.",
    fix=f"Set activeDeadlineSeconds, or for what goes through a queue the label {MAX_EXEC_LABEL} on the job; a JobSet or RayCluster needs "
    "the label.",
    cel=attrgetter("ends_cel"),
    scope=Scope.WHOLE,
)
def job_ends(subject: Subject) -> str | None:
    whole = whole_of(subject.kind)
    return None if whole is None or whole.ends(subject.owner) else "has no bound on its total time"
