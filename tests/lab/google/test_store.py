"""The store is safe for everybody who uses it at once."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lab.google.faults import busy
from lab.google.store import Record, Store
from tests.lab.google.conftest import NETWORK, kept

_WRITER = """
import sys
from pathlib import Path
from lab.google.store import Record, Store
store = Store(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    with store.transaction():
        count = store.get("counter")
        store.put(Record("t", "counter", {"count": (count.document["count"] if count else 0) + 1}))
        store.put(Record("t", f"{sys.argv[2]}-{number}", {"a": number}))
    if number == 5:
        print("begun", flush=True)
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name, str(count)], env=environment, stdout=subprocess.PIPE)


class TestTwoProcesses:
    def test_never_lose_a_change_of_each_other(self, store: Store):
        writers = [writer(store.path, name, 100) for name in ("one", "other")]
        for process in writers:
            process.communicate(timeout=60)
            assert process.returncode == 0
        assert kept(store, "counter").document == {"count": 200}
        assert len(store.resources()) == 201

    def test_leave_a_whole_store_when_one_is_killed_in_the_middle(self, store: Store):
        process = writer(store.path, "one", 1_000_000)
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        assert kept(store, "counter").document["count"] == len(store.resources()) - 1 > 5


class TestATransaction:
    def test_that_fails_changes_nothing(self, store: Store):
        with pytest.raises(ZeroDivisionError), store.transaction():
            store.put(Record(NETWORK, "n", {}))
            with store.transaction():
                store.put(Record(NETWORK, "m", {}))
            raise ZeroDivisionError
        assert store.resources() == []

    def test_of_one_thread_waits_for_that_of_another(self, store: Store):
        def count() -> None:
            for _ in range(50):
                with store.transaction():
                    record = store.get("counter")
                    store.put(Record("t", "counter", {"count": (record.document["count"] if record else 0) + 1}))

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert kept(store, "counter").document == {"count": 200}


class TestAChangeBehindPulumisBack:
    @pytest.mark.parametrize(
        ("path", "value", "expected"),
        [
            ("a.b", 2, {"a": {"b": 2}, "l": [{"x": 1}]}),
            ("l[0].x", 5, {"a": {"b": 1}, "l": [{"x": 5}]}),
            ("new.deep", "v", {"a": {"b": 1}, "l": [{"x": 1}], "new": {"deep": "v"}}),
            ("a", None, {"l": [{"x": 1}]}),
        ],
    )
    def test_sets_or_removes_one_property(self, store: Store, path, value, expected):
        store.put(Record("t", "r", {"a": {"b": 1}, "l": [{"x": 1}]}))
        store.change("r", path, value)
        assert kept(store, "r").document == expected

    def test_of_nothing_is_an_error(self, store: Store):
        with pytest.raises(KeyError, match="no resource missing"):
            store.change("missing", "a", 1)


class TestTheStore:
    def test_keeps_everything_when_it_is_opened_again(self, store: Store):
        record = Record(NETWORK, "n", {"a": [1, {"b": None}]}, "ERROR", "why", "urn", 12.5)
        store.put(record)
        store.log("create", NETWORK, "n", "urn", "done")
        store.add_fault(busy(times=3))
        again = Store(store.path)
        assert again.resources() == [record]
        assert again.operations() == store.operations()
        assert again.faults() == store.faults()
        again.close()

    def test_tells_types_with_one_identifier_apart(self, store: Store):
        store.put(Record("one", "same", {"a": 1}))
        store.put(Record("other", "same", {"a": 2}))
        assert kept(store, "same", "other").document == {"a": 2}
        assert [record.type for record in store.resources("one")] == ["one"]

    def test_knows_what_a_stack_asked_for_and_never_heard_of(self, store: Store):
        for id_, urn in (("a", "urn:pulumi:dev::p::t::a"), ("b", "urn:pulumi:dev::p::t::b"), ("c", "urn:pulumi:prod::p::t::c"), ("d", "")):
            store.put(Record("t", id_, {}, urn=urn))
        assert [record.id for record in store.unrecorded("urn:pulumi:dev::p::", {"a"})] == ["b"]
