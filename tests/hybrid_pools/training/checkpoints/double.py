"""A bucket in memory, and a scheduler that decides before each operation whose turn it is and what becomes of it."""

import base64
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from google_crc32c import Checksum

from hybrid_pools.training.checkpoints.bucket import ABSENT, ConditionError, Contents, GoneError, Stored
from hybrid_pools.training.checkpoints.progress import Progress

_Result = TypeVar("_Result")


class KilledError(BaseException):
    """The process of this actor was killed. No handler of ours may take it for an error."""


class Fate(Enum):
    """What becomes of one operation."""

    DONE = "done"
    LOST = "done, its answer lost, and tried again"
    KILLED_BEFORE = "the process is killed before it"
    KILLED_AFTER = "the process is killed after it"


@dataclass
class MemoryBucket:
    """What a bucket is to the protocol. `turn` is asked before each operation, with its name."""

    turn: Callable[[str], Fate] = lambda _: Fate.DONE
    live: dict[str, tuple[Stored, bytes]] = field(default_factory=dict)
    generation: int = 0
    versioned: bool = False
    old: list[Stored] = field(default_factory=list)

    def objects(self, prefix: str, *, versions: bool = False) -> Sequence[Stored]:
        def act() -> list[Stored]:
            found = [stored for stored, _ in self.live.values()] + (self.old if versions else [])
            return sorted((stored for stored in found if stored.name.startswith(prefix)), key=lambda stored: stored.name)

        return self._do(act, f"list {prefix}")

    def folders(self, prefix: str, *, versions: bool = False) -> Sequence[str]:
        def act() -> list[str]:
            found = [*self.live, *(stored.name for stored in self.old if versions)]
            names = [name.removeprefix(prefix) for name in found if name.startswith(prefix)]
            return sorted({name.split("/")[0] for name in names if "/" in name})

        return self._do(act, f"folders {prefix}")

    def stat(self, name: str) -> Stored | None:
        return self._do(lambda: self.live[name][0] if name in self.live else None, f"stat {name}")

    def read(self, name: str) -> Contents | None:
        def act() -> Contents | None:
            return Contents(self.live[name][1], self.live[name][0].generation) if name in self.live else None

        return self._do(act, f"read {name}")

    def write(self, name: str, data: bytes, generation: int) -> int:
        return self._do(lambda: self._put(name, data, generation).generation, f"write {name}")

    def upload(self, file: Path, name: str, progress: Progress) -> Stored:
        # The client looks itself whether a refused upload was its own.
        return self._do(lambda: self._put(name, file.read_bytes(), ABSENT), f"upload {name}", repeats=False)

    def download(self, stored: Stored, file: Path, progress: Progress) -> None:
        def act() -> None:
            there, data = self.live.get(stored.name, (None, b""))
            if there is None or there.generation != stored.generation:
                raise GoneError(stored.name)
            file.write_bytes(data)

        self._do(act, f"download {stored.name}")

    def delete(self, stored: Stored, *, forever: bool) -> None:
        def act() -> None:
            there, _ = self.live.get(stored.name, (None, b""))
            if there and there.generation == stored.generation:
                del self.live[stored.name]
                self.old += [stored] if self.versioned and not forever else []
            elif forever:
                self.old = [old for old in self.old if (old.name, old.generation) != (stored.name, stored.generation)]

        self._do(act, f"delete {stored.name}")

    def _put(self, name: str, data: bytes, generation: int) -> Stored:
        there = self.live.get(name)
        if (there[0].generation if there else ABSENT) != generation:
            raise ConditionError(name)
        self.generation += 1
        crc: Any = Checksum(data)  # type: ignore[no-untyped-call]
        checksum = base64.b64encode(crc.digest()).decode()
        stored = Stored(name, self.generation, len(data), checksum, time.time())
        self.live[name] = (stored, data)
        return stored

    def _do(self, act: Callable[[], _Result], operation: str, *, repeats: bool = True) -> _Result:
        fate = self.turn(operation)
        if fate is Fate.KILLED_BEFORE:
            raise KilledError
        result = act()
        if fate is Fate.KILLED_AFTER:
            raise KilledError
        return act() if fate is Fate.LOST and repeats else result


class Actor:
    """One process: a thread that waits for its turn before each operation on its bucket."""

    def __init__(self, name: str, work: Callable[["Actor"], None]) -> None:
        self.name = name
        self.error: BaseException | None = None
        self.ended = False
        self.killed = False
        self.operation = ""
        """What it does with its next turn."""

        self.waits = False
        """Whether it looks again and again for what others do."""

        self._fate = Fate.DONE
        self._go, self._waits = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, args=(work,), name=name, daemon=True)
        self._thread.start()
        self._waits.acquire()

    def turn(self, operation: str) -> Fate:
        """For the bucket: waits for the turn."""
        if self.killed:
            raise KilledError
        self.operation = operation
        self.waits = operation == "sleep" or (self.waits and operation.startswith(("stat", "read")))
        self._waits.release()
        self._go.acquire()
        self.killed = self._fate in (Fate.KILLED_BEFORE, Fate.KILLED_AFTER)
        return self._fate

    def sleep(self, seconds: float) -> None:
        """Instead of `time.sleep`."""
        if self.turn("sleep") is not Fate.DONE:
            self.killed = True
            raise KilledError

    def step(self, fate: Fate = Fate.DONE) -> None:
        """One operation, up to the next or the end."""
        self._fate = fate
        self._go.release()
        self._waits.acquire()

    def _run(self, work: Callable[["Actor"], None]) -> None:
        try:
            work(self)
        except BaseException as error:
            self.error = error
        finally:
            self.ended = True
            self._waits.release()
