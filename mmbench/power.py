"""How much a sample can tell: sampling error, intervals, and the smallest effect that a design detects.

Both halves need these few formulas: the planner before a token is spent, the
judge's accuracy command, and the report. Standard library only.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist, fmean
from typing import TypeVar

POWER_FACTOR = 2.80
"""z(0.975) + z(0.80): an effect of this many standard errors is found four times in five at α = 5 %."""

SD_BETWEEN = 12.0
"""Default spread of the true lift between cases, in points (see `detectable_lift`)."""

SD_WITHIN = 60.0
"""Default spread of one run's lift around its case's true lift, in points (see `detectable_lift`)."""

MIN_CLUSTERS = 8
"""Under this many clusters a jackknife says nothing: too few to learn their spread from."""

_ROUNDING = 1e-9  # relative size under which a spread is float noise


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends of an interval, in the unit of what it encloses."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """Return the distance between the ends."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its clustered standard error over `n` values in `clusters` groups.

    `se` is None with fewer than two clusters; `interval` is None then, and
    also when all values are equal, for no spread can be learnt from them.
    """

    point: float
    se: float | None
    interval: Interval | None
    n: int
    clusters: int

    @property
    def p(self) -> float | None:
        """Two-sided p of a zero mean: Student's t with clusters - 1 degrees of freedom."""
        if not self.se or self.interval is None:
            return None
        return min(1.0, 2 * student_tail(abs(self.point) / self.se, self.clusters - 1))


def betainc(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b).

    Source: continued fraction 8.17.22 of the NIST Digital Library of
    Mathematical Functions, evaluated from the top down by Lentz's method.
    Raises ValueError outside a > 0, b > 0, 0 <= x <= 1.
    """
    if not (a > 0 and b > 0 and 0 <= x <= 1):
        raise ValueError(f"betainc is not defined at a={a}, b={b}, x={x}")
    if x in (0.0, 1.0):
        return x
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast below the mean only
        return 1.0 - betainc(b, a, 1.0 - x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) / (a * _beta_fraction(a, b, x))


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction 1 + d1/(1 + d2/(1 + ...)) of `betainc`."""
    tiny = 1e-300
    value, c, d = 1.0, 1.0, 0.0
    for step in range(1, 100_000):
        m, odd = divmod(step, 2)
        if odd:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1.0 / ((1.0 + term * d) or tiny)
        c = (1.0 + term / c) or tiny
        value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            return value
    raise ArithmeticError(f"betainc did not converge at a={a}, b={b}, x={x}")


def student_tail(t: float, df: float) -> float:
    """Return P(T > t) of Student's t with `df` degrees of freedom.

    Source: Abramowitz & Stegun 26.7.1, through `betainc`.
    """
    tail = betainc(df / 2, 0.5, df / (df + t * t)) / 2
    return tail if t >= 0 else 1.0 - tail


@lru_cache(maxsize=1024)
def student_quantile(p: float, df: float) -> float:
    """Return the t with P(T <= t) = p, by bisection on `student_tail`; 0 < p < 1, df > 0."""
    if not (0 < p < 1 and df > 0):
        raise ValueError(f"there is no Student quantile at p={p}, df={df}")
    if p < 0.5:
        return -student_quantile(1 - p, df)
    low, high = 0.0, 1.0
    while student_tail(high, df) > 1 - p:
        low, high = high, high * 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, df) > 1 - p else (low, middle)
    return (low + high) / 2


def wilson(successes: float, n: int, level: float = 0.95) -> Interval | None:
    """Return Wilson's score interval of a share, or None for n = 0.

    Source: Wilson 1927. `successes` may be fractional (a sum of per-case
    shares): averages vary less than single outcomes, so the interval is then
    on the safe side.
    """
    if n == 0:
        return None
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, z2 = successes / n, z * z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return Interval(
        0.0 if successes == 0 else max(0.0, centre - half), 1.0 if successes == n else min(1.0, centre + half)
    )


def clustered_mean(values: Sequence[float], clusters: Sequence[str], level: float = 0.95) -> Estimate:
    """Return the mean of `values` with a cluster-robust t interval; one cluster label per value.

    Source: Miller 2024 (arXiv:2411.00640) with the G/(G-1) correction and
    G - 1 degrees of freedom of Cameron & Miller 2015. Where the deviations of
    every cluster cancel to nothing, the unclustered standard error stands in,
    so that the interval never has zero width.
    """
    if len(values) != len(clusters) or not values:
        raise ValueError("clustered_mean needs one cluster label for each of at least one value")
    point, groups, scale = fmean(values), len(set(clusters)), max(map(abs, values))
    if groups < 2:
        return Estimate(point, None, None, len(values), groups)
    if max(values) - min(values) <= _ROUNDING * scale:
        return Estimate(point, 0.0, None, len(values), groups)
    se = _clustered_error(values, clusters, point)
    if se <= _ROUNDING * scale:
        se = _clustered_error(values, [str(i) for i in range(len(values))], point)
    half = student_quantile(0.5 + level / 2, groups - 1) * se
    return Estimate(point, se, Interval(point - half, point + half), len(values), groups)


def _clustered_error(values: Sequence[float], clusters: Sequence[str], mean: float) -> float:
    sums: defaultdict[str, float] = defaultdict(float)
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] += value - mean
    groups = len(sums)
    return math.sqrt(groups / (groups - 1) * math.fsum(s * s for s in sums.values())) / len(values)


_Item = TypeVar("_Item")
MOST_GROUPS = 50
"""Groups that a jackknife leaves out in turn; more clusters are put together, so that its cost stays bounded."""


def jackknife(
    items: Sequence[_Item], clusters: Sequence[str], statistic: Callable[[Sequence[_Item]], float | None]
) -> Interval | None:
    """Return the 95 % interval of a statistic that has no simple error, one cluster label per item.

    Source: the delete-a-group jackknife of Kott 2001, with Student's t over
    groups - 1. None under eight clusters, without spread, and where the
    statistic is not defined on all or on some part.
    """
    known = sorted(set(clusters))
    if len(known) < MIN_CLUSTERS:
        return None
    place = {cluster: index % MOST_GROUPS for index, cluster in enumerate(known)}
    groups = range(min(len(known), MOST_GROUPS))
    parts = [
        statistic([item for item, cluster in zip(items, clusters, strict=True) if place[cluster] != left_out])
        for left_out in groups
    ]
    values, point = [part for part in parts if part is not None], statistic(items)
    if point is None or len(values) < len(parts) or max(values) - min(values) <= _ROUNDING:
        return None
    middle = fmean(values)
    error = math.sqrt((len(values) - 1) / len(values) * math.fsum((v - middle) ** 2 for v in values))
    half = student_quantile(0.975, len(values) - 1) * error
    return Interval(point - half, point + half)


def detectable_lift(
    cases: int,
    runs: int,
    *,
    sd_between: float = SD_BETWEEN,
    sd_within: float = SD_WITHIN,
    clusters: int | None = None,
) -> float:
    """Return the smallest lift, in points, that `cases` x `runs` pairs find with 80 % power at α = 5 %.

    Source: Miller 2024, section 5: 2.80 · √((between² + within²/runs) / cases).
    The defaults are fitted to three simulated designs (24 cases and one run:
    35 points; 24 and three: 21; 100 and three: 10) and reproduce each within
    half a point. With `clusters`, Student's t with clusters - 1 degrees of
    freedom takes the place of the normal quantiles, as in the analysis.
    """
    if cases < 1 or runs < 1:
        raise ValueError(f"a design needs at least one case and one run, not {cases} x {runs}")
    error = math.sqrt((sd_between**2 + sd_within**2 / runs) / cases)
    return power_factor(clusters) * error


def cases_needed(
    target: float, runs: int, *, sd_between: float = SD_BETWEEN, sd_within: float = SD_WITHIN
) -> int:
    """Return how many cases of `runs` runs find a lift of `target` points; `detectable_lift` inverted."""
    if target <= 0 or runs < 1:
        raise ValueError(f"no design detects a lift of {target} points with {runs} runs")
    return max(1, math.ceil((POWER_FACTOR / target) ** 2 * (sd_between**2 + sd_within**2 / runs)))


def power_factor(clusters: int | None = None) -> float:
    """Return how many standard errors an effect must measure to be found with 80 % power at α = 5 %.

    2.80 for many clusters (None), t(0.975) + t(0.80) with clusters - 1 degrees of freedom for few.
    """
    if clusters is None:
        return POWER_FACTOR
    if clusters < 2:
        return math.inf  # one cluster yields no standard error, so it detects nothing
    return student_quantile(0.975, clusters - 1) + student_quantile(0.80, clusters - 1)
