"""The picture of a week shows every block and keeps its text on the card."""

from dataclasses import replace
from datetime import date
from xml.etree import ElementTree

from hypothesis import HealthCheck, given, settings

from hybrid_pools.blueprint.calendar.week import Phase, week_of
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.documents import calendar
from hybrid_pools.documents.week import week_picture
from tests.environments import blueprint_of
from tests.strategies import blueprints

_SVG = "{http://www.w3.org/2000/svg}"
MONDAY = date(2026, 11, 30)


def root_of(blueprint: Blueprint, *, dated: bool = True) -> ElementTree.Element:
    assert blueprint.schedule is not None
    return ElementTree.fromstring(week_picture(blueprint.environment.name, blueprint.schedule, MONDAY, dated=dated))  # noqa: S314 - our own text


class TestEveryPicture:
    @given(blueprints().filter(lambda blueprint: blueprint.schedule is not None))
    @settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], max_examples=20)
    def test_keeps_all_text_on_the_card_and_has_a_box_for_each_block(self, blueprint: Blueprint):
        root = root_of(blueprint)
        width, height = float(root.get("width", "")), float(root.get("height", ""))
        for text in root.iter(f"{_SVG}text"):
            assert 0 < float(text.get("x", "")) < width
            assert 0 < float(text.get("y", "")) < height
        assert blueprint.schedule is not None
        blocks = week_of(blueprint.schedule.calendar, MONDAY)
        assert len(list(root.iter(f"{_SVG}rect"))) == 1 + len(blocks) + len(Phase)


def test_the_picture_says_in_words_when_training_has_the_buffer() -> None:
    said = root_of(blueprint_of("prod")).findtext(f"{_SVG}desc") or ""
    assert "Friday 18:00 to 24:00: training." in said
    assert "Monday 05:00 to 06:00: training drains, nodes start." in said


def test_the_document_tells_every_job_of_every_environment() -> None:
    known = [blueprint_of("local"), replace(blueprint_of("dev"), schedule=None), blueprint_of("prod")]
    text = calendar.render(known)
    assert "No schedule: services keep the buffer." in text
    for blueprint in known:
        assert all(f"`{job.name}` | `{job.cron}`" in text for job in (blueprint.schedule.jobs if blueprint.schedule else ()))
