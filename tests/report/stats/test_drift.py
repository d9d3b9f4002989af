"""Slopes against scipy, and effects of order that are there or not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mmbench.report.stats import Course, Placed, order_effect, position_drift
from mmbench.report.stats.drift import slope

from .samples import pair

points = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=3, max_size=20)


@given(points.filter(lambda rows: len({x for x, _ in rows}) > 1))
def test_the_slope_is_least_squares(rows: list[tuple[int, int]]) -> None:
    xs, ys = [float(x) for x, _ in rows], [float(y) for _, y in rows]
    found = slope(xs, ys, [str(i) for i in range(len(rows))])
    assert found.value == pytest.approx(stats.linregress(xs, ys).slope, abs=1e-9)
    if found.interval is not None:
        assert found.value in found.interval


def test_the_clustered_error_by_hand() -> None:
    # x 0 0 1 1, y 0 2 5 5 in clusters a b a b: slope 4, residuals -1 1 0 0; scores 0.5 and -0.5.
    # Spread 1; CR1 = 2/1 * 3/2 = 3; SE = sqrt(3 * 0.5) = 1.2247; t(0.975, 1) = 12.7062.
    found = slope([0, 0, 1, 1], [0, 2, 5, 5], ["a", "b", "a", "b"])
    assert found.value == 4
    assert found.high == pytest.approx(4 + 12.7062 * 1.5**0.5, abs=1e-3)
    assert found.p == pytest.approx(2 * float(stats.t.sf(4 / 1.5**0.5, 1)))


def test_without_spread_there_is_no_slope_and_without_error_no_interval() -> None:
    assert slope([1, 1], [3, 4], ["a", "b"]).value is None
    assert slope([], [], []).value is None
    exact = slope([0, 1, 2], [0, 2, 4], ["a", "b", "c"])
    assert (exact.value, exact.interval) == (2, None)
    assert slope([0, 1, 2], [0, 2, 5], ["a", "a", "a"]).interval is None


@pytest.mark.parametrize("runs", [1, 3])
def test_drift_is_told_apart_from_hard_cases_and_arms(runs: int) -> None:
    rng = random.Random(2)
    trials = [
        (f"c{i}", arm, 2.0 * i + 20 * (arm == "with"))
        for i in range(24)
        for arm in ("without", "with")
        for _ in range(runs)
    ]
    rng.shuffle(trials)
    steady, falling = (
        position_drift(
            [
                Course.of(
                    Placed(c, a, n, s + by * n / 100 + rng.gauss(0, 5)) for n, (c, a, s) in enumerate(trials)
                )
            ]
        )
        for by in (0, -40)
    )
    assert steady.interval is not None
    assert falling.interval is not None
    assert 0 in steady.interval
    assert -40 in falling.interval
    if runs == 3:
        assert 0 not in falling.interval


def test_sessions_of_other_levels_do_not_make_a_drift() -> None:
    # Two sessions, one 50 points above the other and run over places twice as far on: each is flat in itself.
    low = Course.of(Placed(f"c{i}", "with", i, 10.0 + i % 2) for i in range(12))
    high = Course.of(Placed(f"c{i}", "with", 2 * i, 60.0 + i % 2) for i in range(12))
    both = position_drift([low, high])
    assert both.n == 24
    assert both.clusters == 24
    alone = position_drift([low])
    assert both.value == pytest.approx(alone.value * (1 + 2) / (1 + 4))


def test_the_order_effect_is_the_difference_of_mean_gains() -> None:
    rows = [pair(f"c{i}", 50, 50 + i + 10 * (i % 2), with_first=bool(i % 2)) for i in range(8)]
    found = order_effect([*rows, pair("u", 0, 100, with_first=None), pair("x", None, 3, with_first=True)])
    assert found.value == pytest.approx(11)
    assert found.n == 8
