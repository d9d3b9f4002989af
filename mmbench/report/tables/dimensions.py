"""Correctness by what a case is: its archetype, its kinds of files, its difficulty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mmbench.report.model import Case
from mmbench.report.tables.cases import CaseRow, mean

DIMENSIONS: tuple[tuple[str, Callable[[Case], Iterable[str]]], ...] = (
    ("archetype", lambda case: (case.archetype,)),
    ("files", lambda case: case.modality),
    ("difficulty", lambda case: (case.difficulty,)),
)
_ORDER = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Ability:
    """One value of one dimension: mean over its cases, each case once."""

    dimension: str
    value: str
    cases: int
    without: float
    with_: float


def abilities(rows: Sequence[CaseRow], cases: Mapping[str, Case]) -> list[Ability]:
    """Return correctness by dimension over the cases whose content is known."""
    known = [row for row in rows if row.case in cases and row.gain is not None]
    found = []
    for name, values in DIMENSIONS:
        groups: dict[str, list[CaseRow]] = {}
        for row in known:
            for value in values(cases[row.case]):
                groups.setdefault(value, []).append(row)
        for value in sorted(groups, key=lambda v: (_ORDER.index(v) if v in _ORDER else 0, v)):
            found.append(_ability(name, value, groups[value]))
    return found


def _ability(name: str, value: str, rows: Sequence[CaseRow]) -> Ability:
    without, with_ = mean(row.without for row in rows), mean(row.with_ for row in rows)
    return Ability(name, value, len(rows), without or 0.0, with_ or 0.0)
