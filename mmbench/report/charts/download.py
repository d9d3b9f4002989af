"""A figure as files to take away: a drawing that stands alone, and its numbers as CSV."""

from __future__ import annotations

import csv
import io
import re
import textwrap
from xml.etree import ElementTree as ET

from mmbench.report.charts.figure import Figure, drawable
from mmbench.report.charts.theme import FONT, LIGHT
from mmbench.report.text import spreadsheet_safe

_SVG = "http://www.w3.org/2000/svg"
ET.register_namespace("", _SVG)
_EDGE = 20
"""Pixels around everything."""
_NARROWEST = 420
"""Pixels under which words would be broken too often."""
_SOURCE = "mmbench"


def svg(figure: Figure, drawing: str) -> bytes:
    """Return a drawing with its words, in light colours on white, for any program that shows SVG."""
    inner = ET.fromstring(drawing)  # noqa: S314 (our own drawing)
    for element in inner.iter():
        for name, value in element.attrib.items():
            element.set(name, _resolved(value))
    width, height = (float(inner.get(name, "0")) for name in ("width", "height"))
    wide = max(width, _NARROWEST) + 2 * _EDGE
    root = ET.Element(f"{{{_SVG}}}svg", {"font-family": FONT})
    ET.SubElement(root, f"{{{_SVG}}}title").text = drawable(figure.title)
    ET.SubElement(root, f"{{{_SVG}}}desc").text = drawable(f"{figure.subtitle}. {figure.note}")
    ET.SubElement(root, f"{{{_SVG}}}rect", {"width": "100%", "height": "100%", "fill": LIGHT["--bg"]})
    top = _words(root, figure.title, wide, _EDGE, size=17, colour="--ink", weight="bold")
    top = _words(root, figure.subtitle, wide, top, size=13, colour="--muted") + 8
    inner.set("x", str(_EDGE))
    inner.set("y", f"{top:g}")
    root.append(inner)
    below = " ".join(part for part in (figure.note, f"Source: {_SOURCE}.") if part)
    end = _words(root, below, wide, top + height + 8, size=12, colour="--muted") + _EDGE
    root.set("width", f"{wide:g}")
    root.set("height", f"{end:g}")
    root.set("viewBox", f"0 0 {wide:g} {end:g}")
    made: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return made


_VARIABLE = re.compile(r"var\((--[a-z0-9]+)\)")


def _resolved(value: str) -> str:
    """Put the light colour in the place of a variable of the page."""
    found = _VARIABLE.fullmatch(value)
    return LIGHT[found[1]] if found else value


def _words(
    root: ET.Element, text: str, wide: float, top: float, *, size: int, colour: str, weight: str = "normal"
) -> float:
    """Set text in lines under `top`; returns where it ends."""
    signs = int((wide - 2 * _EDGE) / (0.54 * size))  # a letter of the font is about this wide on average
    style = {"x": str(_EDGE), "font-size": str(size), "font-weight": weight, "fill": LIGHT[colour]}
    for line in textwrap.wrap(drawable(text), signs):
        top += 1.4 * size
        ET.SubElement(root, f"{{{_SVG}}}text", style | {"y": f"{top:g}"}).text = line
    return top


def table(figure: Figure) -> bytes:
    """Return a figure's numbers as CSV, one header line; unknown values are empty."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    for row in (figure.columns, *figure.rows):
        writer.writerow([spreadsheet_safe(value) for value in row])
    return stream.getvalue().encode(errors="replace")
