"""Whether time or order leaks into the scores: drift over a session, and which arm ran first."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from mmbench.power import Interval, student_quantile, student_tail
from mmbench.report.stats.pairs import PairScore, sound


@dataclass(frozen=True, slots=True)
class Placed:
    """One graded trial and its place (0, 1, ...) in the order in which a session ran."""

    case: str
    arm: str
    position: int
    score: float


@dataclass(frozen=True, slots=True)
class Slope:
    """A regression slope with its clustered 95 % interval; None where the data hold no answer."""

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    clusters: int

    @property
    def interval(self) -> Interval | None:
        """Return the interval, or None."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)


def position_drift(trials: Iterable[Placed], *, per: int = 100) -> Slope:
    """Return the points of correctness gained per `per` trials as a session goes on; near 0 is sound.

    Source: least squares of the score on the position, with each (case, arm)
    around its own mean when cases repeat and around its arm's mean when not;
    clustered by case.
    """
    trials = list(trials)
    repeated = len({(trial.case, trial.arm) for trial in trials}) < len(trials)
    groups = [(trial.case if repeated else "", trial.arm) for trial in trials]
    scores = _centred([trial.score for trial in trials], groups)
    places = _centred([trial.position / per for trial in trials], groups)
    return slope(places, scores, [trial.case for trial in trials])


def order_effect(pairs: Iterable[PairScore]) -> Slope:
    """Return how many points the gain grows when the with-arm runs first; near 0 is sound.

    Source: difference of mean gains by order as a regression slope, clustered as the lift is.
    """
    known = [pair for pair in sound(pairs) if pair.with_first is not None]
    first = [float(pair.with_first is True) for pair in known]
    return slope(first, [pair.gain for pair in known], [pair.cluster for pair in known])


def slope(xs: Sequence[float], ys: Sequence[float], clusters: Sequence[str]) -> Slope:
    """Return the least-squares slope of ys on xs with a cluster-robust t interval.

    Source: Cameron & Miller 2015 (CR1, clusters - 1 degrees of freedom). Not
    defined without spread in xs, and without an interval under two clusters.
    """
    groups = len(set(clusters))
    if not xs or max(xs) - min(xs) <= 1e-12:
        return Slope(None, None, None, None, len(xs), groups)
    x_mean, y_mean = fmean(xs), fmean(ys)
    spread = math.fsum((x - x_mean) ** 2 for x in xs)
    value = math.fsum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / spread
    moments: defaultdict[str, float] = defaultdict(float)
    for x, y, cluster in zip(xs, ys, clusters, strict=True):
        moments[cluster] += (x - x_mean) * (y - y_mean - value * (x - x_mean))
    return _with_error(value, moments, spread, len(xs))


def _with_error(value: float, moments: dict[str, float], spread: float, n: int) -> Slope:
    groups = len(moments)
    if groups < 2 or n < 3:
        return Slope(value, None, None, None, n, groups)
    scale = groups / (groups - 1) * (n - 1) / (n - 2)
    error = math.sqrt(scale * math.fsum(m * m for m in moments.values())) / spread
    if error <= 1e-12 * max(1.0, abs(value)):
        return Slope(value, None, None, None, n, groups)
    half = student_quantile(0.975, groups - 1) * error
    p = min(1.0, 2 * student_tail(abs(value) / error, groups - 1))
    return Slope(value, value - half, value + half, p, n, groups)


def _centred(values: Sequence[float], groups: Sequence[tuple[str, str]]) -> list[float]:
    members: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for value, group in zip(values, groups, strict=True):
        members[group].append(value)
    means = {group: fmean(of) for group, of in members.items()}
    return [value - means[group] for value, group in zip(values, groups, strict=True)]
