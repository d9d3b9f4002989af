"""The words and rows of a comparison of one arm.

`site/assets/compare.js` says the same of any two sides in the browser; a test
holds both against each other, so a change here is a change there.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from mmbench.report import figures
from mmbench.report.stats.compare import CaseDifference, Comparison
from mmbench.report.tables.compare import Arms

ROWS = 150
"""Cases in one table: those that differ most."""


@dataclass(frozen=True, slots=True)
class Row:
    """One case as it stands in the table, with the coordinates of its dots."""

    case: str
    href: str | None
    left: str
    right: str
    difference: str
    sign: str
    start: str
    """Where the left dot stands, 0..100."""
    bar: str
    end: str
    """The path of the right dot."""


def rows(comparison: Comparison, known: Container[str]) -> list[Row]:
    """Return the cases that differ most, those first; a known case links to its page."""
    return [_row(case, case.case in known) for case in comparison.cases[:ROWS]]


def _row(case: CaseDifference, known: bool) -> Row:
    start, end = _place(case.without), _place(case.with_)
    return Row(
        case.case,
        f"case/{case.case}.html" if known else None,
        figures.points(case.without),
        figures.points(case.with_),
        figures.signed(case.difference),
        figures.sign(case.difference),
        start,
        f"M{start} 6H{end}",
        f"M{end} 1.5l4.5 4.5-4.5 4.5-4.5-4.5z",
    )


def _place(value: float) -> str:
    return f"{value:.1f}"


def words(arms: Arms, names: tuple[str, str]) -> dict[str, str]:
    """Return every text of the section by the name of its place, and `n`, empty when there is nothing to compare."""
    c, lift = arms.comparison, arms.difference
    left, right = names
    ahead = f"{right} is ahead in {c.wins} of {counted(c.n, 'case', 'cases')}, behind in {c.losses}, level in {c.ties}."
    cut = f"; the first {ROWS}" if c.n > ROWS else ""
    return {
        "n": str(c.n or ""),
        "left": left,
        "right": right,
        "finding": ahead if c.n else "They have no case in common that both finished.",
        "wins": str(c.wins),
        "ties": str(c.ties),
        "losses": str(c.losses),
        "difference": figures.signed(lift.point),
        "sign": figures.sign(lift.point) if lift.distinguishable else "flat",
        "interval": figures.interval(lift.low, lift.high),
        "note": lift.note,
        "p_sign": chance(c.p_sign),
        "p_mcnemar": chance(c.p),
        "both": str(c.both),
        "only_left": str(c.only_without),
        "only_right": str(c.only_with),
        "neither": str(c.neither),
        "rest": _rest(arms, names),
        "caption": f"{counted(c.n, 'case', 'cases')}, those that differ most first{cut}",
    }


def _rest(arms: Arms, names: tuple[str, str]) -> str:
    """Say what stands in no figure of the comparison."""
    said = [
        f"{counted(only, 'case', 'cases')} only of {name}"
        for only, name in zip(arms.only, names, strict=True)
        if only
    ]
    said += [
        f"{counted(lost, 'trial', 'trials')} of {name} without a score that counts"
        for lost, name in zip(arms.left_out, names, strict=True)
        if lost
    ]
    return f"Left out: {'; '.join(said)}." if said else ""


def counted(count: int, one: str, many: str) -> str:
    """Write a count with its noun."""
    return f"{count} {one if count == 1 else many}"


def chance(p: float) -> str:
    """Write a p value."""
    return "p < 0.001" if p < 0.001 else f"p = {figures.number(p, 3)}"
