"""Which files are linted."""

from pathlib import Path

import pytest

from hybrid_pools.lint.files import Empty, Skipped, Taken, walk

FILES = (
    "b.yaml",
    "a.yml",
    "inner/c.JSON",
    "inner/deep/d.yaml",
    "README.md",
    "train.py",
    ".hidden.yaml",
    ".git/e.yaml",
    "inner/.f/g.yaml",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "linked.yaml").symlink_to(tmp_path / "b.yaml")
    return tmp_path


def names(folder: Path, *arguments: Path) -> tuple[list[str], list[str]]:
    found = list(walk([str(argument) for argument in arguments]))
    short = [str(Path(each.path).relative_to(folder)) for each in found]
    return (
        [name for name, each in zip(short, found, strict=True) if isinstance(each, Taken)],
        [name for name, each in zip(short, found, strict=True) if isinstance(each, Skipped)],
    )


class TestAFolder:
    def test_gives_what_may_be_a_manifest_in_order_and_names_the_rest(self, folder: Path):
        taken, skipped = names(folder, folder)
        assert taken == ["a.yml", "b.yaml", "linked.yaml", "inner/c.JSON", "inner/deep/d.yaml"]
        assert sorted(skipped) == [".git", ".hidden.yaml", "README.md", "inner/.f", "loop", "train.py"]

    def test_without_a_manifest_is_told(self, tmp_path: Path):
        (tmp_path / "README.md").write_text("")
        assert list(walk([str(tmp_path)])) == [Empty(str(tmp_path)), Skipped(str(tmp_path / "README.md"))]

    def test_is_taken_once_whatever_names_it(self, folder: Path):
        taken, _ = names(folder, folder / "b.yaml", folder, folder / "inner" / ".." / "b.yaml")
        assert taken.count("b.yaml") == 1
        assert len(taken) == 5


class TestAFile:
    def test_is_taken_whatever_its_name(self, folder: Path):
        named = ("README.md", ".hidden.yaml", "absent")
        assert names(folder, *(folder / name for name in named)) == (list(named), [])

    def test_may_be_standard_input(self):
        assert list(walk(["-", "-"])) == [Taken("-")]
