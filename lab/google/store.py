"""Everything the stand-in remembers: one SQLite file with the resources of the cloud, a log of calls and the faults to make.

Several processes may use one file: each change is one transaction, readers never wait for writers (WAL), and a process that is killed
leaves the last committed state. Nothing in the file knows of Pulumi's state, just as Google does not; so drift, lost resources and
resources made by somebody else are made by changing the file.
"""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from lab.google.values import Document
from lab.paths import STORE_VARIABLE, default_lab

_TABLES = """
CREATE TABLE IF NOT EXISTS resources (
    type TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, status TEXT NOT NULL, message TEXT NOT NULL,
    urn TEXT NOT NULL, created REAL NOT NULL, PRIMARY KEY (type, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS operations (
    number INTEGER PRIMARY KEY, time REAL NOT NULL, method TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL,
    urn TEXT NOT NULL, outcome TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS faults (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, method TEXT NOT NULL,
    remaining INTEGER, seconds REAL NOT NULL, metric TEXT NOT NULL
);
"""

_WAIT = 30  # seconds that a writer waits for another process's transaction
RUNNING = "RUNNING"
ERROR = "ERROR"


@dataclass(frozen=True)
class Record:
    """One resource of the cloud.

    Attributes:
        type: Pulumi's type, `gcp:container/nodePool:NodePool`.
        id: The provider's identifier, `projects/p/locations/l/clusters/c/nodePools/n`.
        document: All properties, named as Pulumi names them.
        status: `RUNNING`, or `ERROR` for a node pool whose nodes could not be made.
        message: Why the status is `ERROR`.
        urn: The resource of the program that asked for it; empty for one made by somebody else. Kept for tests and for recovery:
            Google keeps no such thing.
        created: Seconds since the epoch.
    """

    type: str
    id: str
    document: Document
    status: str = RUNNING
    message: str = ""
    urn: str = ""
    created: float = field(default_factory=time.time)

    @property
    def name(self) -> str:
        """The last part of the identifier: the physical name of what has one."""
        return self.id.rpartition("/")[2]


@dataclass(frozen=True)
class Operation:
    """One call that was answered or refused: `outcome` is `done` or the refusal."""

    number: int
    time: float
    method: str
    type: str
    id: str
    urn: str
    outcome: str


@dataclass(frozen=True)
class Fault:
    """A fault to make on demand; `lab.google.faults` makes and explains them.

    Attributes:
        kind: One of `lab.google.faults.Kind`.
        type: A pattern of resource types; a last part such as `NodePool` is enough, `*` is any.
        name: A pattern of physical names, `*` is any.
        method: `create`, `update`, `delete`, `read` or `*`.
        remaining: How often it still happens; None is for ever.
        seconds: How long a slow operation takes.
        metric: The quota that is exceeded.
        number: Its number in the store.
    """

    kind: str
    type: str = "*"
    name: str = "*"
    method: str = "*"
    remaining: int | None = 1
    seconds: float = 0.0
    metric: str = ""
    number: int = 0


def store_path() -> FilePath:
    """The store that the environment names, or the one of this checkout's lab."""
    named = os.environ.get(STORE_VARIABLE)
    return FilePath(named) if named else default_lab().store


class Store:
    """The store in a file. Safe for several threads and several processes.

    Args:
        path: The SQLite file; made with its folder when it is not there.
    """

    def __init__(self, path: FilePath) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.executescript(_TABLES)

    def close(self) -> None:
        """Ends the use of the file."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside happens at once or, after an exception, not at all. May be nested."""
        with self._lock:
            if self._depth == 0:
                self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if self._depth == 0:
                    self._connection.execute("ROLLBACK")
                raise
            self._depth -= 1
            if self._depth == 0:
                self._connection.execute("COMMIT")

    def resources(self, type_: str | None = None) -> list[Record]:
        """All resources, or those of one type, the oldest first."""
        where, values = ("WHERE type = ?", (type_,)) if type_ else ("", ())
        rows = self._rows(f"SELECT * FROM resources {where} ORDER BY created, id", values)  # noqa: S608 - no value in the text
        return [_record(row) for row in rows]

    def get(self, id_: str, type_: str | None = None) -> Record | None:
        """The resource with this identifier; the type is needed only where two types share one."""
        found = [_record(row) for row in self._rows("SELECT * FROM resources WHERE id = ?", (id_,))]
        return next((record for record in found if type_ in (None, record.type)), None)

    def unrecorded(self, urns: str, known: Container[str]) -> list[Record]:
        """Resources that a program asked for and never heard of: orphans of lost answers.

        An engine that lives on forgets a create whose answer was lost, and the next update makes a second resource under a new random
        name; so these are to be adopted or deleted before it.

        Args:
            urns: How the URNs of the stack begin, `urn:pulumi:STACK::PROJECT::`.
            known: Identifiers in the stack's state.
        """
        return [record for record in self.resources() if record.urn.startswith(urns) and record.id not in known]

    def put(self, record: Record) -> None:
        """Makes a resource or replaces it, as somebody else would who uses the console."""
        with self.transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO resources VALUES (?, ?, ?, ?, ?, ?, ?)",
                (record.type, record.id, json.dumps(record.document), record.status, record.message, record.urn, record.created),
            )

    def change(self, id_: str, path: str, value: Any) -> None:
        """Makes drift: sets one property of a resource behind Pulumi's back.

        Args:
            id_: Identifier of the resource.
            path: Where, for example `autoscaling.totalMaxNodeCount` or `nodeConfig.taints[0].value`.
            value: The new value; None removes the property.

        Raises:
            KeyError: There is no such resource.
        """
        with self.transaction():
            record = self.get(id_)
            if record is None:
                raise KeyError(f"no resource {id_} in {self.path}")
            _set(record.document, path.replace("[", ".").replace("]", "").split("."), value)
            self.put(record)

    def delete(self, id_: str) -> None:
        """Removes a resource behind Pulumi's back. Nothing happens when it is not there."""
        with self.transaction():
            self._connection.execute("DELETE FROM resources WHERE id = ?", (id_,))

    def operations(self) -> list[Operation]:
        """Every call that was made, in order."""
        return [Operation(**row) for row in self._rows("SELECT * FROM operations ORDER BY number")]

    def log(self, method: str, type_: str, id_: str, urn: str, outcome: str = "done") -> None:
        """Notes a call."""
        with self.transaction():
            self._connection.execute(
                "INSERT INTO operations (time, method, type, id, urn, outcome) VALUES (?, ?, ?, ?, ?, ?)",
                (time.time(), method, type_, id_, urn, outcome),
            )

    def faults(self) -> list[Fault]:
        """The faults still to be made, in the order they were asked for."""
        return [Fault(**row) for row in self._rows("SELECT * FROM faults ORDER BY number")]

    def add_fault(self, fault: Fault) -> None:
        """Asks for a fault."""
        with self.transaction():
            self._connection.execute(
                "INSERT INTO faults (kind, type, name, method, remaining, seconds, metric) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (fault.kind, fault.type, fault.name, fault.method, fault.remaining, fault.seconds, fault.metric),
            )

    def use_fault(self, fault: Fault) -> None:
        """Counts one occurrence of a fault and forgets it after its last."""
        if fault.remaining is None:
            return
        with self.transaction():
            self._connection.execute("UPDATE faults SET remaining = remaining - 1 WHERE number = ?", (fault.number,))
            self._connection.execute("DELETE FROM faults WHERE remaining <= 0")

    def clear_faults(self) -> None:
        """No fault happens any more."""
        with self.transaction():
            self._connection.execute("DELETE FROM faults")

    def _rows(self, statement: str, values: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        with self._lock:
            return [dict(row) for row in self._connection.execute(statement, values)]


def _record(row: dict[str, Any]) -> Record:
    return Record(**{**row, "document": json.loads(row["document"])})


def _set(document: Any, parts: list[str], value: Any) -> None:
    *parents, last = parts
    for part in parents:
        document = document[int(part)] if isinstance(document, list) else document.setdefault(part, {})
    key: Any = int(last) if isinstance(document, list) else last
    if value is None:
        del document[key]
    else:
        document[key] = value
