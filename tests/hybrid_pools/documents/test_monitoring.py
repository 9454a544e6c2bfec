"""The documents on monitoring and quotas say all there is, and every alert has its page."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.generate import DOCS
from hybrid_pools.blueprint.model.monitoring import ALERT_NAMES
from hybrid_pools.documents import monitoring, quotas
from hybrid_pools.documents.dashboard_picture import dashboard_picture
from tests.environments import ENVIRONMENTS, blueprint_of

RUNBOOKS = DOCS / "runbooks"
PARTS = ("What it means", "What to look at", "What to do", "When to escalate")
BLUEPRINTS = [blueprint_of(environment) for environment in ENVIRONMENTS]


class TestRunbooks:
    def test_there_is_one_for_every_alert_and_none_beside(self) -> None:
        assert sorted(file.stem for file in RUNBOOKS.glob("*.md")) == sorted(ALERT_NAMES)

    @pytest.mark.parametrize("file", sorted(RUNBOOKS.glob("*.md")), ids=lambda file: file.stem)
    def test_each_says_what_it_means_what_to_look_at_what_to_do_and_when_to_escalate(self, file: Path) -> None:
        text = file.read_text(encoding="utf-8")
        assert text.startswith(f"# {file.stem}\n")
        assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == PARTS
        assert all(len(part.split()) > 12 for part in re.split(r"^## .+$", text, flags=re.MULTILINE)[1:])

    @pytest.mark.parametrize("file", sorted(RUNBOOKS.glob("*.md")), ids=lambda file: file.stem)
    def test_each_links_only_to_what_is_there(self, file: Path) -> None:
        links = re.findall(r"\]\((?!https?:)([^)#\s]+)", file.read_text(encoding="utf-8"))
        assert [link for link in links if not (file.parent / link).exists()] == []

    @pytest.mark.parametrize("file", sorted(RUNBOOKS.glob("*.md")), ids=lambda file: file.stem)
    def test_each_names_only_charts_that_are_on_the_dashboard(self, file: Path) -> None:
        watched = blueprint_of("prod").monitoring
        assert watched is not None
        titles = " | ".join(tile.title for tile in watched.dashboard.tiles)
        named = re.findall(r"charts? \*([^*]+)\*(?: and \*([^*]+)\*)?", file.read_text(encoding="utf-8"))
        assert [name for names in named for name in names if name and name not in titles] == []


class TestTheDocument:
    text = monitoring.render(BLUEPRINTS)

    def test_shows_every_alert_of_production_with_its_query(self) -> None:
        watched = BLUEPRINTS[-1].monitoring
        assert watched is not None
        for alert in watched.alerts:
            section = self.text.split(f"### {alert.name}\n")[1].split("\n### ")[0]
            assert alert.query in section
            assert alert.threshold in section

    def test_lists_every_built_in_alert_with_its_runbook(self) -> None:
        assert [name for name in ALERT_NAMES if f"| [{name}](runbooks/{name}.md) |" not in self.text] == []


class TestThePicture:
    def test_is_a_picture_with_every_chart_inside_it(self) -> None:
        watched = BLUEPRINTS[-1].monitoring
        assert watched is not None
        root = ElementTree.fromstring(dashboard_picture(watched.dashboard))  # noqa: S314 - made here
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert [tile.title for tile in watched.dashboard.tiles if tile.title not in texts] == []
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for box in root.iter("{http://www.w3.org/2000/svg}rect"):
            assert float(box.attrib["x"]) + float(box.attrib["width"]) <= width
            assert float(box.attrib["y"]) + float(box.attrib["height"]) <= height


def test_the_document_on_quotas_has_every_need_of_every_environment() -> None:
    text = quotas.render(BLUEPRINTS)
    for blueprint in BLUEPRINTS:
        chapter = text.split(f"## {blueprint.environment.name}\n")[1].split("\n## ")[0]
        for need in blueprint.quotas:
            assert f"{need.amount} {need.unit}" in chapter
            assert need.what in chapter
