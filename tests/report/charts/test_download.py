"""Figures as files: they stand alone, and nothing in them runs."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mmbench.report.charts import download
from mmbench.report.charts.figure import Painter
from mmbench.report.charts.theme import LIGHT
from mmbench.report.pages import charts
from mmbench.report.pages.site import Site
from tests.report.charts.test_figure import figure
from tests.report.conftest import SITE
from tests.support import hostile

_SVG = "{http://www.w3.org/2000/svg}"


def alone(made) -> ET.Element:
    return ET.fromstring(download.svg(made, Painter().drawing(made)))


def test_every_chart_stands_alone_in_light_colours(charted: Site) -> None:
    for made in charts.of_board(charted, charted.boards[0]):
        root = alone(made)
        text = ET.tostring(root, encoding="unicode")
        assert "var(" not in text and "style=" not in text
        words = "".join(element.text or "" for element in root.findall(f"{_SVG}text"))
        for part in (made.title, made.subtitle, made.note):
            assert part.replace(" ", "") in words.replace(" ", "")
        inner = root.find(f"{_SVG}svg")
        assert inner is not None
        below = float(inner.get("y", "0")) + float(inner.get("height", "0"))
        assert float(root.get("height", "0")) > below
        assert float(root.get("width", "0")) >= float(inner.get("width", "0"))


def test_the_light_colours_are_those_of_the_style_sheet() -> None:
    root = (SITE / "assets" / "style.css").read_text().partition("}")[0]
    named = dict(re.findall(r"(--[a-z]+): (#[0-9a-f]+)", root))
    assert {name: named[name] for name in LIGHT} == LIGHT


@pytest.mark.parametrize("text", [hostile.MARKUP, "var(--nobody)", "a\ufffeb\uffff", 'fill="var(--ink)"'])
def test_any_text_is_drawn_and_nothing_more(text: str) -> None:
    made = figure([{"name": text, "value": 1}], title=text)
    root = alone(replace(made, subtitle=text, note=text))
    assert {element.tag.removeprefix(_SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "rect", "text", "g", "path", "line", "circle"
    }  # fmt: skip
    assert root.findtext(f"{_SVG}title") == text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")


def rows(made) -> list[list[str]]:
    return list(csv.reader(io.StringIO(download.table(made).decode())))


def test_the_table_holds_the_numbers_and_leaves_unknown_ones_empty() -> None:
    made = replace(figure([]), columns=("Name", "Value"), rows=(("a, b", 1.25), ('"c"\n', None)))
    assert rows(made) == [["Name", "Value"], ["a, b", "1.25"], ['"c"\n', ""]]


@pytest.mark.parametrize("text", ["=cmd()", "+1", "-1", "@a", "\ta"])
def test_no_cell_is_a_formula(text: str) -> None:
    made = replace(figure([]), columns=(text,), rows=((text,), (-3,)))
    assert rows(made) == [[f"'{text}"], [f"'{text}"], ["-3"]]


def test_a_lone_surrogate_is_written(tmp_path: Path) -> None:
    made = replace(figure([]), columns=("Name",), rows=(("a\ud800",),))
    (tmp_path / "table.csv").write_bytes(download.table(made))
    assert (tmp_path / "table.csv").read_text() == "Name\na?\n"
