"""What the guides point at is there, and what they tell people to write is right."""

import re
from pathlib import Path

import pytest
import yaml

from docs.generate import DOCS
from hybrid_pools.blueprint.derivation import check
from hybrid_pools.blueprint.vocabulary import PROJECT

ROOT = DOCS.parent
GUIDES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md")])


def anchors(file: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
class TestEveryGuide:
    def test_links_only_to_what_is_there(self, guide):
        prose = re.sub(r"`[^`\n]*`", "", guide.read_text(encoding="utf-8"))
        links = re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", prose)
        for path, anchor in links:
            target = guide.parent / path if path else guide
            assert target.exists(), path
            assert not anchor or anchor in anchors(target), f"{path}#{anchor}"

    def test_names_only_targets_of_the_makefile(self, guide):
        targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        text = guide.read_text(encoding="utf-8")
        code = "\n".join("".join(found) for found in re.findall(r"```console\n(.*?)```|`([^`\n]+)`", text, re.DOTALL))
        assert set(re.findall(r"^(?:\$ )?make ([a-z]+)", code, re.MULTILINE)) <= targets


def test_the_stack_file_of_the_guide_to_adoption_has_no_problems() -> None:
    [block] = re.findall(r"```yaml\n(.*?)```", (DOCS / "adopt.md").read_text(encoding="utf-8"), re.DOTALL)
    check("adopt.md", {key.removeprefix(f"{PROJECT}:"): value for key, value in yaml.safe_load(block)["config"].items()})


def test_the_folders_of_the_readme_are_those_of_the_project() -> None:
    named = re.findall(r"^\| `([\w/]+)` \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [folder for folder in named if not (ROOT / folder).is_dir()] == []
