"""The picture of the interval shows the least, keeps its text on the card, and the document counts as the function does."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.documents import interval
from hybrid_pools.documents.interval_picture import interval_picture
from hybrid_pools.training.interval import Costs, checkpoint_interval

_SVG = "{http://www.w3.org/2000/svg}"


class TestEveryPicture:
    @given(st.floats(1, 900), st.floats(0, 1800), st.integers(1, 300), st.floats(1e-4, 2))
    def test_keeps_text_and_curves_on_the_card_and_names_the_chosen_interval(self, save, restart, nodes, rate):
        costs = Costs(save, restart)
        chosen = checkpoint_interval(costs, nodes, rate)
        root = ElementTree.fromstring(interval_picture(costs, chosen))  # noqa: S314 - our own text
        width, height = float(root.get("width", "")), float(root.get("height", ""))
        for text in root.iter(f"{_SVG}text"):
            assert 0 < float(text.get("x", "")) < width
            assert 0 < float(text.get("y", "")) < height
        points = [point.split(",") for line in root.iter(f"{_SVG}polyline") for point in (line.get("points") or "").split()]
        assert all(0 < float(x) < width and 0 < float(y) < height for x, y in points)
        (least,) = root.iter(f"{_SVG}circle")
        curve = (list(root.iter(f"{_SVG}polyline"))[-1].get("points") or "").split()
        # The y axis points down: no point of the curve is below the chosen one, but for what whole seconds make of it.
        if chosen.seconds > save:
            assert max(float(point.split(",")[1]) for point in curve) <= float(least.get("cy", "")) + 1


def test_the_document_tells_the_interval_of_its_picture_and_every_loss_rate() -> None:
    text = interval.render()
    said = (ElementTree.fromstring(interval.picture()).findtext(f"{_SVG}desc") or "").rstrip(".")  # noqa: S314
    assert f"| {said.rpartition('with ')[2]} |" in text
    assert "`spot`" in text
    assert "`on-demand`, `reservation`" in text
