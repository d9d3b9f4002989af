"""The leaderboard cut down: to one agent, one profile, or the cases of one kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mmbench.report.model import Case
from mmbench.report.tables.board import Board, over

FACETS: tuple[tuple[str, Callable[[Case], Iterable[str]]], ...] = (
    ("kind", lambda case: (case.archetype,)),
    ("files", lambda case: case.modality),
    ("difficulty", lambda case: (case.difficulty,)),
    ("tag", lambda case: case.tags),
)
MOST = 40
"""Values of one facet that get a page."""


@dataclass(frozen=True, slots=True)
class View:
    """A part of a leaderboard under a name."""

    facet: str
    value: str
    board: Board


def views(board: Board, cases: Mapping[str, Case]) -> list[View]:
    """Return the parts of a leaderboard that are smaller than the whole."""
    found = [_cells(board, "agent", name) for name in _values(row.summary.cell.agent for row in board.rows)]
    profiles = _values(row.summary.cell.profile for row in board.rows)
    found += [_cells(board, "profile", name) for name in profiles]
    ran = {case for row in board.rows for case in row.summary.cases}
    known = [cases[name] for name in sorted(ran) if name in cases]
    for facet, of in FACETS:
        for value in _values(value for case in known for value in of(case)):
            chosen = frozenset(case.id for case in known if value in of(case))
            if chosen != ran:
                found.append(View(facet, value, over(board, chosen)))
    return found


def _values(values: Iterable[str]) -> list[str]:
    """Return the different values, none when there is only one."""
    different = sorted(set(values))
    return different[:MOST] if len(different) > 1 else []


def _cells(board: Board, facet: Literal["agent", "profile"], name: str) -> View:
    """Keep the rows of one agent or profile, with the places that they hold among all."""
    rows = tuple(row for row in board.rows if getattr(row.summary.cell, facet) == name)
    return View(facet, name, replace(board, rows=rows, references=()))
