"""The tutorial works as it is written: its commands, one after the other, in a checkout of their own."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.cluster.control_plane import ControlPlane
from lab.paths import CHECKOUT
from tests.cluster.conftest import running

pytestmark = pytest.mark.cluster

TUTORIAL = CHECKOUT / "docs" / "tutorial.md"
LIMIT = 600.0
"""Seconds after which something hangs; it takes two minutes."""


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Path]:
    """A copy of the project, whose lab is not the user's."""
    copy = tmp_path / "checkout"
    shutil.copytree(CHECKOUT, copy, ignore=lambda folder, names: [name for name in names if _stays(Path(folder), name)], symlinks=True)
    own, shared = copy / ".venv", CHECKOUT / ".venv"
    own.mkdir()
    for name in ("bin", "lib", "pyvenv.cfg"):
        (own / name).symlink_to(shared / name)
    # Newer than all that `make` compares it with: else it would install the copy into the environment that is used here.
    (own / "ready").touch()
    with running(ControlPlane(copy / ".lab"), start=False):
        yield copy


def _stays(folder: Path, name: str) -> bool:
    return name == "__pycache__" or (folder == CHECKOUT and (name.startswith(".") or name in ("build", "dist", "tests")))


def test_a_new_user_s_run_is_preempted_and_goes_on(checkout: Path) -> None:
    commands = re.findall(r"^```console\n(.*?)^```", TUTORIAL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    script = "\n".join(["set -euxo pipefail", *commands])
    with subprocess.Popen(
        ["bash", "-c", script], cwd=checkout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as shell:
        try:
            output, _ = shell.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            pytest.fail(f"the tutorial hangs:\n{shell.communicate()[0]}")
    assert shell.returncode == 0, output
    [resumed] = re.findall(r"Resumed from step (\d+)\.", output)
    [(end, _)] = re.findall(r"^step (\d+): loss (\d\.\d+)$", output, re.MULTILINE)
    assert 0 < int(resumed) < int(end) == 400
