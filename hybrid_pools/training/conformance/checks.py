"""The checks: what is looked at, why it matters, and how to mend it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_URI_VARIABLE,
    RESUME_EXIT_CODE,
    STEPS_FILE_VARIABLE,
    STOP_STEP_VARIABLE,
)


class Outcome(StrEnum):
    """What a check came to."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_LOOKED_AT = "not looked at"


@dataclass(frozen=True)
class Check:
    """One thing that a trainer must do.

    Attributes:
        id: Stable id, documented in docs/conformance.md.
        title: What the trainer does when all is well.
        why: What happens to a trainer that does not.
        fix: What to do about it.
    """

    id: str
    title: str
    why: str
    fix: str


TRAINS = Check(
    "CONFORM-001",
    "makes steps, and says so",
    "Nothing else can be looked at before the trainer has made some steps.",
    f"Look at the end of its output. Use TrainingRun; a loop of its own appends each finished step to the file that {STEPS_FILE_VARIABLE} "
    f"names, and stops after the step that {STOP_STEP_VARIABLE} names.",
)
SAVES = Check(
    "CONFORM-002",
    "publishes a checkpoint when the interval is over",
    "A node can vanish without a notice. Then only what was published before is left.",
    f"Call after_step after each step, or publish every {CHECKPOINT_INTERVAL_VARIABLE} seconds to {CHECKPOINT_URI_VARIABLE}.",
)
IN_TIME = Check(
    "CONFORM-003",
    "ends in time after SIGTERM",
    "The node goes when the time is over, whatever the trainer does, and what is not published by then is lost.",
    "Look at TrainingRun.stopping in long stretches. Make saves smaller or faster, or ask for a pool with an extended window. Where a "
    "shell starts the trainer, start it with exec, because the signal reaches the first process only.",
)
EXIT_CODE = Check(
    "CONFORM-004",
    f"ends with exit code {RESUME_EXIT_CODE} when it was asked to stop",
    f"0 counts as done, so a stopped run is never started again. Anything else than {RESUME_EXIT_CODE} counts as an error of the trainer, "
    "and uses up its retries.",
    "Let TrainingRun end the process: do not catch its SystemExit, nor SIGTERM after it. A loop of its own ends with "
    f"{RESUME_EXIT_CODE} after SIGTERM, and with 0 only when training is done.",
)
PUBLISHES = Check(
    "CONFORM-005",
    "has published its last finished step before it ends",
    "The work since the last checkpoint is lost with each stop, although there was time to save it.",
    "After SIGTERM publish the step that was just done, and wait for it: Checkpoints.wait.",
)
NEXT_STEP = Check(
    "CONFORM-006",
    "goes on with the step after the checkpoint",
    "Steps that are counted anew begin schedules again and move the end away; steps left out are training that never happened.",
    "Begin the loop at run.step, and pass after_step the number of steps done.",
)
SAME_STATE = Check(
    "CONFORM-007",
    "is after a restart what it would have been without",
    "A run that forgets something trains worse after each stop, and nobody sees why.",
    "Save and load all that makes the next step what it is: optimizer, schedule, scaler, own random generators, position in the data. "
    "Where files of one state are never the same, or the hardware's numbers are not, pass --compare a program that compares checkpoints.",
)
FALLS_BACK = Check(
    "CONFORM-008",
    "falls back to the checkpoint before if the newest is damaged",
    "One damaged file ends the run until a person comes, or starts it again from nothing.",
    "Restore with TrainingRun or Checkpoints.restore, which choose the newest whole checkpoint, and keep at least two.",
)

CHECKS = (TRAINS, SAVES, IN_TIME, EXIT_CODE, PUBLISHES, NEXT_STEP, SAME_STATE, FALLS_BACK)
"""In the order in which they are looked at."""


@dataclass(frozen=True)
class Result:
    """What a check came to, and what was seen."""

    check: Check
    outcome: Outcome
    seen: str


@dataclass(frozen=True)
class Measured:
    """What a job description asks for, as it was on this machine. None: not seen.

    Attributes:
        stop_seconds: From SIGTERM to the end: the rest of a step, a save, and a copy to the local disk.
        step_seconds: For one step, while nothing was saved.
        checkpoint_bytes: Size of a checkpoint.
    """

    stop_seconds: float | None = None
    step_seconds: float | None = None
    checkpoint_bytes: int | None = None


@dataclass(frozen=True)
class Report:
    """What all checks came to.

    Attributes:
        results: One for each check, in order.
        grace_seconds: Time that the trainer had from SIGTERM to its end.
        measured: What else is good to know.
        output: The end of what the trainer printed in the last start that something was wrong with; empty if all was well.
    """

    results: tuple[Result, ...]
    grace_seconds: float
    measured: Measured
    output: str

    @property
    def passed(self) -> bool:
        """Whether every check was passed."""
        return all(result.outcome is Outcome.PASSED for result in self.results)


def complete(results: Sequence[Result]) -> tuple[Result, ...]:
    """A result for each check, in their order: those without one were not looked at, because of the last that failed before them."""
    known = {result.check: result for result in results}
    whole: list[Result] = []
    for check in CHECKS:
        failed = [result.check.id for result in whole if result.outcome is Outcome.FAILED]
        whole.append(known.get(check) or Result(check, Outcome.NOT_LOOKED_AT, f"because of {failed[-1]}" if failed else ""))
    return tuple(whole)
