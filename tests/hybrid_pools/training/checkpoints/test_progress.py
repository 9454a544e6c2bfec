"""Bars tell how far a transfer is, where somebody looks, and nothing elsewhere."""

import io

import pytest
from rich.console import Console

from hybrid_pools.training.checkpoints.progress import Progress


def console(*, terminal: bool) -> tuple[Console, io.StringIO]:
    output = io.StringIO()
    return Console(file=output, force_terminal=terminal, width=100), output


def transfer(progress: Progress) -> None:
    """Two files, of which one is done and one is half."""
    with io.BytesIO(b"x" * 4_000_000) as done, progress.watch(done):
        done.read()
    with io.BytesIO(b"x" * 4_000_000) as half, progress.watch(half):
        half.read(2_000_000)
        assert progress.bytes == 6_000_000


def test_on_a_terminal_there_is_a_bar_with_what_is_moved_and_how_much() -> None:
    shown, output = console(terminal=True)
    with Progress("saving step 7", 8_000_000, shown) as progress:
        transfer(progress)
    assert "saving step 7" in output.getvalue()
    assert "6.0/8.0 MB" in output.getvalue()


def test_elsewhere_there_is_nothing() -> None:
    shown, output = console(terminal=False)
    with Progress("saving step 7", 8_000_000, shown) as progress:
        transfer(progress)
    assert output.getvalue() == ""


def test_what_failed_is_not_counted_because_it_is_done_again() -> None:
    progress = Progress("", 10, console(terminal=False)[0])
    with pytest.raises(OSError, match="lost"), io.BytesIO(b"12345") as file, progress.watch(file):
        file.read()
        raise OSError("lost")
    assert progress.bytes == 0
