"""What people see while something takes long: one moving line on a terminal, a plain line now and then elsewhere."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

_LINE_EVERY = 15.0  # seconds between plain lines: a log shows life without being filled


class Progress:
    """Progress of long work, on standard error so that standard output stays the result."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)

    def say(self, text: str) -> None:
        """Prints one line."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def task(self, name: str) -> Iterator[Callable[[str], None]]:
        """Shows elapsed time and the last text given to the yielded function, until the block ends."""
        started = time.monotonic()
        text = "starting"

        def line() -> str:
            minutes, seconds = divmod(int(time.monotonic() - started), 60)
            return f"{name}: {minutes}:{seconds:02d}, {text}"

        def update(new: str) -> None:
            nonlocal text
            text = new

        # Ticks by itself: the linker is silent for a minute and would look like a hang.
        done = threading.Event()
        if self._console.is_terminal:
            with self._console.status(line()) as status:
                ticker = threading.Thread(target=_tick, args=(done, 0.5, lambda: status.update(line())), daemon=True)
                yield from _ticking(ticker, done, update)
        else:
            ticker = threading.Thread(target=_tick, args=(done, _LINE_EVERY, lambda: self.say(line())), daemon=True)
            yield from _ticking(ticker, done, update)
        self.say(line())


def _tick(done: threading.Event, period: float, show: Callable[[], None]) -> None:
    while not done.wait(period):
        show()


def _ticking(ticker: threading.Thread, done: threading.Event, update: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
    ticker.start()
    try:
        yield update
    finally:
        done.set()
        ticker.join()
