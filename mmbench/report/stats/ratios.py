"""Ratios of positive amounts, averaged on the logarithm: the engine under speed, tokens and cost.

A mean of ratios and a ratio of sums are both biased or ruled by the largest
case; the geometric mean of ratios is neither (Fleming & Wallace 1986).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from mmbench.power import POWER_FACTOR, Estimate, clustered_mean
from mmbench.report.stats.pairs import MIN_CASES


@dataclass(frozen=True, slots=True)
class Ratio:
    """A geometric mean ratio without/with over `n` cases, `pairs` pairs: over 1 means less with mm.

    `low` and `high` are the 95 % interval, None where `note` says why; `mde`
    is the smallest ratio over 1 that is found with 80 % power.
    """

    point: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    pairs: int
    p: float | None
    mde: float | None
    note: str

    @property
    def distinguishable(self) -> bool:
        """Return whether the interval leaves out 1."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high


def geometric_ratio(logs: Mapping[str, Sequence[float]], clusters: Mapping[str, str]) -> Ratio:
    """Return the geometric mean of ratios, each case once, with exp of the clustered t interval.

    `logs` holds for each case the natural log of without/with of every run,
    at least one; `clusters` the cluster of each case. Source: Fleming &
    Wallace 1986 for the mean, Miller 2024 for the interval on the logs.
    """
    if not logs:
        return Ratio(None, None, None, 0, 0, 0, None, None, "No usable pair.")
    cases = sorted(logs)
    estimate = clustered_mean([fmean(logs[case]) for case in cases], [clusters[case] for case in cases])
    shown = estimate.interval if estimate.n >= MIN_CASES else None
    return Ratio(
        point=math.exp(estimate.point),
        low=math.exp(shown.low) if shown else None,
        high=math.exp(shown.high) if shown else None,
        n=estimate.n,
        clusters=estimate.clusters,
        pairs=sum(map(len, logs.values())),
        p=estimate.p if shown else None,
        mde=math.exp(POWER_FACTOR * estimate.se) if estimate.se else None,
        note=_note(estimate),
    )


def _note(estimate: Estimate) -> str:
    if estimate.clusters < 2:
        return "Insufficient: a single cluster has no standard error, so there is no interval."
    if estimate.n < MIN_CASES:
        return f"The interval is withheld under {MIN_CASES} cases."
    if estimate.interval is None:
        return "All ratios are equal: there is no spread to make an interval from."
    return "Not distinguishable from 1." if 0 in estimate.interval else ""
