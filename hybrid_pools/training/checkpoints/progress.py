"""Bars for what takes long, where somebody looks: on a terminal, on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Self

from rich.console import Console, RenderableType
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.progress import Progress as Bars


class Progress:
    """How far a transfer of several files is.

    Files tell it by their position, which costs the transfer nothing.
    """

    def __init__(self, title: str, total: int, console: Console | None = None) -> None:
        """A bar for `total` bytes; shown only if the console is a terminal."""
        self._console = console or Console(stderr=True)
        self._bars = _Bars(self) if self._console.is_terminal else None
        self._title, self._total = title, total
        self._open: dict[int, IO[bytes]] = {}
        self._done = 0

    def __enter__(self) -> Self:
        if self._bars:
            self._bars.begin(self._title, self._total, self._console)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bars:
            self._bars.stop()

    @contextmanager
    def watch(self, file: IO[bytes]) -> Iterator[None]:
        """Counts what is read from or written to the file meanwhile; nothing if that fails, because it is then done again."""
        self._open[id(file)] = file
        try:
            yield
            self._done += file.tell()
        finally:
            del self._open[id(file)]

    @property
    def bytes(self) -> int:
        """Bytes that were moved so far."""
        return self._done + sum(file.tell() for file in list(self._open.values()) if not file.closed)


class _Bars(Bars):
    """Bars that ask before each look how far the transfer is."""

    def __init__(self, source: Progress) -> None:
        self._source = source

    def begin(self, title: str, total: int, console: Console) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
        super().__init__(*columns, console=console, transient=True)
        self.add_task(title, total=total)
        self.start()

    def get_renderables(self) -> Iterator[RenderableType]:
        for task in self.task_ids:
            self.update(task, completed=self._source.bytes)
        yield from super().get_renderables()
