"""The command as a process: ended from outside, it leaves nothing running."""

import signal
import subprocess
import sys
import time
from pathlib import Path

_LIMIT = 60.0  # seconds


def test_ended_from_outside_it_ends_the_trainer(tmp_path):
    trainer = f"import os, pathlib, time; pathlib.Path({str(tmp_path / 'pid')!r}).write_text(f'{{os.getpid()}} '); time.sleep(600)"
    command = [sys.executable, "-c", "from hybrid_pools.cli import app; app()", "conform", "--", sys.executable, "-c", trainer]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        give_up = time.monotonic() + _LIMIT
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().endswith(" "):
            assert time.monotonic() < give_up
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(_LIMIT) == 128 + signal.SIGTERM
        assert process.stderr
        assert process.stderr.read().startswith("Start 1 of 4")
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()
