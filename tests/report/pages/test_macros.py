"""What the parts that pages share claim by their colour, and the words that they count with."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import Template

from mmbench.report.store import Store
from mmbench.report.templates import environment

TEMPLATES = Path(__file__).parents[3] / "site" / "templates"


@pytest.fixture(scope="module")
def macros() -> Template:
    return environment(TEMPLATES, Store(None)).get_template("macros.html")


@pytest.mark.parametrize(
    ("distinguishable", "call", "shade"),
    [
        (True, None, "up"),
        (False, None, "flat"),
        (True, "IMPROVES", "up"),
        (True, "INCONCLUSIVE", "flat"),
        (True, "WITHHELD", "flat"),
        (False, "IMPROVES", "flat"),
    ],
)
def test_a_lift_has_a_colour_only_where_interval_and_verdict_hold(
    macros: Template, distinguishable: bool, call: str | None, shade: str
) -> None:
    lift = SimpleNamespace(point=12.0, low=None, high=None, distinguishable=distinguishable)
    verdict = SimpleNamespace(call=call) if call else None
    assert f'<strong class="{shade}">+12.0' in macros.module.lift(lift, verdict)  # type: ignore[attr-defined]


def test_pairs_that_are_left_out_are_counted_in_words(macros: Template) -> None:
    said = macros.module.left_out((("missing", 16), ("judge", 1), ("void", 2)))  # type: ignore[attr-defined]
    assert said == "16 not run to the end, 1 without a verdict, 2 void"
