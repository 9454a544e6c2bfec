"""The workload rules over what a program declares: the same that the admission policies of a cluster decide by.

Apart from the rule that uses it, because it loads the whole model; the pack's start is part of every preview.
"""

from collections.abc import Iterator, Mapping, Sequence

from hybrid_pools.blueprint.model.queues import Admission, TeamAdmission
from hybrid_pools.blueprint.vocabulary import (
    GUARDED_TAINTS,
    SCHEDULER_NAMES,
    SPOT_CLASSES,
    TRAINING_SERVICE_ACCOUNT,
    AdmissionMode,
    BucketKind,
    local_queue,
    priority_class,
    team_folder,
    team_namespace,
)
from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.reading import NotReadable
from hybrid_pools.workload.rule import Verdict as Judgement
from policies.reading import NotUnderstood, Value, plain
from policies.rule import Finding, NotKnownYet, Verdict

_MARGIN_SECONDS = 5
_TEAM_PREFIX = team_namespace("")


def judge_workload(declared: Value, grace_seconds: int, exempt_namespaces: Sequence[str]) -> Iterator[Verdict]:
    """What the workload rules find in an object.

    Raises:
        NotReadable: It is no object, or nothing of it is known yet.
    """
    manifest = plain(declared)
    if not isinstance(manifest, Mapping):
        declared.keys()
        raise NotUnderstood(declared.path, manifest, "an object")
    for found in judge(manifest, _admission(declared.at("metadata.namespace"), grace_seconds, exempt_namespaces)):
        match found.verdict:
            case Judgement.UNKNOWN:
                yield NotKnownYet(found.path)
            case Judgement.NOT_UNDERSTOOD:
                yield Finding(found.path, f"not understood: {found.detail}")
            case Judgement.VIOLATED:
                yield Finding("", found.message)


def _admission(namespace: Value, grace_seconds: int, exempt_namespaces: Sequence[str]) -> Admission:
    """What a cluster would decide by, as far as a program shows it: settings, and names that follow from the team's."""
    return Admission(
        mode=AdmissionMode.DENY,
        exempt_namespaces=tuple(exempt_namespaces),
        pod_creators=(),
        schedulers=(),
        scheduler_names=SCHEDULER_NAMES,
        platform_groups=(),
        guarded_taints=GUARDED_TAINTS,
        grace_seconds={"spot": grace_seconds},
        save_margin_seconds=_MARGIN_SECONDS,
        spot_queues=tuple(local_queue(one) for one in SPOT_CLASSES),
        spot_priority_classes=tuple(priority_class(one) for one in SPOT_CLASSES),
        teams=tuple(_team(namespace)),
    )


def _team(namespace: Value) -> Iterator[TeamAdmission]:
    """The team whose namespace it is. Whether it may use spot only its cluster knows, and refuses it there."""
    try:
        name = namespace.text() or ""
    except NotReadable:
        return  # judging says so
    if name.startswith(_TEAM_PREFIX) and name != _TEAM_PREFIX:
        team = name.removeprefix(_TEAM_PREFIX)
        prefix = f"gs://*/{BucketKind.CHECKPOINTS.prefix}{team_folder(team)}"
        yield TeamAdmission(team, name, TRAINING_SERVICE_ACCOUNT, prefix, spot=True)
