"""Many copies at once, and checksums of files."""

import base64
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeVar

from hybrid_pools.training.checkpoints.errors import MissingExtraError

THREADS = 8
"""Copies at once. Each waits for the network most of the time; the client keeps ten connections."""

_BLOCK = 1 << 20

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_parallel(work: Callable[[_Item], _Result], items: Iterable[_Item], threads: int = THREADS) -> list[_Result]:
    """The results in the order of the items. The first error ends it: what has not begun is left, and the error is raised."""
    whole = list(items)
    if threads == 1 or len(whole) < 2:
        return [work(item) for item in whole]
    with ThreadPoolExecutor(min(threads, len(whole)), thread_name_prefix="transfer") as pool:
        futures = [pool.submit(work, item) for item in whole]
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        if any(future.exception() for future in done):
            pool.shutdown(wait=True, cancel_futures=True)
        failed = [future.exception() for future in futures if future.done() and not future.cancelled() and future.exception()]
        if failed and failed[0]:
            raise failed[0]
        return [future.result() for future in futures]


def crc32c_of(file: Path) -> str:
    """Checksum of a file, in base64 as Google writes it. Raises `MissingExtraError`."""
    try:
        from google_crc32c import Checksum  # noqa: PLC0415 - comes with the extra `checkpoints`
    except ImportError as error:
        raise MissingExtraError from error

    checksum: Any = Checksum()  # type: ignore[no-untyped-call]
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            checksum.update(block)
    return base64.b64encode(checksum.digest()).decode()
