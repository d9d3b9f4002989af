"""Pages that set two agents, or two sessions of one cell, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mmbench.report.charts.figure import Figure
from mmbench.report.charts.percase import per_case
from mmbench.report.pages.site import Site
from mmbench.report.render import Page
from mmbench.report.stats.compare import CaseDifference
from mmbench.report.tables.cases import CaseRow
from mmbench.report.tables.compare import Arms, Duel, cell_pairs, duel, session_pairs
from mmbench.report.tables.summary import Summary

DRAWN = 6
"""Comparisons with a chart of the arm with mm; the others have their table."""
ROWS = 200
"""Cases in one table: those that differ most."""


def cells_path(left: Summary, right: Summary) -> str:
    """Return the address of the comparison of two cells."""
    one, other = left.cell, right.cell
    return f"compare/cells/{one.agent}/{one.profile}/{other.agent}/{other.profile}.html"


def sessions_path(older: str, newer: str) -> str:
    """Return the address of the comparison of two sessions."""
    return f"compare/sessions/{newer}/{older}.html"


def pages(site: Site) -> Iterator[Page]:
    """Yield the list of comparisons and every one of them."""
    board = site.boards[0] if site.boards else None
    rows = [row.summary for row in board.rows] if board else []
    listed: dict[str, list[dict[str, str]]] = {"cells": [], "sessions": []}
    left = DRAWN
    for one, other in cell_pairs(rows):
        path = cells_path(one, other)
        names = (_cell(one), _cell(other))
        listed["cells"].append({"path": path, "left": names[0], "right": names[1]})
        yield _page(path, duel(one, other), names, left > 0)
        left -= 1
    for older, newer in sorted(
        session_pairs(list(site.cells.values())), key=lambda p: p[1].order, reverse=True
    ):
        path = sessions_path(older.id, newer.id)
        names = (f"{older.started[:10]}", f"{newer.started[:10]}")
        if names[0] == names[1]:
            names = (older.started[:16], newer.started[:16])
        cell = f"{newer.cell.agent} · {newer.cell.profile}"
        listed["sessions"].append({"path": path, "left": names[0], "right": names[1], "cell": cell})
        yield _page(path, duel(site.by_session[older.id], site.by_session[newer.id]), names, left > 0)
        left -= 1
    yield Page("compare.html", "compares.html", listed)


def _cell(summary: Summary) -> str:
    return f"{summary.cell.agent} · {summary.cell.profile}"


def _page(path: str, found: Duel, names: tuple[str, str], drawn: bool) -> Page:
    context: dict[str, Any] = {"duel": found, "left": names[0], "right": names[1]}
    context["arms"] = [
        {
            "arm": arms.arm,
            "id": arms.arm.replace(" ", "-"),
            "c": arms.comparison,
            "difference": arms.difference,
            "rows": arms.comparison.cases[:ROWS],
            "figure": _figure(arms, names) if drawn and arms.arm == "with mm" else None,
        }
        for arms in found.arms
    ]
    figures = tuple(arm["figure"] for arm in context["arms"] if arm["figure"])
    return Page(path, "compare.html", context, figures)


def _figure(arms: Arms, names: tuple[str, str]) -> Figure | None:
    rows = [_row(case) for case in arms.comparison.cases]
    c = arms.comparison
    title = f"{names[1]} is ahead in {c.wins} cases, behind in {c.losses}, level in {c.ties}"
    return per_case(rows, f"chart-{arms.arm.replace(' ', '-')}", names, f"all runs {arms.arm}", title)


def _row(case: CaseDifference) -> CaseRow:
    return CaseRow(case.case, case.without, case.with_, None, None, None, None, case.runs, case.runs, ())
