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

_BECOMES = """
import os
from lab.parent import end_program_with_parent

end_program_with_parent()
os.execv("/bin/sh", ["sh", "-c", "echo here; exec sleep 100"])
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


class TestAProgramThatAPluginBecomes:
    def test_ends_when_its_parent_is_killed(self):
        script = _PARENT.replace('"-m", "lab.parent", "tests.lab.waits_for_ever", "argument"', '"-c", _BECOMES').replace(
            "import subprocess, sys", f"import subprocess, sys\n_BECOMES = {_BECOMES!r}"
        )
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            child, said = parent.stdout.readline().split(maxsplit=1)
            assert said.strip() == "here"
            descriptor = os.pidfd_open(int(child))
            parent.send_signal(signal.SIGKILL)
            assert select.select([descriptor], [], [], 10)[0]
            os.close(descriptor)

    def test_holds_its_output_alone(self):
        ends = _BECOMES.replace("sleep 100", "true")
        assert subprocess.run([sys.executable, "-c", ends], capture_output=True, text=True, check=True, timeout=10).stdout == "here\n"
