"""What pods leave on this machine: processes to be ended and folders to be removed, whichever kubelet began them."""

import json
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from lab.kubelet.containers import Run, kill_all, runs_on_disk

_PATIENCE: Final = 10.0  # seconds for processes to be gone after they were killed
_TICK: Final = 0.05
_KEPT_LOGS: Final = 200  # pods whose logs are kept


def end_pods(pods: Iterable[Path]) -> None:
    """Kills everything that runs in these pods' folders, and waits until it is gone."""
    runs = [run for pod in pods for run in _runs(pod)]
    give_up = time.monotonic() + _PATIENCE
    while not kill_all(runs) and time.monotonic() < give_up:
        time.sleep(_TICK)


def remove_pod(pod: Path) -> None:
    """Ends a pod and removes its folder."""
    end_pods((pod,))
    shutil.rmtree(pod, ignore_errors=True)


def whose(pod: Path) -> dict[str, Any] | None:
    """Namespace, name and uid of the pod that a folder belongs to; None while it is being made."""
    try:
        content: dict[str, Any] = json.loads((pod / "pod.json").read_text())
    except FileNotFoundError:
        return None
    return content


def prune_logs(logs: Path) -> None:
    """Removes the logs of all pods but the latest ones."""
    for old in sorted(logs.iterdir(), key=lambda path: path.stat().st_mtime)[:-_KEPT_LOGS]:
        shutil.rmtree(old, ignore_errors=True)


def _runs(pod: Path) -> list[Run]:
    containers = (pod / "containers").glob("*")
    found = [run for container in containers for run in runs_on_disk(container)]
    hooks = [Run(hook, 0) for hook in (pod / "containers").glob("*/*/pre-stop")]
    return [*found, *hooks]
