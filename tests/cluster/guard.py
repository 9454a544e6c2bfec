"""Stops a test's control plane when the process of the test is gone, however that happened: `python -m tests.cluster.guard DIRECTORY`.

Its standard input is a pipe from that process, which the system closes at the end.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.stdin.read()
    # Only now: it takes the processor from what the test starts.
    from lab.cluster.control_plane import ControlPlane

    ControlPlane(Path(sys.argv[1])).stop()
