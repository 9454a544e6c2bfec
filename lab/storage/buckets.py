"""Buckets of the stand-in for Google's API become buckets that hold objects."""

from contextlib import closing
from pathlib import Path

from lab.google.store import Store
from lab.paths import Lab

_BUCKET = "gcp:storage/bucket:Bucket"


def objects_folder(lab: Path) -> Path:
    """Where objects lie, a folder for each bucket. What is in a bucket that was deleted stays until the lab is removed."""
    return lab / "storage"


def make_buckets(lab: Path) -> None:
    """Makes each bucket that the stand-in knows and the storage does not."""
    file = Lab(lab).store
    if not file.exists():
        return
    with closing(Store(file)) as store:
        for record in store.resources(_BUCKET):
            (objects_folder(lab) / record.name).mkdir(parents=True, exist_ok=True)
