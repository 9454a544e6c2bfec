"""What the rules decide by, as flat text: the data of the ConfigMap that the admission policies read. Lists have one element a line.

A policy must not need a change of its own when a team or a pool is added, so nothing of an environment stands in the CEL.
"""

import re
from collections.abc import Iterable

from hybrid_pools.blueprint.model.queues import Admission, TeamAdmission
from hybrid_pools.blueprint.vocabulary import FLAVOR_LABEL

POD_CREATORS = "pod-creators"
JOB_CREATORS = "job-creators"
SCHEDULERS = "schedulers"
SCHEDULER_NAMES = "scheduler-names"
GUARDED_TAINTS = "guarded-taints"
SPOT_QUEUES = "spot-queues"
SPOT_PRIORITY_CLASSES = "spot-priority-classes"
SAVE_MARGIN = "save-margin-seconds"
FLAVORS = "flavors"
LEAST_GRACE = "grace-seconds"
GRACE = "grace-seconds."
"""Followed by the name of a flavor."""

FLAVOR_LABELS = "labels."
"""Followed by the name of a flavor."""

TEAM_ACCOUNT = "account."
"""Followed by the namespace of a team, as the next two."""

TEAM_PREFIX = "checkpoint-prefix."
TEAM_SPOT = "spot."

_SEGMENT = "[A-Za-z0-9_-][A-Za-z0-9._=@+-]*"
ADDRESS = f"gs://[a-z0-9][a-z0-9._-]*/({_SEGMENT}/)*{_SEGMENT}/?"
"""Regular expression of a checkpoint address, the same in Python and in RE2. Plain segments only: `..` and escapes would lead out of it
wherever a bucket is mounted as a folder."""

_ANY_BUCKET = "gs://*"


def parameters(admission: Admission) -> dict[str, str]:
    """The data of the ConfigMap."""
    return {
        POD_CREATORS: _lines(admission.pod_creators),
        JOB_CREATORS: _lines(admission.job_creators),
        SCHEDULERS: _lines(admission.schedulers),
        SCHEDULER_NAMES: _lines(admission.scheduler_names),
        GUARDED_TAINTS: _lines(map(str, admission.guarded_taints)),
        SPOT_QUEUES: _lines(admission.spot_queues),
        SPOT_PRIORITY_CLASSES: _lines(admission.spot_priority_classes),
        SAVE_MARGIN: str(admission.save_margin_seconds),
        FLAVORS: _lines(admission.grace_seconds),
        LEAST_GRACE: str(min(admission.grace_seconds.values(), default=0)),
        **{f"{GRACE}{flavor}": str(seconds) for flavor, seconds in admission.grace_seconds.items()},
        **{
            f"{FLAVOR_LABELS}{flavor}": _lines(f"{key}={value}" for key, value in flavor_labels(admission, flavor).items())
            for flavor in admission.grace_seconds
        },
        **{key: value for team in admission.teams for key, value in _team(team).items()},
    }


def flavor_labels(admission: Admission, flavor: str) -> dict[str, str]:
    """Labels that every node of a guarded flavor has. A pod that selects another value of one of them cannot get there."""
    return {FLAVOR_LABEL: flavor, **admission.flavor_labels.get(flavor, {})}


def lies_below(address: str, team: TeamAdmission) -> bool:
    """Whether a checkpoint address lies below the prefix of a team, and is not the prefix itself."""
    if not re.fullmatch(ADDRESS, address):
        return False
    prefix = _prefix(team)
    compared = address if prefix.startswith("gs://") else address[address.index("/", len("gs://")) :]
    return compared.startswith(prefix) and compared != prefix


def lies_below_cel(address: str, prefix: str) -> str:
    """The same as CEL, for expressions of an address and of a prefix as it stands in the parameters; empty where there is no team."""
    compared = f"({prefix}.startsWith('gs://') ? {address} : {address}.substring({address}.indexOf('/', 5)))"
    # The expression is a constant, which the API server compiles once; one from the parameters it would compile for every pod.
    return f"{prefix} != '' && {address}.matches('^({ADDRESS})$') && {compared}.startsWith({prefix}) && {compared} != {prefix}"


def _prefix(team: TeamAdmission) -> str:
    """The prefix; from its first folder on where the bucket is not known."""
    return team.checkpoint_prefix.removeprefix(_ANY_BUCKET)


def _team(team: TeamAdmission) -> dict[str, str]:
    return {
        f"{TEAM_ACCOUNT}{team.namespace}": team.service_account,
        f"{TEAM_PREFIX}{team.namespace}": _prefix(team),
        f"{TEAM_SPOT}{team.namespace}": "true" if team.spot else "false",
    }


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(texts)
