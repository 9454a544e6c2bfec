"""The stand-in for Cloud Storage, with and without faults, and buckets on it."""

import itertools
from collections.abc import Callable, Iterator

import pytest
from google.cloud.storage import Client

from lab.storage import storage
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
def address(make_bucket: Callable[..., str]) -> str:
    """Address of a run that has not begun."""
    return f"gs://{make_bucket()}/runs/team/run"


@pytest.fixture
def faults(storage_address: str, address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    """Leads Google's client through the proxy that fails on purpose."""
    faults = Faults()
    with faulty(storage_address, faults) as here:
        monkeypatch.setenv(EMULATOR, here)
        yield faults
