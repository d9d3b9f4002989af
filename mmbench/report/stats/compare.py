"""Two arms, sessions or agents case by case: wins, ties and losses, McNemar, differing cases first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from mmbench.power import Interval
from mmbench.report.stats.exact import mcnemar, share_interval
from mmbench.report.stats.pairs import Arm, Counts, PairScore, by_case, excluded, sound

TIE = 1e-9
"""Default size of a difference, in points, under which a case is a tie."""

Outcome = Literal["win", "tie", "loss"]


@dataclass(frozen=True, slots=True)
class CaseDifference:
    """Mean correctness of one case on either side, and whether most of its runs pass there."""

    case: str
    without: float
    with_: float
    passed_without: bool
    passed_with: bool
    runs: int
    outcome: Outcome

    @property
    def difference(self) -> float:
        """Return with minus without, in points."""
        return self.with_ - self.without


@dataclass(frozen=True, slots=True)
class Comparison:
    """Case counts and tests; `cases` differ most first. `share` is wins plus half the ties over `n`.

    `only_with` cases pass with and fail without, and so on; `p` is McNemar's
    exact p on those two, `p_sign` the exact sign test on wins and losses.
    """

    n: int
    wins: int
    ties: int
    losses: int
    share: float | None
    interval: Interval | None
    both: int
    only_with: int
    only_without: int
    neither: int
    p: float
    p_sign: float
    cases: tuple[CaseDifference, ...]
    excluded: Counts


def compare(pairs: Iterable[PairScore], *, tie: float = TIE) -> Comparison:
    """Return the paired comparison of both sides over sound pairs, each case once.

    Source: McNemar 1947 (exact), Dixon & Mood 1946 (sign test), Wilson 1927. A
    case passes on a side when more than half of its runs do; differences up to
    `tie` points are ties.
    """
    pairs = list(pairs)
    rows = [_difference(case, runs, tie) for case, runs in by_case(sound(pairs)).items()]
    outcomes = [row.outcome for row in rows]
    wins, ties, losses = (outcomes.count(kind) for kind in ("win", "tie", "loss"))
    passed = [(row.passed_without, row.passed_with) for row in rows]
    only_with, only_without = passed.count((False, True)), passed.count((True, False))
    return Comparison(
        n=len(rows),
        wins=wins,
        ties=ties,
        losses=losses,
        share=(wins + ties / 2) / len(rows) if rows else None,
        interval=share_interval(wins + ties / 2, len(rows)),
        both=passed.count((True, True)),
        only_with=only_with,
        only_without=only_without,
        neither=passed.count((False, False)),
        p=mcnemar(only_without, only_with),
        p_sign=mcnemar(losses, wins),
        cases=tuple(sorted(rows, key=lambda row: (-abs(row.difference), row.case))),
        excluded=excluded(pairs),
    )


def _difference(case: str, runs: Sequence[PairScore], tie: float) -> CaseDifference:
    without, with_ = (fmean(pair.score(arm) for pair in runs) for arm in ("without", "with"))
    return CaseDifference(
        case=case,
        without=without,
        with_=with_,
        passed_without=_mostly_passed(runs, "without"),
        passed_with=_mostly_passed(runs, "with"),
        runs=len(runs),
        outcome=_outcome(with_ - without, tie),
    )


def _mostly_passed(runs: Sequence[PairScore], arm: Arm) -> bool:
    return 2 * sum(pair.passed(arm) for pair in runs) > len(runs)


def _outcome(difference: float, tie: float) -> Outcome:
    if abs(difference) <= tie:
        return "tie"
    return "win" if difference > 0 else "loss"
