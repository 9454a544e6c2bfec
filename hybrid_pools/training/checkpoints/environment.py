"""What the manifest of a run tells its trainer through environment variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ATTEMPT_VARIABLE,
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_LOCAL_VARIABLE,
    CHECKPOINT_URI_VARIABLE,
    RANK_VARIABLE,
    STEPS_FILE_VARIABLE,
    STOP_STEP_VARIABLE,
    WORKERS_VARIABLE,
)
from hybrid_pools.training.checkpoints.errors import AddressError
from hybrid_pools.training.checkpoints.watch import Watch


@dataclass(frozen=True)
class RunEnvironment:
    """A run as its environment describes it.

    Attributes:
        uri: Where its checkpoints lie.
        attempt: Id of this start; None where the environment has none.
        rank: Number of this worker.
        workers: How many there are.
        local: Folder of the fast tier; None where the environment names none.
        interval_seconds: Time between two saves; None where the environment has none.
        watch: What somebody who tests the trainer asks of it.
    """

    uri: str
    attempt: str | None
    rank: int
    workers: int
    local: Path | None
    interval_seconds: float | None
    watch: Watch


def read_environment(environment: Mapping[str, str]) -> RunEnvironment:
    """Raises `AddressError` for what is missing or malformed."""
    if not environment.get(CHECKPOINT_URI_VARIABLE):
        raise AddressError(
            f"{CHECKPOINT_URI_VARIABLE} is not set. The manifest of the run sets it; outside the cluster, set it to gs://BUCKET/runs/TEAM/RUN."
        )
    workers = _whole(environment, WORKERS_VARIABLE, 1, at_least=1)
    rank = _whole(environment, RANK_VARIABLE, 0, at_least=0)
    if rank >= workers:
        raise AddressError(f"{RANK_VARIABLE} is {rank} and {WORKERS_VARIABLE} is {workers}: ranks count from 0 to {workers - 1}.")
    local, steps_file = environment.get(CHECKPOINT_LOCAL_VARIABLE), environment.get(STEPS_FILE_VARIABLE)
    return RunEnvironment(
        uri=environment[CHECKPOINT_URI_VARIABLE],
        attempt=environment.get(CHECKPOINT_ATTEMPT_VARIABLE) or None,
        rank=rank,
        workers=workers,
        local=Path(local) if local else None,
        interval_seconds=float(_whole(environment, CHECKPOINT_INTERVAL_VARIABLE, 0, at_least=1))
        if CHECKPOINT_INTERVAL_VARIABLE in environment
        else None,
        watch=Watch(
            steps_file=Path(steps_file) if steps_file else None,
            stop_step=_whole(environment, STOP_STEP_VARIABLE, 0, at_least=1) if STOP_STEP_VARIABLE in environment else None,
        ),
    )


def _whole(environment: Mapping[str, str], name: str, default: int, *, at_least: int) -> int:
    text = environment.get(name, str(default))
    if not text.isdecimal() or int(text) < at_least:
        raise AddressError(f"{name} is {text!r}: it is a whole number, at least {at_least}.")
    return int(text)
