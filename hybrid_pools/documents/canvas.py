"""What the SVG pictures have in common: fonts, colours, and a place to collect elements."""

from xml.etree import ElementTree

SANS = "ui-sans-serif, system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
INK, SOFT, FAINT, CARD, EDGE = "#1b2430", "#4d5866", "#626d7b", "#ffffff", "#d6dce4"


class Canvas:
    """Collects elements; coordinates are pixels from the upper left corner."""

    def __init__(self) -> None:
        self.root = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "font-family": SANS})

    def add(self, tag: str, **attributes: object) -> ElementTree.Element:
        named = {name.replace("_", "-"): str(value) for name, value in attributes.items() if value != ""}
        return ElementTree.SubElement(self.root, tag, named)

    def text(self, x: int, y: int, content: str, size: int, fill: str = INK, **attributes: object) -> None:
        self.add("text", x=x, y=y, font_size=size, fill=fill, **attributes).text = content

    def box(self, x: int, y: int, width: int, height: int, **attributes: object) -> None:
        self.add("rect", x=x, y=y, width=width, height=height, **attributes)

    def finish(self, width: int, height: int) -> str:
        self.root.attrib.update(viewBox=f"0 0 {width} {height}", width=str(width), height=str(height))
        ElementTree.indent(self.root)
        return ElementTree.tostring(self.root, encoding="unicode") + "\n"
