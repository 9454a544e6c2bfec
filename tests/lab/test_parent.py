import os
import select
import signal
import subprocess
import sys

_PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-m", "lab.parent", "tests.lab.waits_for_ever", "argument"], stdout=subprocess.PIPE, text=True)
print(child.pid, child.stdout.readline().strip(), flush=True)
child.wait()
"""


class TestAPlugin:
    def test_gets_its_arguments_and_ends_when_its_parent_is_killed(self):
        with subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            child, said = parent.stdout.readline().split(maxsplit=1)
            assert said.strip() == "['argument']"
            descriptor = os.pidfd_open(int(child))
            parent.send_signal(signal.SIGKILL)
            assert select.select([descriptor], [], [], 10)[0]
            os.close(descriptor)
