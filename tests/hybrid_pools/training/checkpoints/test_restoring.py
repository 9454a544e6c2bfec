"""A directory becomes what was saved."""

import pytest

from hybrid_pools.training.checkpoints.errors import DirectoryError
from tests.hybrid_pools.training.checkpoints.saved import begun, contents, kind, save


def test_leaves_a_directory_with_other_files_alone(address, make, tmp_path):
    checkpoints = begun(address)
    save(checkpoints, make(1), 1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(DirectoryError, match="empty directory"):
        checkpoints.restore(tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"


def test_makes_a_half_restored_directory_whole_and_copies_only_what_is_missing(address, make, tmp_path, monkeypatch):
    checkpoints = begun(address)
    saved = make(1)
    save(checkpoints, saved, 1)
    directory = tmp_path / "restored"
    checkpoints.restore(directory)
    (directory / "deep" / "optimizer").write_bytes(b"half")
    (directory / "model.part").write_bytes(b"half")
    (directory / "of another step").write_bytes(b"old")
    copied: list[str] = []
    real = kind(address).download

    def download(self, stored, file, progress):
        copied.append(stored.name)
        real(self, stored, file, progress)

    monkeypatch.setattr(kind(address), "download", download)
    checkpoints.restore(directory)
    assert contents(directory) == contents(saved)
    assert [name.rsplit("/", 1)[1] for name in copied] == ["optimizer"]


def test_reads_again_what_arrives_with_wrong_bytes(address, make, tmp_path, monkeypatch):
    checkpoints = begun(address)
    saved = make(1)
    save(checkpoints, saved, 1)
    seen = set()
    real = kind(address).download

    def download(self, stored, file, progress):
        real(self, stored, file, progress)
        if stored.name not in seen and stored.size:
            file.write_bytes(b"\0" * stored.size)
        seen.add(stored.name)

    monkeypatch.setattr(kind(address), "download", download)
    checkpoints.restore(tmp_path / "restored")
    assert contents(tmp_path / "restored") == contents(saved)
    assert checkpoints.latest().step == 1
