"""Badges say no more than the data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mmbench.report import load
from mmbench.report.pages.site import Site
from mmbench.report.publish import badge
from mmbench.report.publish.shapes import Badge
from mmbench.report.tables.headline import Headline, headline
from tests.support import hostile


@pytest.fixture
def found(small: Path) -> Headline:
    made = headline(Site(load.results(small)).boards[0])
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("point", "low", "high", "message", "color"),
    [
        (12.0, 2.0, 22.0, "+12.0 points", badge.GREEN),
        (-12.0, -22.0, -2.0, "\u221212.0 points", badge.RED),
        (12.0, -2.0, 26.0, "+12.0 points, may be 0", badge.GREY),
        (12.0, None, None, "+12.0 points, may be 0", badge.GREY),
        (None, None, None, "no data", badge.GREY),
    ],
)
def test_the_lift_is_coloured_only_when_it_is_clear(
    found: Headline, point: float, low: float, high: float, message: str, color: str
) -> None:
    made = badge.lift(replace(found, lift=replace(found.lift, point=point, low=low, high=high)))
    assert (made.message, made.color) == (message, color)


@pytest.mark.parametrize(
    ("point", "low", "high", "message", "color"),
    [
        (1.5, 1.2, 1.9, "1.50×", badge.GREEN),
        (0.5, 0.4, 0.9, "0.50×", badge.RED),
        (1.1, 0.9, 1.3, "1.10×, may be 1", badge.GREY),
        (None, None, None, "no data", badge.GREY),
    ],
)
def test_the_speedup_is_coloured_only_when_it_is_clear(
    found: Headline, point: float, low: float, high: float, message: str, color: str
) -> None:
    made = badge.speedup(replace(found, speed=replace(found.speed, point=point, low=low, high=high)))
    assert (made.message, made.color) == (message, color)


def test_without_results_there_is_no_data() -> None:
    assert badge.lift(None).message == badge.speedup(None).message == "no data"


def test_a_picture_is_well_formed_and_escapes() -> None:
    root = ET.fromstring(badge.picture(Badge(1, "label", hostile.MARKUP, badge.GREY)))
    assert root.attrib["aria-label"] == f"label: {hostile.MARKUP}"
