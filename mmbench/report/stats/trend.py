"""Regression tracking: where a series of sessions steps from one level to another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import NormalDist, fmean, median

STEP = 5.0
"""Default size of a step worth a flag, in the unit of the series (points of correctness)."""


@dataclass(frozen=True, slots=True)
class Point:
    """One session's value and the standard error of its session-to-session noise; None when unknown.

    The sampling error of the cases is no part of it where all sessions run the same cases.
    """

    value: float
    se: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A change of level that begins with the point at `index`."""

    index: int
    before: float
    after: float

    @property
    def change(self) -> float:
        """Return the new level minus the old."""
        return self.after - self.before


def steps(points: Sequence[Point], *, threshold: float = STEP) -> list[Step]:
    """Return the steps of a series of one cell and one method, in time order.

    Source: least-squares segmentation into constant levels with a penalty per
    step (Potts functional; Jackson et al. 2005, optimal partitioning), each
    point weighted by its error. Steps smaller than `threshold` are merged
    away, smallest first. Points of unknown error share one that is estimated
    from successive differences.
    """
    if len(points) < 2:
        return []
    weights = [1 / error**2 for error in _errors(points)]
    values = [point.value for point in points]
    bounds = _merge(values, weights, _partition(values, weights), threshold)
    levels = [_level(values, weights, a, b) for a, b in pairwise(bounds)]
    return [Step(at, *pair) for at, pair in zip(bounds[1:-1], pairwise(levels), strict=True)]


def _errors(points: Sequence[Point]) -> list[float]:
    """Return each point's error, unknown ones from the median absolute successive difference."""
    jumps = [abs(b.value - a.value) for a, b in pairwise(points)]
    typical = median(jumps) / (math.sqrt(2) * NormalDist().inv_cdf(0.75))
    floor = 1e-6 * max(1.0, *(abs(point.value) for point in points))  # a flat series still has steps
    return [max(point.se or typical, floor) for point in points]


def _partition(values: Sequence[float], weights: Sequence[float]) -> list[int]:
    """Return the bounds (0 and n included) of the segmentation of least cost; O(n²)."""
    n = len(values)
    penalty = (
        3 * math.log(n) + 2
    )  # a change in mean and place (Zhang & Siegmund 2007), plus one error's slack
    centre = fmean(values)  # sums of squares around 0 would cancel
    w = [0.0, *accumulate(weights)]
    wx = [0.0, *accumulate(q * (v - centre) for q, v in zip(weights, values, strict=True))]
    cost, previous = [-penalty], [0]
    wxx = [0.0, *accumulate(q * (v - centre) ** 2 for q, v in zip(weights, values, strict=True))]
    for end in range(1, n + 1):
        best = min(
            (cost[a] + penalty + wxx[end] - wxx[a] - (wx[end] - wx[a]) ** 2 / (w[end] - w[a]), a)
            for a in range(end)
        )
        cost.append(best[0])
        previous.append(best[1])
    return _walk_back(previous)


def _walk_back(previous: Sequence[int]) -> list[int]:
    bounds = [len(previous) - 1]
    while bounds[-1] > 0:
        bounds.append(previous[bounds[-1]])
    return bounds[::-1]


def _merge(
    values: Sequence[float], weights: Sequence[float], bounds: list[int], threshold: float
) -> list[int]:
    """Drop the smallest step under the threshold until none is left."""
    while len(bounds) > 2:
        levels = [_level(values, weights, a, b) for a, b in pairwise(bounds)]
        size, at = min((abs(b - a), place) for place, (a, b) in enumerate(pairwise(levels), start=1))
        if size >= threshold:
            break
        bounds = bounds[:at] + bounds[at + 1 :]
    return bounds


def _level(values: Sequence[float], weights: Sequence[float], start: int, end: int) -> float:
    total = math.fsum(weights[start:end])
    return math.fsum(w * v for w, v in zip(weights[start:end], values[start:end], strict=True)) / total
