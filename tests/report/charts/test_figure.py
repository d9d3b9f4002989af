"""Drawing: what is refused, what is escaped, what is kept."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import pytest

from mmbench.errors import DataError
from mmbench.report.charts import figure as chart_figure
from mmbench.report.charts.figure import Figure, Painter, count, data, drawings_of, spec
from mmbench.report.store import Store
from tests.support import hostile


def figure(rows, marks=None, id="chart", title="A title") -> Figure:
    chart = alt.Chart(data(rows)).mark_point().encode(x="value:Q", y=alt.Y("name:N"))
    return Figure(
        id, title, "", "", spec(chart), {"symbol": len(rows)} if marks is None else marks, ("Name",), ()
    )


def test_marks_are_counted_without_axes_and_legends() -> None:
    drawing = Painter().svg(figure([{"name": "a", "value": 1}, {"name": "b", "value": 2}]))
    assert count(drawing) == {"symbol": 2}


@pytest.mark.parametrize("name", ["constructor", "__proto__", "a.b[0]", "toString", "", hostile.ALL])
def test_any_name_is_drawn(name: str) -> None:
    drawing = Painter().svg(figure([{"name": name, "value": 1}]))
    assert "<script" not in drawing
    assert "<img" not in drawing


def test_a_chart_that_lacks_marks_stops_the_build() -> None:
    with pytest.raises(DataError, match="does not draw its data"):
        Painter().svg(figure([{"name": "a", "value": None}, {"name": "b", "value": 1}], {"symbol": 3}))


def test_the_title_is_escaped() -> None:
    drawing = Painter().svg(figure([{"name": "a", "value": 1}], title=hostile.MARKUP))
    assert "&lt;/script&gt;&lt;img src=x" in drawing


def test_what_cannot_be_drawn_is_an_error_of_ours() -> None:
    chart = alt.Chart(data([{"value": 1, "to": "javascript:alert(1)"}])).mark_point()
    linked = chart.encode(x="value:Q", href="to:N")
    with pytest.raises(DataError, match="cannot be drawn"):
        Painter().svg(Figure("chart", "", "", "", spec(linked), {}, (), ()))
    assert Painter().svg(figure([{"name": "after a failure", "value": 3}]))


def test_a_link_is_refused() -> None:
    chart = alt.Chart(data([{"value": 1, "to": "elsewhere.html"}])).mark_point()
    linked = chart.encode(x="value:Q", href="to:N")
    with pytest.raises(DataError, match="more than shapes and text"):
        Painter().svg(Figure("chart", "", "", "", spec(linked), {}, (), ()))


def test_drawings_are_kept_by_their_specification(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, one = Store(tmp_path), figure([{"name": "a", "value": 1}])
    memo = drawings_of(store)
    first = Painter(memo).svg(one)
    memo.keep()
    monkeypatch.setattr(chart_figure, "_draw", lambda canonical: "<svg/>")
    assert Painter(drawings_of(store)).svg(one) == first
    with pytest.raises(DataError, match="does not draw its data"):
        Painter(drawings_of(store)).svg(figure([{"name": "b", "value": 1}]))


@pytest.mark.parametrize(
    "odd",
    ["<script/>", "<image/>", '<a href="x"/>', '<g onload="x"/>', '<g style="x"/>', '<path d="NaN"/>'],
)
def test_a_drawing_with_more_than_shapes_is_refused(odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = figure([{"name": "a", "value": 1}])
    drawing = Painter().drawing(one).replace("</svg>", f"{odd}</svg>")
    monkeypatch.setattr(chart_figure, "_draw", lambda canonical: drawing)
    with pytest.raises(DataError, match="more than shapes and text"):
        Painter().svg(one)
