"""The example trainer passes, and each with a mistake fails by it and by nothing else."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hybrid_pools.training.conformance import Outcome, Report, Settings, trial
from hybrid_pools.training.conformance.checks import CHECKS

ROOT = Path(__file__).parents[4]
AT_ONCE = 6  # they mostly wait
FAILS = {
    "dies_of_sigterm": {
        "CONFORM-004": "was ended by SIGTERM (exit code 143)",
        "CONFORM-005": "its newest checkpoint is of step",
    },
    "exits_zero": {"CONFORM-004": "ended with 0"},
    "forgets_the_optimizer": {"CONFORM-007": "adam-first.npz differs"},
    "forgets_the_position": {"CONFORM-007": "worker-00000 is at"},
    "ignores_sigterm": {"CONFORM-003": "it went on training for"},
    "keeps_one": {"CONFORM-008": "only one checkpoint is kept"},
    "saves_at_its_end_only": {"CONFORM-002": "nothing was published in"},
    "saves_in_place": {"CONFORM-002": "leaves half of it and nothing of the one before: adam-first.npz"},
    "starts_from_step_zero": {"CONFORM-006": "and the next was 1, not"},
    "too_slow": {"CONFORM-003": "it was still busy with a step or a save and was killed 2 s after SIGTERM"},
}
GRACE_SECONDS = {"ignores_sigterm": 2.0, "too_slow": 2.0}
PATIENCE_SECONDS = {"saves_at_its_end_only": 12.0, "saves_in_place": 12.0}  # of which none may be needed for the first step


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")


def test_every_broken_trainer_is_told_its_mistake_and_the_example_passes(tmp_path):
    names = {file.stem for file in (ROOT / "examples" / "broken").glob("*.py")}
    assert names == FAILS.keys()

    def test(name: str) -> Report:
        (tmp_path / name).mkdir()
        module = f"examples.broken.{name}" if name in FAILS else "examples.trainer"
        settings = Settings(GRACE_SECONDS.get(name, 60.0), patience_seconds=PATIENCE_SECONDS.get(name, 60.0))
        return trial([sys.executable, "-m", module], settings, tmp_path / name, lambda _: None)

    # The longest first, so that all end together.
    order = sorted(["trainer", *FAILS], key=lambda name: -PATIENCE_SECONDS.get(name, 0.0))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        reports = dict(zip(order, pool.map(test, order), strict=True))
    assert reports["trainer"].passed, reports["trainer"]
    for name, reasons in FAILS.items():
        failed = {result.check.id: result.seen for result in reports[name].results if result.outcome is Outcome.FAILED}
        assert failed.keys() == reasons.keys(), (name, failed, reports[name].output)
        for check, reason in reasons.items():
            assert reason in failed[check], (name, failed)
        assert not reports[name].passed


def test_the_guide_says_what_each_broken_trainer_fails() -> None:
    guide = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    told = {name: set(checks.split(", ")) for name, checks in re.findall(r"^\| `(\w+)`: .* \| (CONFORM.*) \|$", guide, re.MULTILINE)}
    assert told == {name: set(reasons) for name, reasons in FAILS.items()}
    assert re.findall(r"^\| (CONFORM-\d+) \|", guide, re.MULTILINE) == [check.id for check in CHECKS]
