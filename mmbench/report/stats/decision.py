"""What a lift comes to: improves, harms, equivalent or inconclusive, and what is still needed to tell.

This verdict is the report's on a cell, not the judge's on an outcome.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mmbench.power import POWER_FACTOR, power_factor
from mmbench.report.stats.effect import Lift
from mmbench.report.stats.exact import holm
from mmbench.report.stats.pairs import MIN_CASES, sentences

MARGIN = 5.0
"""Default equivalence margin, in points: a lift within it changes nothing that matters."""

ALPHA = 0.05

Call = Literal["IMPROVES", "HARMS", "EQUIVALENT", "INCONCLUSIVE", "WITHHELD"]


@dataclass(frozen=True, slots=True)
class Design:
    """How many cases of how many runs each."""

    cases: int
    runs: int

    def __str__(self) -> str:
        return f"{self.cases} cases × {self.runs} {'run' if self.runs == 1 else 'runs'}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A call with its reason; `needed` holds the designs that would settle an inconclusive one."""

    call: Call
    reason: str
    margin: float
    needed: tuple[Design, ...] = ()


def verdict(lift: Lift, *, margin: float = MARGIN, adjusted_p: float | None = None) -> Verdict:
    """Return what a lift says against the equivalence margin that the plan declares, in points.

    Source: Schuirmann 1987 for equivalence, with the 95 % interval where two
    one-sided tests would use the 90 % one. An interval within the margin is
    EQUIVALENT even when it leaves out 0: too small to matter is decided
    first. With `adjusted_p` (Holm's, over the family of agents) a difference
    must hold there too. WITHHELD while scheduled pairs are missing.
    """
    if lift.missing:
        waiting = "1 scheduled pair has" if lift.missing == 1 else f"{lift.missing} scheduled pairs have"
        return Verdict("WITHHELD", f"{waiting} no score yet.", margin)
    interval = lift.interval
    if interval is None or lift.point is None:
        return Verdict("INCONCLUSIVE", lift.note, margin, designs_needed(lift, margin))
    if -margin <= interval.low and interval.high <= margin:
        beyond = "" if 0 in interval else "It leaves out 0, but is too small to matter."
        reason = sentences(f"The interval lies within ±{margin:g} points.", beyond)
        return Verdict("EQUIVALENT", reason, margin)
    if 0 in interval:
        return _inconclusive(lift, margin, "The interval holds 0 and reaches beyond the margin.")
    if adjusted_p is not None and adjusted_p >= ALPHA:
        reason = (
            f"Over the family of agents the difference does not hold (Holm-adjusted p = {adjusted_p:.3f})."
        )
        return _inconclusive(lift, margin, reason)
    side: Call = "IMPROVES" if lift.point > 0 else "HARMS"
    return Verdict(side, f"The interval lies {'above' if lift.point > 0 else 'below'} 0.", margin)


def verdicts(lifts: Mapping[str, Lift], *, margin: float = MARGIN) -> dict[str, Verdict]:
    """Return one verdict per agent, each held against Holm's adjustment over all of them.

    Lifts without a p (interval withheld, or all cases alike) are no test and not in the family.
    """
    adjusted = holm({name: lift.p for name, lift in lifts.items() if lift.p is not None})
    return {name: verdict(lift, margin=margin, adjusted_p=adjusted.get(name)) for name, lift in lifts.items()}


def designs_needed(lift: Lift, margin: float = MARGIN) -> tuple[Design, ...]:
    """Return the designs that would find the observed lift, or the margin if that is larger, at 80 % power.

    Source: Miller 2024, section 5, scaled from the observed error and, with
    few clusters, by Student's quantiles. The second
    design doubles the runs, for where more cases are dear; it needs repeats
    to know what runs are worth.
    """
    runs = max(1, lift.runs)
    if lift.tied:
        return (Design(_cases_to_bound(margin), runs),)
    if lift.mde is None or lift.point is None:
        return (Design(MIN_CASES, runs),)
    reach = lift.mde * power_factor(lift.clusters) / POWER_FACTOR
    cases = lift.n * (reach / max(abs(lift.point), margin)) ** 2
    same = Design(max(MIN_CASES, lift.n + 1, math.ceil(cases)), runs)
    gain = _worth_of_doubling(lift)
    if gain is None:
        return (same,)
    return same, Design(max(MIN_CASES, math.ceil(cases * gain)), 2 * runs)


def _worth_of_doubling(lift: Lift) -> float | None:
    """Return the variance of a case's mean gain with twice the runs, relative to now."""
    if lift.sd_within is None or lift.sd_between is None:
        return None
    noise = lift.sd_within**2 / lift.runs
    total = lift.sd_between**2 + noise
    return (lift.sd_between**2 + noise / 2) / total if total else None


def _cases_to_bound(margin: float) -> int:
    """Return how many cases, none of which moves, bring the exact bound on movers under the margin."""
    return math.ceil(math.log(ALPHA / 2) / math.log1p(-margin / 100))


def _inconclusive(lift: Lift, margin: float, reason: str) -> Verdict:
    return Verdict("INCONCLUSIVE", reason, margin, designs_needed(lift, margin))
