"""The trial: a trainer is started four times, asked to stop, started again, and given a damaged checkpoint.

1. It trains until it has published, is sent SIGTERM, and has its time to end.
2. Another run of the same trainer goes on undisturbed to a step somewhat later.
3. The stopped one is started again and goes to the same step. Both must then be the same.
4. Its newest checkpoint is damaged, and it is started once more.

Each start has an empty fast tier, because after a loss it is on another node.
"""

import secrets
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ATTEMPT_VARIABLE,
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_LOCAL_VARIABLE,
    CHECKPOINT_URI_VARIABLE,
    RESUME_EXIT_CODE,
    STOP_STEP_VARIABLE,
)
from hybrid_pools.training.checkpoints.layout import Name
from hybrid_pools.training.conformance import checks
from hybrid_pools.training.conformance.checks import Check, Measured, Outcome, Report, Result, complete
from hybrid_pools.training.conformance.equality import differences, generator_differences, program_differences
from hybrid_pools.training.conformance.place import Place
from hybrid_pools.training.conformance.start import Start, started

_SHORT, _LONG = 2, 24 * 3600  # seconds between two saves: soon, and not before the end
_SHOWN = 6  # differences that are named
_SHELL_SIGNALS = 128  # a shell adds the number of the signal to it


@dataclass(frozen=True)
class Settings:
    """How a trainer is tested.

    Attributes:
        grace_seconds: Time from SIGTERM to the end.
        steps: Steps that it makes before it is stopped, and after.
        patience_seconds: How long nothing may happen: no step, no first checkpoint, no end.
        compare: Program that compares two directories with checkpoints and ends with 0 if they are equal; bytes are compared without one.
    """

    grace_seconds: float
    steps: int = 3
    patience_seconds: float = 120.0
    compare: tuple[str, ...] = ()


def trial(command: Sequence[str], settings: Settings, scratch: Path, tell: Callable[[str], None]) -> Report:
    """Tests a trainer. Raises `CommandError` if it cannot be started at all.

    Args:
        command: Starts one worker, or one that starts others.
        settings: How it is tested.
        scratch: Empty folder with room for some checkpoints.
        tell: Is told what is being done, for people who wait.
    """
    running = _Trial(command, settings, scratch, tell)
    try:
        interrupted, last = running.interrupted()
        running.resumed(interrupted, last)
    except _OverError:
        pass
    return Report(complete(running.results), settings.grace_seconds, running.measured, running.output)


class _OverError(Exception):
    """Nothing more can be looked at."""


@dataclass
class _Trial:
    command: Sequence[str]
    settings: Settings
    scratch: Path
    tell: Callable[[str], None]
    results: list[Result] = field(default_factory=list)
    measured: Measured = field(default_factory=Measured)
    output: str = ""

    def interrupted(self) -> tuple[Place, int]:
        """The start that is stopped. Gives the last step that it has made."""
        place = self._place("interrupted")
        with self._start(place, _SHORT, "Start 1 of 4: it trains, publishes, and is asked to stop.") as start:
            self._look_at_training(start, place)
            self._stop(start)
        self._look_at_end(start)
        last = start.steps[-1]
        self._look_at_publication(start, place, last)
        return place, last

    def resumed(self, interrupted: Place, last: int) -> None:
        """The starts after it."""
        newest = interrupted.published()[0]
        stop_step = max(last, newest.step) + self.settings.steps
        whole = self._place("uninterrupted")
        with self._start(whole, _LONG, "Start 2 of 4: another run, which nobody interrupts.", stop_step) as start:
            end = self._end(start, whole, checks.SAME_STATE, stop_step)
            steps = start.steps
            self.measured = replace(self.measured, step_seconds=start.step_seconds)
        with self._start(interrupted, _LONG, "Start 3 of 4: the stopped run goes on.", stop_step) as start:
            self._look_at_first_step(start, newest.step, _after(steps, newest.step))
            self._end(start, interrupted, checks.SAME_STATE, stop_step)
        self._compare(whole, interrupted, end, stop_step)
        self._look_at_fallback(interrupted, steps)

    def _look_at_training(self, start: Start, place: Place) -> None:
        begin = time.monotonic()
        if not start.wait(lambda: len(start.steps) >= self.settings.steps, self.settings.patience_seconds, while_it_steps=True):
            self._fail(checks.TRAINS, self._stuck(start), start)
            raise _OverError
        saved = start.wait(place.published, self.settings.patience_seconds)
        # At least one step that is not saved yet, so that the stop has something to save.
        known = max((name.step for name in place.published()), default=0)
        if start.exit_code is not None or not start.wait(lambda: start.steps[-1] > known, self.settings.patience_seconds):
            self._fail(checks.TRAINS, f"{self._stuck(start)}, before it could be asked to stop", start)
            raise _OverError
        seconds = time.monotonic() - begin
        self._pass(checks.TRAINS, f"{len(start.steps)} steps in {seconds:.1f} s")
        if saved:
            self._pass(checks.SAVES, f"step {known} was published")
        else:
            self._fail(checks.SAVES, f"nothing was published in {seconds:.0f} s, with an interval of {_SHORT} s{_written(place)}", start)

    def _stop(self, start: Start) -> None:
        before, begin = len(start.steps), time.monotonic()
        start.stop()
        if start.wait(lambda: start.exit_code is not None, self.settings.grace_seconds):
            seconds = time.monotonic() - begin
            self.measured = replace(self.measured, stop_seconds=seconds)
            self._pass(checks.IN_TIME, f"{seconds:.1f} s of {self.settings.grace_seconds:g} s")
            return
        made = len(start.steps) - before
        did = f"went on training for {made} steps" if made > 1 else "was still busy with a step or a save"
        self._fail(checks.IN_TIME, f"it {did} and was killed {self.settings.grace_seconds:g} s after SIGTERM", start)
        raise _OverError

    def _look_at_end(self, start: Start) -> None:
        code = start.exit_code
        if code == RESUME_EXIT_CODE:
            self._pass(checks.EXIT_CODE, f"{code}")
        else:
            self._fail(checks.EXIT_CODE, _ended(code), start)

    def _look_at_publication(self, start: Start, place: Place, last: int) -> None:
        newest = place.newest()
        if newest is None:
            if all(result.check != checks.SAVES or result.outcome is Outcome.PASSED for result in self.results):
                self._fail(checks.PUBLISHES, f"there were checkpoints, and none is whole{_written(place)}", start)
            elif not place.strangers():
                self._fail(checks.PUBLISHES, "nothing was published", start)
            raise _OverError
        self.measured = replace(self.measured, checkpoint_bytes=newest.manifest.size)
        if newest.manifest.step == last:
            self._pass(checks.PUBLISHES, f"step {last}")
        else:
            self._fail(checks.PUBLISHES, f"its last step was {last}, its newest checkpoint is of step {newest.manifest.step}", start)

    def _look_at_first_step(self, start: Start, saved: int, expected: int) -> None:
        start.wait(lambda: start.steps, self.settings.patience_seconds)
        if not start.steps:
            self._fail(checks.NEXT_STEP, self._stuck(start), start)
            raise _OverError
        if start.steps[0] != expected:
            self._fail(checks.NEXT_STEP, f"the checkpoint is of step {saved}, and the next was {start.steps[0]}, not {expected}", start)
            raise _OverError
        self._pass(checks.NEXT_STEP, f"step {expected} after {saved}")

    def _end(self, start: Start, place: Place, check: Check, stop_step: int) -> int:
        """Lets a start go on to its last step. Gives the step of the checkpoint that it leaves."""
        ended = start.wait(lambda: start.exit_code is not None, self.settings.patience_seconds, while_it_steps=True)
        newest = place.newest()
        if ended and newest and newest.manifest.step >= stop_step:
            return newest.manifest.step
        left = f"its newest checkpoint is of step {newest.manifest.step}" if newest else "it has published nothing"
        self._fail(check, f"asked to stop after step {stop_step}, {self._stuck(start)}, and {left}", start)
        raise _OverError

    def _compare(self, whole: Place, resumed: Place, step: int, stop_step: int) -> None:
        expected, there = whole.bring(self.scratch / "expected", step), resumed.bring(self.scratch / "found", step)
        found, generators = self._differences(expected, there), self._generators(expected, there)
        if not found and not generators:
            self._pass(checks.SAME_STATE, f"equal at step {step}")
            return
        again = self._place("repeated")
        with self._start(again, _LONG, "They differ. One more start shows whether the trainer repeats itself.", stop_step) as start:
            self._end(start, again, checks.SAME_STATE, stop_step)
        repeated = again.bring(self.scratch / "repeated-files", step)
        # One that is in another state in each run was never seeded; nothing was forgotten.
        forgotten = sorted(generators - self._generators(expected, repeated))
        if not found and not forgotten:
            self._pass(checks.SAME_STATE, f"equal at step {step}, but for {' and '.join(sorted(generators))}, which no run seeds")
            return
        seen = f"at step {step}: {'; '.join((found + [f'{generator} is elsewhere' for generator in forgotten])[:_SHOWN])}"
        if self._differences(expected, repeated):
            seen += ". Two runs that nobody interrupts differ as well: make the trainer repeat itself, or pass --compare"
        self._fail(checks.SAME_STATE, seen)

    def _differences(self, one: Path, other: Path) -> list[str]:
        return list(program_differences(self.settings.compare, one, other) if self.settings.compare else differences(one, other))

    def _generators(self, one: Path, other: Path) -> set[str]:
        return set() if self.settings.compare else set(generator_differences(one, other))

    def _look_at_fallback(self, place: Place, steps: Sequence[int]) -> None:
        newest, names = place.newest(), place.published()
        if newest is None or len(names) < 2:
            self._fail(checks.FALLS_BACK, f"only one checkpoint is kept, that of step {names[0].step if names else '?'}")
            return
        cut = place.damage(newest)
        expected = _after(steps, names[1].step)
        with self._start(place, _LONG, "Start 4 of 4: its newest checkpoint is damaged.") as start:
            start.wait(lambda: start.steps, self.settings.patience_seconds)
            self._judge_fallback(start, place, names[0], f"{cut} of step {names[0].step} was cut", expected)

    def _judge_fallback(self, start: Start, place: Place, damaged: Name, done: str, expected: int) -> None:
        if not start.steps:
            self._fail(checks.FALLS_BACK, f"{done}, and {self._stuck(start)}", start)
        elif start.steps[0] != expected:
            self._fail(checks.FALLS_BACK, f"{done}, and the next step was {start.steps[0]}, not {expected}", start)
        elif not place.has_put_aside(damaged):
            self._fail(checks.FALLS_BACK, f"{done}, and it was left where it was, for the next start to stumble over", start)
        else:
            self._pass(checks.FALLS_BACK, f"{done}, it was put aside, and the next step was {expected}")

    def _stuck(self, start: Start) -> str:
        made = f"after step {start.steps[-1]}" if start.steps else "before its first step"
        if start.exit_code is not None:
            return f"it {_ended(start.exit_code)} {made}"
        return f"nothing happened for {self.settings.patience_seconds:g} s {made}"

    def _place(self, name: str) -> Place:
        folder = self.scratch / name
        folder.mkdir()
        return Place(folder)

    @contextmanager
    def _start(self, place: Place, interval: int, purpose: str, stop_step: int | None = None) -> Iterator[Start]:
        self.tell(purpose)
        fresh = secrets.token_hex(4)
        variables = {
            CHECKPOINT_URI_VARIABLE: place.uri,
            CHECKPOINT_INTERVAL_VARIABLE: str(interval),
            CHECKPOINT_LOCAL_VARIABLE: str(self.scratch / f"local-{fresh}"),
            CHECKPOINT_ATTEMPT_VARIABLE: fresh,
            **({STOP_STEP_VARIABLE: str(stop_step)} if stop_step else {}),
        }
        with started(self.command, variables, self.scratch / f"steps-{fresh}") as start:
            yield start

    def _pass(self, check: Check, seen: str) -> None:
        self.results.append(Result(check, Outcome.PASSED, seen))

    def _fail(self, check: Check, seen: str, start: Start | None = None) -> None:
        self.results.append(Result(check, Outcome.FAILED, seen))
        if start:
            self.output = start.output


def _after(steps: Sequence[int], step: int) -> int:
    """The step that follows; trainers may count by more than one."""
    return next((later for later in steps if later > step), step + 1)


def _ended(code: int | None) -> str:
    number = -code if code is not None and code < 0 else (code or 0) - _SHELL_SIGNALS
    if number in set(signal.Signals):
        return f"was ended by {signal.Signals(number).name} (exit code {_SHELL_SIGNALS + number})"
    return f"ended with {code}"


def _written(place: Place) -> str:
    strangers = place.strangers()
    if not strangers:
        return ""
    return f". It writes in place, so a stop meanwhile leaves half of it and nothing of the one before: {', '.join(strangers[:_SHOWN])}"
