"""From a specification to inlined SVG: drawn by vl-convert, checked, named for screen readers.

The drawing is refused when it lacks marks (an empty chart raises no error by
itself) or holds anything but shapes and text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any
from xml.etree import ElementTree as ET

import altair as alt
import vl_convert
from markupsafe import Markup, escape

from mmbench import jsontext
from mmbench.errors import DataError
from mmbench.report.charts.theme import CONFIG
from mmbench.report.memo import Memo
from mmbench.report.store import Store
from mmbench.report.text import visible

Spec = dict[str, Any]
Value = str | int | float | None
_ALLOWED = frozenset({"svg", "g", "path", "text", "line", "rect", "circle", "tspan", "clipPath", "defs"})
VEGA_LITE = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
"""The version that every chart is written for."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with everything around it."""

    id: str
    title: str
    """What it shows, as a finding."""
    subtitle: str
    """What is measured, in which unit."""
    note: str
    """What it rests on and what is left out."""
    spec: Spec
    marks: Mapping[str, int]
    """How many marks of each Vega type (symbol, rect, rule …) must be in the drawing."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    """The same data as a table."""


def spec(chart: alt.TopLevelMixin) -> Spec:
    """Return the specification of an Altair chart with our theme.

    Altair's own validation takes longer than the drawing; a test does it once for every chart.
    """
    made: Spec = chart.to_dict(validate=False)
    made.pop("usermeta", None)
    return made | {"config": CONFIG}


def data(rows: Sequence[Mapping[str, Value]]) -> alt.InlineData:
    """Return rows as inline data; field names are ours, values may be anything."""
    return alt.InlineData(values=[{name: _safe(value) for name, value in row.items()} for row in rows])


_NO_XML = re.compile("[\ufffe\uffff]")
"""What no XML may hold, and a drawing is XML."""


def drawable(text: str) -> str:
    """Show control characters as signs: one of them in a label aborts vl-convert, and Python with it."""
    return _NO_XML.sub("\ufffd", visible(text))


def _safe(value: Value) -> Value:
    return drawable(value) if isinstance(value, str) else value


class Painter:
    """Draws figures and keeps the drawings by the hash of their specification."""

    def __init__(self, memo: Memo | None = None) -> None:
        self._memo = memo or Memo()

    def svg(self, figure: Figure) -> Markup:
        """Return a figure's drawing for inlining; DataError when it is not what it should be."""
        return Markup(_named(figure, self.drawing(figure)))  # noqa: S704 (checked: shapes and text only)

    def drawing(self, figure: Figure) -> str:
        """Return a figure's drawing as vl-convert made it; DataError when it is not what it should be."""
        drawing = self._drawn(figure.spec)
        _check(figure, drawing)
        return drawing

    def _drawn(self, made: Spec) -> str:
        canonical = jsontext.canonical(made)
        return self._memo.of(hashlib.sha256(canonical).hexdigest(), str, lambda: _draw(canonical))


def drawings_of(store: Store) -> Memo:
    """Return the drawings of earlier builds, as far as they were made by what would make them now."""
    return Memo(store, "drawings", f"{version('vl-convert-python')} {VEGA_LITE}")


@lru_cache(maxsize=64)
def _draw(canonical: bytes) -> str:
    try:
        return str(vl_convert.vegalite_to_svg(canonical.decode(), vl_version=VEGA_LITE, allowed_base_urls=[]))
    except ValueError as error:
        _settle()
        reason = " ".join(str(error).split())
        raise DataError(f"A chart cannot be drawn: {reason}.") from error


def _settle() -> None:
    """Take in the second report of a failure: vl-convert hands it to whatever is drawn next."""
    with suppress(ValueError):
        vl_convert.vegalite_to_svg({"data": {"values": []}, "mark": "point"}, vl_version=VEGA_LITE)


def count(drawing: str) -> dict[str, int]:
    """Count the marks of a drawing by Vega type; axes and legends do not count."""
    found: dict[str, int] = {}
    for group in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}g"):  # noqa: S314 (our own drawing)
        classes = (group.get("class") or "").split()
        if "role-mark" in classes:
            kind = next(name for name in classes if name.startswith("mark-")).removeprefix("mark-")
            found[kind] = found.get(kind, 0) + len(group)
    return found


def _check(figure: Figure, drawing: str) -> None:
    found = count(drawing)
    lacking = {kind: (found.get(kind, 0), n) for kind, n in figure.marks.items() if found.get(kind, 0) != n}
    if lacking:
        raise DataError(
            f"The chart {figure.id} does not draw its data: {lacking} marks (drawn, due).", where=figure.id
        )
    odd = [element.tag for element in ET.fromstring(drawing).iter() if not _plain(element)]  # noqa: S314
    if odd:
        raise DataError(f"The chart {figure.id} holds more than shapes and text: {odd}.", where=figure.id)


def _plain(element: ET.Element) -> bool:
    """Tell whether an element is a shape or a text that runs nothing, links nowhere and has its numbers."""
    if element.tag.rpartition("}")[2] not in _ALLOWED:
        return False
    names = [name.rpartition("}")[2] for name in element.attrib]
    if any(name in ("href", "style") or name.startswith("on") for name in names):
        return False
    return not any("NaN" in element.get(name, "") for name in ("d", "transform", "x", "y"))


_PARTS = re.compile(r'\s(?:role|aria-[a-z]+)="[^"]*"')
"""Vega names every group of a drawing; a picture has one name, the parts have none."""


def _named(figure: Figure, drawing: str) -> str:
    """Add a title and a role, and make ids unique on the page."""
    name = f"{figure.id}-name"
    drawing = _PARTS.sub("", drawing)
    drawing = re.sub(r'(\sid="|url\(#)', rf"\g<1>{figure.id}-", drawing)
    wide = re.search(r'\swidth="(\d+)', drawing)
    size = "wide" if wide and int(wide[1]) > 480 else "small"
    attributes = f' class="marks {size}" role="img" aria-labelledby="{name}"'
    drawing = drawing.replace(' class="marks"', attributes, 1)
    head, end, rest = drawing.partition(">")
    return f'{head}{end}<title id="{name}">{escape(figure.title)}</title>{rest}'
