"""Home, and one leaderboard page per method."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from mmbench.report.lines import Cell
from mmbench.report.pages import charts, facets
from mmbench.report.pages.site import Site, method_path
from mmbench.report.render import Page
from mmbench.report.tables.board import Board
from mmbench.report.tables.cases import CaseRow

CELLS, CASES = 12, 150
"""Columns and rows of the table of cases; the data files hold them all."""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One case over all cells."""

    case: str
    known: bool
    entries: tuple[CaseRow | None, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """All cases over all cells of a board."""

    cells: tuple[Cell, ...]
    rows: tuple[MatrixRow, ...]
    left_out: int
    """Cases that are not shown."""


def matrix(site: Site, board: Board) -> Matrix:
    """Return the per-case table of a board, ranked cells first, references last."""
    rows = (*board.rows, *board.references)[:CELLS]
    columns = [{r.case: r for r in row.summary.case_rows} for row in rows]
    names = sorted(set().union(*columns)) if columns else []
    return Matrix(
        tuple(row.summary.cell for row in rows),
        tuple(
            MatrixRow(name, name in site.cases, tuple(c.get(name) for c in columns)) for name in names[:CASES]
        ),
        max(0, len(names) - CASES),
    )


def pages(site: Site) -> Iterator[Page]:
    """Yield the home page and the page of every method."""
    current = site.boards[0] if site.boards else None
    others = [{"board": board, "path": method_path(board.key)} for board in site.boards[1:]]
    figures = charts.home(site, current) if current else []
    yield Page(
        "index.html",
        "home.html",
        {
            "board": current,
            "headline": site.headline,
            "figures": figures,
            "facets": facets.listed(site),
            "matrix": matrix(site, current) if current else None,
            "others": others,
            "known": site.cases,
            "warnings": site.results.warnings,
        },
        tuple(figures),
    )
    for board in site.boards:
        parts = json.dumps(board.method.parts, indent=2, sort_keys=True, ensure_ascii=False)
        context = {"board": board, "matrix": matrix(site, board), "parts": parts}
        yield Page(method_path(board.key), "method.html", context)
