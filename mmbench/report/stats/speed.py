"""Speedup: how many times faster an agent finishes with mm, with timeouts as what they are, censored.

A run that was cut at the limit took longer than the limit, nobody knows by
how much. It never enters as a time; it is counted, and it bounds the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Literal, NamedTuple

from mmbench.errors import DataError
from mmbench.report.stats.pairs import (
    MISSING,
    Counts,
    added,
    by_case,
    case_clusters,
    excluded,
    merged,
    sentences,
    sound,
)
from mmbench.report.stats.ratios import geometric_ratio

MAX_CENSORED = 0.20
"""Above this share of censored pairs there is no point estimate."""

End = Literal["completed", "timeout", "failed"]
Population = Literal["completed", "correct"]


@dataclass(frozen=True, slots=True)
class ArmTime:
    """Wall-clock seconds of one trial (the limit, when it timed out), how it ended, and whether it passed."""

    seconds: float
    end: End = "completed"
    correct: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.seconds) and self.seconds > 0):
            raise DataError(f"A trial cannot take {self.seconds} seconds.")


@dataclass(frozen=True, slots=True)
class PairTime:
    """Times of both arms of one (case, run); `excluded` as in PairScore.

    `failed` ends (an agent's crash, no answer) are neither times nor
    censored: such a pair leaves the speedup and is counted as failed.
    """

    case: str
    cluster: str
    run: int
    without: ArmTime | None
    with_: ArmTime | None
    excluded: str = ""

    @property
    def reason(self) -> str:
        """Return why the pair is unusable, or '' when it is sound."""
        return self.excluded or (MISSING if self.without is None or self.with_ is None else "")

    @property
    def arms(self) -> tuple[ArmTime, ArmTime]:
        """Return both times; DataError when one is missing."""
        if self.without is None or self.with_ is None:
            raise DataError(f"Case '{self.case}', run {self.run}, lacks a time.")
        return self.without, self.with_


@dataclass(frozen=True, slots=True)
class CensoredShare:
    """Share (0..1) of the population's pairs in which one arm, or either, timed out."""

    without: float
    with_: float
    pairs: float


@dataclass(frozen=True, slots=True)
class SpeedBounds:
    """What the speedup can be, whatever the censored runs would have taken; None is no bound.

    `low` and `high` bound the geometric mean, `median_low` and `median_high`
    the median over cases, which stays bounded with timeouts on both sides.
    """

    low: float | None
    high: float | None
    median_low: float | None
    median_high: float | None


@dataclass(frozen=True, slots=True)
class Speedup:
    """Geometric mean of time without over time with: over 1, mm is faster.

    `pairs` counts the pairs whose times enter, of `eligible` in the
    population. `point` and the interval are None above 20 % censored pairs.
    """

    population: Population
    point: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    pairs: int
    eligible: int
    censored_share: CensoredShare | None
    bounds: SpeedBounds | None
    p: float | None
    mde: float | None
    note: str
    excluded: Counts


class Timed(NamedTuple):
    """Both times of one (case, run): the log of without over with, and which of them is only a lower bound."""

    log: float
    without_cut: bool
    with_cut: bool

    @property
    def censored(self) -> bool:
        """Tell whether an arm timed out."""
        return self.without_cut or self.with_cut


@dataclass(frozen=True, slots=True)
class Times:
    """All that a speedup follows from: the times of every eligible run by case, and what was left out."""

    population: Population
    cases: dict[str, list[Timed]]
    clusters: dict[str, str]
    excluded: Counts

    @classmethod
    def of(cls, pairs: Iterable[PairTime], population: Population = "completed") -> Times:
        """Take the times of one cell's scheduled pairs; DataError on doubled pairs.

        A pair belongs to the population when each of its arms qualifies or timed out.
        """
        pairs = list(pairs)
        usable = sound(pairs)
        eligible = [pair for pair in usable if all(_eligible(arm, population) for arm in pair.arms)]
        cases = {case: [_timed(pair) for pair in runs] for case, runs in by_case(eligible).items()}
        left_out = _left_out(pairs, len(usable) - len(eligible), population)
        return cls(population, cases, case_clusters(eligible), left_out)

    @classmethod
    def together(cls, parts: Iterable[Times]) -> Times:
        """Put several cells together: the runs of a case follow each other, in the cluster of the first."""
        parts = list(parts)
        cases, clusters = merged((part.cases, part.clusters) for part in parts)
        return cls(parts[0].population, cases, clusters, added(part.excluded for part in parts))


def speedup(pairs: Iterable[PairTime], population: Population = "completed") -> Speedup:
    """Return the speedup over pairs whose arms both completed, or were both correct as well.

    Source: Fleming & Wallace 1986 on the logs, clustered as in Miller 2024;
    timeouts are right-censored. DataError on doubled pairs.
    """
    return speed_of(Times.of(pairs, population))


def speed_of(times: Times) -> Speedup:
    """Return the speedup that some times come to, as `speedup` does."""
    eligible = [timed for runs in times.cases.values() for timed in runs]
    logs = {case: [run.log for run in runs if not run.censored] for case, runs in times.cases.items()}
    known = {case: runs for case, runs in logs.items() if runs}
    ratio = geometric_ratio(known, times.clusters)
    found = Speedup(
        population=times.population,
        point=ratio.point,
        low=ratio.low,
        high=ratio.high,
        n=ratio.n,
        clusters=ratio.clusters,
        pairs=ratio.pairs,
        eligible=len(eligible),
        censored_share=_censored_share(eligible) if eligible else None,
        bounds=_bounds(times) if eligible else None,
        p=ratio.p,
        mde=ratio.mde,
        note=ratio.note,
        excluded=times.excluded,
    )
    return _censor(found)


def _censor(found: Speedup) -> Speedup:
    """Withhold the point where too much is censored, else say how much is."""
    share = found.censored_share.pairs if found.censored_share else 0.0
    if share > MAX_CENSORED:
        note = f"{share:.0%} of pairs are censored by timeouts, more than {MAX_CENSORED:.0%}: bounds only."
        return replace(found, point=None, low=None, high=None, p=None, mde=None, note=note)
    if share > 0:
        return replace(
            found, note=sentences(f"{share:.0%} of pairs are censored and not in the point.", found.note)
        )
    return found


def _censored_share(runs: Sequence[Timed]) -> CensoredShare:
    """Return the share of timeouts per arm and of pairs with any, over at least one."""
    without, with_ = sum(run.without_cut for run in runs), sum(run.with_cut for run in runs)
    return CensoredShare(without / len(runs), with_ / len(runs), sum(r.censored for r in runs) / len(runs))


def _bounds(times: Times) -> SpeedBounds:
    """Return the bounds that the censored runs leave.

    Source: worst-case bounds of Manski 1990 with each censored time anywhere
    from its limit to infinity.
    """
    lows = [fmean(-math.inf if run.with_cut else run.log for run in runs) for runs in times.cases.values()]
    highs = [fmean(math.inf if run.without_cut else run.log for run in runs) for runs in times.cases.values()]
    return SpeedBounds(
        low=_finite_exp(math.fsum(lows) / len(lows)),
        high=_finite_exp(math.fsum(highs) / len(highs)),
        median_low=_finite_exp(median(lows)),
        median_high=_finite_exp(median(highs)),
    )


def _timed(pair: PairTime) -> Timed:
    without, with_ = pair.arms
    log = math.log(without.seconds) - math.log(with_.seconds)
    return Timed(log, without.end == "timeout", with_.end == "timeout")


def _finite_exp(value: float) -> float | None:
    return math.exp(value) if math.isfinite(value) else None


def _eligible(arm: ArmTime, population: Population) -> bool:
    return _QUALIFIES[population](arm) or arm.end == "timeout"


def _left_out(pairs: Sequence[PairTime], outside: int, population: Population) -> Counts:
    label = "failed" if population == "completed" else "not both correct"
    return tuple(sorted([*excluded(pairs), *([(label, outside)] if outside else [])]))


_QUALIFIES: dict[Population, Callable[[ArmTime], bool]] = {
    "completed": lambda arm: arm.end == "completed",
    "correct": lambda arm: arm.end == "completed" and arm.correct,
}
