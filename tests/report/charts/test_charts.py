"""Every chart: its specification as it was looked at, and what it says in words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import altair as alt
import pytest

from mmbench.report.charts.figure import Figure, Painter, count
from mmbench.report.pages import charts
from mmbench.report.pages.site import Site
from tests.support import gold

GOLD = Path(__file__).parent / "gold"
IDS = (
    "forest",
    "correctness",
    "trend",
    "per-case",
    "ability",
    "radar",
    "tokens",
    "cost-quality",
    "time-quality",
    "failures",
    "commands",
    "drift",
)


@pytest.fixture(scope="session")
def figures(charted: Site) -> dict[str, Figure]:
    board = charted.boards[0]
    return {figure.id: figure for figure in [*charts.home(charted, board), *charts.of_board(charted, board)]}


def test_every_chart_is_made(figures: dict[str, Figure]) -> None:
    assert tuple(figures) == IDS


@pytest.mark.parametrize("name", IDS)
def test_a_chart_is_as_it_was_looked_at(figures: dict[str, Figure], name: str, tmp_path: Path) -> None:
    figure = figures[name]
    words = {"title": figure.title, "subtitle": figure.subtitle, "note": figure.note}
    made = {**words, "marks": dict(figure.marks), "columns": figure.columns, "rows": figure.rows}
    text = json.dumps(made | {"spec": figure.spec}, indent=1, ensure_ascii=False) + "\n"
    gold.check(GOLD / f"{name}.golden.json", text, tmp_path)


def test_every_chart_draws_its_marks_and_is_named(figures: dict[str, Figure]) -> None:
    painter = Painter()
    for figure in figures.values():
        drawing = painter.svg(figure)
        assert count(drawing).items() >= figure.marks.items()
        assert f'<title id="{figure.id}-name">' in drawing
        assert 'role="img"' in drawing
        assert "style=" not in drawing


def test_every_specification_is_valid_vega_lite(figures: dict[str, Figure]) -> None:
    for figure in figures.values():
        alt.Chart.from_dict(figure.spec)


def test_a_table_has_as_many_values_as_columns(figures: dict[str, Figure]) -> None:
    for figure in figures.values():
        assert figure.rows
        assert {len(row) for row in figure.rows} == {len(figure.columns)}


def test_nothing_to_draw_draws_nothing(charted: Site) -> None:
    board = next(board for board in charted.boards if board is not charted.boards[0])
    assert charts.of_board(charted, board)
    bare = replace(board, rows=(), references=())
    assert charts.of_board(charted, bare) == []
