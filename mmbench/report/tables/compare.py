"""Any two cells or sessions, one arm at a time, case by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

from mmbench.report.model import Session, Trial
from mmbench.report.stats.compare import Comparison, compare
from mmbench.report.stats.effect import Lift, lift
from mmbench.report.stats.pairs import PairScore
from mmbench.report.tables.cases import mean
from mmbench.report.tables.pairs import Pair
from mmbench.report.tables.summary import Summary

ARMS = ("with mm", "without mm")
CELLS = 10
"""Cells of one board that are compared, each with each."""
SESSIONS = 4
"""Newest sessions of a cell that are compared, each with each; older ones with the one before."""


class CaseMean(NamedTuple):
    """What one side has of a case in one arm: the mean of its sound runs, as the script of the page reads it."""

    case: str
    cluster: str
    threshold: float
    mean: float
    runs: int


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison in one arm, by case id."""

    cases: tuple[CaseMean, ...]
    left_out: int
    """Scheduled trials without a score that counts."""


def side(summary: Summary, arm: str) -> Side:
    """Return what a summary brings into a comparison of one arm."""
    return summary.memo.of(f"side {arm} {summary.identity}", Side, lambda: _side(summary, arm))


def _side(summary: Summary, arm: str) -> Side:
    runs: dict[str, list[Pair]] = {}
    left_out = 0
    for pair in summary.pairs:
        if _trial(pair, arm).sound:
            runs.setdefault(pair.case, []).append(pair)
        else:
            left_out += 1
    return Side(tuple(_mean(runs[case], arm) for case in sorted(runs)), left_out)


def _mean(pairs: Sequence[Pair], arm: str) -> CaseMean:
    first, found = pairs[0], mean(_trial(pair, arm).correctness for pair in pairs)
    return CaseMean(first.case, first.cluster, first.threshold, found or 0.0, len(pairs))


def _trial(pair: Pair, arm: str) -> Trial:
    return pair.with_ if arm == "with mm" else pair.without


@dataclass(frozen=True, slots=True)
class Arms:
    """The comparison of one arm: `left` stands where statistics say without, `right` where they say with."""

    arm: str
    comparison: Comparison
    difference: Lift
    only: tuple[int, int]
    """Cases that only the left, only the right side has."""
    left_out: tuple[int, int]
    """Trials of either side that stand in no figure."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Two summaries side by side; comparable only under one method."""

    left: Summary
    right: Summary
    arms: tuple[Arms, ...]

    @property
    def same_method(self) -> bool:
        """Tell whether all that should be equal is."""
        return self.left.method == self.right.method


def duel(left: Summary, right: Summary) -> Duel:
    """Compare two summaries over the cases that both have."""
    key = f"duel {left.identity} {right.identity}"
    return Duel(left, right, left.memo.of(key, tuple[Arms, ...], lambda: _duel(left, right)))


def _duel(left: Summary, right: Summary) -> tuple[Arms, ...]:
    return tuple(against(arm, side(left, arm), side(right, arm)) for arm in ARMS)


def against(arm: str, left: Side, right: Side) -> Arms:
    """Compare two sides in one arm."""
    scores = _scores(left, right)
    only = (len(left.cases) - len(scores), len(right.cases) - len(scores))
    return Arms(arm, compare(scores), lift(scores), only, (left.left_out, right.left_out))


def _scores(left: Side, right: Side) -> list[PairScore]:
    """Return one value per case and side, the mean of its sound runs: the sides may have run unequally often."""
    others = {found.case: found for found in right.cases}
    return [
        PairScore(one.case, one.cluster, 1, one.mean, others[one.case].mean, threshold=one.threshold)
        for one in left.cases
        if one.case in others
    ]


def cell_pairs(summaries: Sequence[Summary]) -> list[tuple[Summary, Summary]]:
    """Return each two of the first cells."""
    return list(combinations(summaries[:CELLS], 2))


def session_pairs(cells: Sequence[Sequence[Session]]) -> list[tuple[Session, Session]]:
    """Return (older, newer): each two of the newest of a cell, older ones with the one before.

    Sessions come newest first.
    """
    return [
        (older, newer)
        for cell in cells
        for newer, older in (*combinations(cell[:SESSIONS], 2), *pairwise(cell[SESSIONS - 1 :]))
    ]
