"""What the stand-in for Google's API has as buckets can hold objects."""

from pathlib import Path

from hybrid_pools.training.checkpoints.google_bucket import GoogleBucket
from lab.cluster.files import ClusterFiles
from lab.cluster.parts import Surroundings
from lab.cluster.ports import choose_ports
from lab.cluster.process import end, spawn
from lab.google.store import Record, Store
from lab.paths import Lab
from lab.storage.buckets import make_buckets, objects_folder
from lab.storage.emulator import VARIABLE, address
from lab.storage.part import PORT, STORAGE
from tests.cluster.waiting import eventually


def know(lab: Path, name: str) -> None:
    store = Store(Lab(lab).store)
    store.put(Record("gcp:storage/bucket:Bucket", name, {"name": name}))
    store.close()


def test_a_lab_without_a_cloud_has_no_buckets(tmp_path):
    make_buckets(tmp_path)
    assert not objects_folder(tmp_path).exists()


def test_objects_stay_while_the_storage_does_not_run_and_new_buckets_are_there_at_once(tmp_path, monkeypatch):
    ports = choose_ports([PORT], {})
    surroundings = Surroundings(ClusterFiles(tmp_path), ports, None)
    monkeypatch.setenv(VARIABLE, address(ports[PORT]))
    know(tmp_path, "acme-first")
    generation = 0
    for _ in range(2):
        assert STORAGE.prepare
        assert STORAGE.ready
        STORAGE.prepare(surroundings)
        recorded = spawn(STORAGE.command(surroundings), tmp_path / "log", tmp_path / "record", {})
        try:
            eventually(lambda: STORAGE.ready and STORAGE.ready(surroundings))
            generation = GoogleBucket("acme-first").write("runs/a", b"kept", generation)
            know(tmp_path, "acme-second")
            make_buckets(tmp_path)
            assert GoogleBucket("acme-second").objects("runs/") == []
        finally:
            end([recorded], 5)
