"""The stand-in for Cloud Storage, with and without faults, and buckets on it."""

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.cloud.storage import Client

from lab.storage.emulator import storage
from tests.hybrid_pools.training.checkpoints.faults import Faults, faulty

_NUMBERS = itertools.count()
EMULATOR = "STORAGE_EMULATOR_HOST"


@pytest.fixture(scope="session")
def storage_address() -> Iterator[str]:
    with storage() as address:
        yield address


@pytest.fixture
def make_bucket(storage_address: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Makes buckets, and leads Google's client to the stand-in."""
    monkeypatch.setenv(EMULATOR, storage_address)

    def make() -> str:
        bucket = Client(project="tests").bucket(f"bucket-{next(_NUMBERS)}")
        bucket.create()
        return str(bucket.name)

    return make


@pytest.fixture
def google_address(make_bucket: Callable[..., str]) -> str:
    """Address of a run in Cloud Storage that has not begun."""
    return f"gs://{make_bucket()}/runs/team/run"


@pytest.fixture
def folder_address(tmp_path: Path) -> str:
    """Address of a run in a folder that has not begun."""
    (tmp_path / "bucket").mkdir()
    return f"file://{tmp_path}/bucket/runs/team/run"


@pytest.fixture(params=["google_address", "folder_address"], ids=["Cloud Storage", "a folder"])
def address(request: pytest.FixtureRequest) -> str:
    """Address of a run that has not begun, in each kind of bucket."""
    return str(request.getfixturevalue(request.param))


@pytest.fixture
def faults(storage_address: str, google_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    """Leads Google's client through the proxy that fails on purpose."""
    faults = Faults()
    with faulty(storage_address, faults) as here:
        monkeypatch.setenv(EMULATOR, here)
        yield faults


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Writes a directory to save: some files, one of them in a folder, one empty."""
    numbers = iter(range(1000))

    def make(seed: int, prefix: str = "") -> Path:
        directory = tmp_path / f"saved-{next(numbers)}"
        (directory / "deep").mkdir(parents=True)
        (directory / f"{prefix}model").write_bytes(random.Random(seed).randbytes(30_000))
        (directory / "deep" / f"{prefix}optimizer").write_bytes(random.Random(-seed - 1).randbytes(100))
        (directory / f"{prefix}empty").touch()
        return directory

    return make
