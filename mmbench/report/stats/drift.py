"""Whether time or order leaks into the scores: drift over a session, and which arm ran first."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

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


class Moments(NamedTuple):
    """Sums over one cluster of x·x and x·y, both around their means: all that a slope takes of it."""

    xx: float
    xy: float


@dataclass(frozen=True, slots=True)
class Course:
    """All that the drift takes of one session: the moments of place and score by case, over `n` trials."""

    clusters: dict[str, Moments]
    n: int

    @classmethod
    def of(cls, trials: Iterable[Placed], *, per: int = 100) -> Course:
        """Take the trials of one session; places count in steps of `per` trials.

        Each (case, arm) is held around its own mean when cases repeat, and around its arm's mean when not.
        """
        trials = list(trials)
        repeated = len({(trial.case, trial.arm) for trial in trials}) < len(trials)
        groups = [(trial.case if repeated else "", trial.arm) for trial in trials]
        scores = _centred([trial.score for trial in trials], groups)
        places = _centred([trial.position / per for trial in trials], groups)
        return cls(_moments(places, scores, [trial.case for trial in trials]), len(trials))


def position_drift(courses: Iterable[Course]) -> Slope:
    """Return the points of correctness gained per step as sessions go on; near 0 is sound.

    Source: least squares of the score on the place, both around their means, clustered by session and case.
    """
    courses = list(courses)
    moments = [found for course in courses for found in course.clusters.values()]
    return _slope(moments, sum(course.n for course in courses))


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
    x_mean, y_mean = (fmean(xs), fmean(ys)) if xs else (0.0, 0.0)
    centred = [x - x_mean for x in xs], [y - y_mean for y in ys]
    return _slope(list(_moments(*centred, clusters).values()), len(xs))


def _moments(xs: Sequence[float], ys: Sequence[float], clusters: Sequence[str]) -> dict[str, Moments]:
    found: dict[str, Moments] = {}
    for x, y, cluster in zip(xs, ys, clusters, strict=True):
        xx, xy = found.get(cluster, (0.0, 0.0))
        found[cluster] = Moments(xx + x * x, xy + x * y)
    return found


def _slope(moments: Sequence[Moments], n: int) -> Slope:
    groups, spread = len(moments), math.fsum(found.xx for found in moments)
    if spread <= 1e-12:
        return Slope(None, None, None, None, n, groups)
    value = math.fsum(found.xy for found in moments) / spread
    if groups < 2 or n < 3:
        return Slope(value, None, None, None, n, groups)
    left = [found.xy - value * found.xx for found in moments]
    scale = groups / (groups - 1) * (n - 1) / (n - 2)
    error = math.sqrt(scale * math.fsum(x * x for x in left)) / spread
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
