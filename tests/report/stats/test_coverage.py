"""The 95 % intervals hold the truth 93 to 97 times in a hundred with eight clusters, by simulation."""

from __future__ import annotations

import math
import random
from statistics import fmean

import pytest

from mmbench.report.stats import ArmTime, PairScore, PairTime, lift, speedup

SESSIONS = 1500  # the simulation's own error is then about half a percent
CLUSTERS = [f"tree-{g}" for g in range(8)]


def graded_cell(rng: random.Random, runs: int) -> list[PairScore]:
    """Partial credit; gains shift by cluster and case around a mean of 10 points, far from the ends."""
    pairs = []
    for cluster in CLUSTERS:
        shift = rng.gauss(10, 6)
        for i in range(3):
            level, gain = rng.gauss(45, 3), rng.gauss(shift, 5)
            for run in range(runs):
                scores = rng.gauss(level, 8), rng.gauss(level + gain, 8)
                pairs.append(
                    PairScore(f"{cluster}-{i}", cluster, run, *(min(100.0, max(0.0, s)) for s in scores))
                )
    return pairs


def passed_cell(rng: random.Random, runs: int) -> list[PairScore]:
    """All or nothing: cases pass with a chance of their own, 10 points higher with mm."""
    pairs = []
    for cluster in CLUSTERS:
        for i in range(3):
            chance = rng.uniform(0.2, 0.8)
            for run in range(runs):
                scores = [100.0 * (rng.random() < chance + bonus) for bonus in (0.0, 0.1)]
                pairs.append(PairScore(f"{cluster}-{i}", cluster, run, *scores))
    return pairs


def timed_cell(rng: random.Random) -> list[PairTime]:
    """Log-normal times; speedups vary by cluster and case around 1.28."""
    pairs = []
    for cluster in CLUSTERS:
        shift = rng.gauss(math.log(1.28), 0.15)
        for i in range(3):
            level, ratio = rng.gauss(4, 0.8), rng.gauss(shift, 0.1)
            for run in range(2):
                seconds = [math.exp(level + rng.gauss(0, 0.4) - bonus) for bonus in (0.0, ratio)]
                pairs.append(PairTime(f"{cluster}-{i}", cluster, run, *(ArmTime(s) for s in seconds)))
    return pairs


@pytest.mark.parametrize(
    ("cell", "runs"), [(graded_cell, 1), (graded_cell, 3), (passed_cell, 1), (passed_cell, 3)]
)
def test_lift_covers(cell: object, runs: int) -> None:
    rng = random.Random(11)
    assert callable(cell)
    found = [lift(cell(rng, runs)).interval for _ in range(SESSIONS)]
    assert all(interval is not None and interval.width > 0 for interval in found)
    assert 0.93 <= fmean(10 in interval for interval in found if interval) <= 0.97


def test_speedup_covers() -> None:
    rng = random.Random(12)
    found = [speedup(timed_cell(rng)) for _ in range(SESSIONS)]
    held = [s.low <= 1.28 <= s.high for s in found if s.low is not None and s.high is not None]
    assert len(held) == SESSIONS
    assert 0.93 <= fmean(held) <= 0.97
    # The geometric mean does not lean upwards as a mean of ratios does.
    assert fmean(math.log(s.point) for s in found if s.point) == pytest.approx(math.log(1.28), abs=0.01)


def test_rare_differences_do_not_fall_out_of_the_interval() -> None:
    rng, held = random.Random(13), []
    for _ in range(SESSIONS):
        moved = [rng.random() < 0.03 for _ in range(24)]
        pairs = [PairScore(f"c{i:02}", CLUSTERS[i % 8], 0, 0.0, 100.0 * m) for i, m in enumerate(moved)]
        interval = lift(pairs).interval
        assert interval is not None
        assert interval.width > 0
        held.append(3 in interval)
    assert fmean(held) >= 0.93
