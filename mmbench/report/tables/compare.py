"""Any two cells or sessions, one arm at a time, case by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from mmbench.report.model import Session, Trial
from mmbench.report.stats.compare import Comparison, compare
from mmbench.report.stats.effect import Lift, lift
from mmbench.report.stats.pairs import PairScore
from mmbench.report.tables.cases import mean
from mmbench.report.tables.pairs import Pair
from mmbench.report.tables.summary import Summary

CELLS = 8
"""Cells of one board that are compared, each with each."""


@dataclass(frozen=True, slots=True)
class Arms:
    """The comparison of one arm: `left` stands where statistics say without, `right` where they say with."""

    arm: str
    comparison: Comparison
    difference: Lift


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
    arms = []
    for arm in ("with mm", "without mm"):
        scores = _scores(left, right, arm)
        arms.append(Arms(arm, compare(scores), lift(scores)))
    return Duel(left, right, tuple(arms))


def _scores(left: Summary, right: Summary, arm: str) -> list[PairScore]:
    """Return one value per case and side, the mean of its sound runs: the sides may have run unequally often."""
    first, second = _runs(left, arm), _runs(right, arm)
    return [
        PairScore(
            case,
            first[case][0].cluster,
            1,
            _mean(first[case], arm),
            _mean(second[case], arm),
            threshold=first[case][0].threshold,
        )
        for case in sorted(first.keys() & second.keys())
    ]


def _mean(pairs: Sequence[Pair], arm: str) -> float | None:
    return mean(_trial(pair, arm).correctness for pair in pairs)


def _runs(summary: Summary, arm: str) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for pair in summary.pairs:
        if _trial(pair, arm).sound:
            found.setdefault(pair.case, []).append(pair)
    return found


def _trial(pair: Pair, arm: str) -> Trial:
    return pair.with_ if arm == "with mm" else pair.without


def cell_pairs(summaries: Sequence[Summary]) -> list[tuple[Summary, Summary]]:
    """Return each two of the first cells."""
    return list(combinations(summaries[:CELLS], 2))


def session_pairs(cells: Sequence[Sequence[Session]]) -> list[tuple[Session, Session]]:
    """Return each session with the one before it in its cell; sessions come newest first."""
    return [(older, newer) for cell in cells for newer, older in pairwise(cell)]
