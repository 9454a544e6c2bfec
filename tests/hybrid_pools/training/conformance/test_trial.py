"""Trainers that are in other ways than the examples."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hybrid_pools.training.conformance import Outcome, Report, Settings, trial

TRAINERS = Path(__file__).with_name("trainers.py")
SETTINGS = Settings(grace_seconds=60.0, patience_seconds=60.0)


@pytest.fixture
def test(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(TRAINERS.parents[4]))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")

    def test(name: str, settings: Settings = SETTINGS) -> Report:
        folder = tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return trial([sys.executable, str(TRAINERS), name], settings, folder, lambda _: None)

    return test


def seen(report: Report, check: str) -> tuple[Outcome, str]:
    return next((result.outcome, result.seen) for result in report.results if result.check.id == check)


def test_other_trainers(test, tmp_path):
    """At once, because they mostly wait."""
    by_program = Settings(60.0, patience_seconds=60.0, compare=("true",))
    not_equal = Settings(60.0, patience_seconds=60.0, compare=("sh", "-c", "echo they are not; exit 1"))
    with ThreadPoolExecutor(7) as pool:
        ten = pool.submit(test, "counts_by_ten")
        nothing = pool.submit(test, "seeds_nothing")
        never = pool.submit(test, "never_repeats")
        workers = pool.submit(test, "launches_workers")
        gang = pool.submit(test, "two_workers")
        overwrites = pool.submit(test, "overwrites_what_is_published")
        no_resume = pool.submit(test, "does_not_resume")
        equal = pool.submit(test, "never_repeats", by_program)
        unequal = pool.submit(test, "counts_by_ten", not_equal)
    assert ten.result().passed, "steps may be counted by more than one"
    measured = ten.result().measured
    assert measured.checkpoint_bytes
    assert measured.step_seconds
    assert measured.step_seconds >= 0.02, "a step sleeps so long"
    assert workers.result().passed, "the command may start others"
    assert gang.result().passed, "several workers may save together"
    assert seen(overwrites.result(), "CONFORM-005") == (Outcome.FAILED, "there were checkpoints, and none is whole")
    assert nothing.result().passed, "generators that nobody uses need no seed"
    assert "but for Python's random generator of worker-00000" in seen(nothing.result(), "CONFORM-007")[1]
    outcome, text = seen(never.result(), "CONFORM-007")
    assert outcome is Outcome.FAILED
    assert "make the trainer repeat itself, or pass --compare" in text
    assert equal.result().passed, "a program decides what is equal"
    outcome, text = seen(unequal.result(), "CONFORM-007")
    assert (outcome, "they are not" in text) == (Outcome.FAILED, True)
    assert seen(no_resume.result(), "CONFORM-006") == (Outcome.FAILED, "it ended with 1 before its first step")
    assert "I did not expect this" in no_resume.result().output
    assert seen(no_resume.result(), "CONFORM-008") == (Outcome.NOT_LOOKED_AT, "because of CONFORM-006")


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("print('no GPU here'); raise SystemExit(3)", "it ended with 3 before its first step"),
        ("import time; time.sleep(600)", "nothing happened for 1 s before its first step"),
        ("while True: print('x' * 1000)", "nothing happened for 1 s before its first step"),
        (
            "import os; open(os.environ['HYBRID_POOLS_STEPS_FILE'], 'w').write('1\\n2\\n3\\n')",
            "it ended with 0 after step 3, before it could be asked to stop",
        ),
    ],
    ids=["ends at once", "hangs", "prints without end", "is done too soon"],
)
def test_one_that_does_not_train_is_told_so(program, text, tmp_path):
    report = trial([sys.executable, "-c", program], Settings(1.0, patience_seconds=1.0), tmp_path, lambda _: None)
    assert seen(report, "CONFORM-001") == (Outcome.FAILED, text)
    assert [result.outcome for result in report.results[1:]] == [Outcome.NOT_LOOKED_AT] * 7
    if "GPU" in program:
        assert report.output == "no GPU here"
