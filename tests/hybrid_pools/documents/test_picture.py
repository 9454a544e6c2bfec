"""The picture shows every pool in exactly the zones it has, the same each time."""

from xml.etree import ElementTree

from hypothesis import given, settings

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.resilience import zones
from hybrid_pools.documents.picture import picture
from tests.environments import blueprint_of
from tests.strategies import blueprints

_SVG = "{http://www.w3.org/2000/svg}"


def texts(blueprint: Blueprint) -> list[tuple[float, float, str]]:
    root = ElementTree.fromstring(picture(blueprint))  # noqa: S314 - our own text
    return [(float(text.get("x", "")), float(text.get("y", "")), text.text or "") for text in root.iter(f"{_SVG}text")]


class TestEveryPicture:
    @given(blueprints())
    @settings(max_examples=30)
    def test_is_the_same_for_the_same_blueprint(self, blueprint):
        assert picture(blueprint) == picture(blueprint)

    @given(blueprints())
    @settings(max_examples=30)
    def test_names_every_pool_and_every_zone_exactly_once(self, blueprint):
        shown = [text for _, _, text in texts(blueprint)]
        for zone in zones(blueprint):
            assert shown.count(zone) == 1
        for pool in blueprint.pools:
            # A pool may be named like a role, whose name stands on its group.
            assert shown.count(pool.name) == 1 + (pool.name in {other.role.value for other in blueprint.pools})

    @given(blueprints())
    @settings(max_examples=30)
    def test_has_one_cell_for_each_zone_of_each_pool(self, blueprint):
        shown = [text for _, _, text in texts(blueprint)]
        for machine in {pool.machine.name for pool in blueprint.pools}:
            assert shown.count(machine) == sum(len(pool.zones) for pool in blueprint.pools if pool.machine.name == machine)

    @given(blueprints())
    @settings(max_examples=30)
    def test_keeps_all_text_on_the_card_and_no_two_texts_in_one_place(self, blueprint):
        root = ElementTree.fromstring(picture(blueprint))  # noqa: S314 - our own text
        placed = texts(blueprint)
        assert all(0 < x < float(root.get("width", "")) and 0 < y < float(root.get("height", "")) for x, y, _ in placed)
        assert len({(x, y) for x, y, _ in placed}) == len(placed)


def test_taints_of_production_are_shown_with_those_of_gke_marked() -> None:
    shown = {text for _, _, text in texts(blueprint_of("prod"))}
    assert {
        "cloud.google.com/gke-spot=true:NoSchedule",
        "hybrid-pools.io/role=buffer:NoSchedule",
        "nvidia.com/gpu=present:NoSchedule *",
        "no taint: any pod may run here",
    } <= shown


def test_the_picture_says_in_words_what_it_shows() -> None:
    root = ElementTree.fromstring(picture(blueprint_of("prod")))  # noqa: S314 - our own text
    said = root.findtext(f"{_SVG}desc") or ""
    assert all(pool.name in said and pool.machine.name in said for pool in blueprint_of("prod").pools)
