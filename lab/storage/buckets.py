"""Buckets of the stand-in for Google's API become buckets that hold objects."""

from pathlib import Path

from lab.google.store import Store
from lab.paths import Lab

_BUCKET = "gcp:storage/bucket:Bucket"


def objects_folder(lab: Path) -> Path:
    """Where objects lie, a folder for each bucket. What is in a bucket that was deleted stays until the lab is removed."""
    return lab / "storage"


def make_buckets(lab: Path) -> None:
    """Makes each bucket that the stand-in knows and the storage does not."""
    store = Lab(lab).store
    if store.exists():
        for record in Store(store).resources(_BUCKET):
            (objects_folder(lab) / record.name).mkdir(parents=True, exist_ok=True)
