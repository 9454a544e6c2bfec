import os
import socket

from lab.recovery import held_by_living


class TestALock:
    def test_of_a_running_process_counts(self):
        assert held_by_living({"hostname": socket.gethostname(), "pid": os.getpid()})

    def test_of_a_process_that_ended_does_not(self):
        ended = os.posix_spawn("/bin/true", ["true"], {})
        os.waitpid(ended, 0)
        assert not held_by_living({"hostname": socket.gethostname(), "pid": ended})

    def test_of_another_machine_counts_because_it_cannot_be_asked(self):
        assert held_by_living({"hostname": "elsewhere.invalid", "pid": 1})
