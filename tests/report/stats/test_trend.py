"""Steps in a series: found where they are, not where there are none."""

from __future__ import annotations

import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.report.stats import Point, steps


def series(*values: float, se: float | None = None) -> list[Point]:
    return [Point(v, se) for v in values]


def test_a_step_down_is_found_at_its_place() -> None:
    (found,) = steps(series(60, 61, 59, 60, 48, 49, 47, 48, se=1))
    assert found.index == 4
    assert (found.before, found.after) == pytest.approx((60, 48))
    assert found.change == pytest.approx(-12)


def test_the_error_is_estimated_when_unknown() -> None:
    (found,) = steps(series(60, 61, 59, 60, 61, 48, 49, 47, 48, 48))
    assert found.index == 5


def test_a_change_in_the_last_point_counts_only_against_its_error() -> None:
    assert [s.index for s in steps(series(60, 61, 59, 60, 40, se=1))] == [4]
    assert steps([*series(60, 61, 59, 60, se=1), Point(40, 15)]) == []


def test_steps_under_the_threshold_are_not_flagged() -> None:
    rows = series(*[60, 60.1] * 10, *[57, 57.1] * 10, se=0.1)
    assert steps(rows) == []
    assert [s.index for s in steps(rows, threshold=2)] == [20]


def test_two_steps_and_their_levels() -> None:
    found = steps(series(*[10, 11] * 4, *[40, 41] * 4, *[20, 21] * 4, se=1))
    assert [(s.index, s.before, s.after) for s in found] == [(8, 10.5, 40.5), (16, 40.5, 20.5)]


def test_precise_points_weigh_more() -> None:
    (found,) = steps([Point(10, 1), Point(10, 1), Point(40, 1), Point(50, 10)])
    assert found.after == pytest.approx((40 + 50 / 100) / 1.01)


@pytest.mark.parametrize("values", [(), (5.0,), (5.0, 5.0, 5.0)])
def test_nothing_steps_in_a_short_or_flat_series(values: tuple[float, ...]) -> None:
    assert steps(series(*values)) == []


def test_a_clean_jump_in_a_flat_series_is_a_step() -> None:
    assert [s.index for s in steps(series(5, 5, 5, 30, 30, 30))] == [3]


@pytest.mark.parametrize("n", [6, 20])
def test_noise_rarely_makes_a_step(n: int) -> None:
    rng = random.Random(8)
    alarms = fmean(
        bool(steps(series(*(rng.gauss(50, 3) for _ in range(n)), se=3.0), threshold=0)) for _ in range(500)
    )
    assert alarms < 0.05


@given(st.lists(st.floats(0, 100).map(lambda x: round(x, 2)), min_size=2, max_size=25), st.floats(0.5, 9))
def test_shifted_and_mirrored_series_step_alike(values: list[float], se: float) -> None:
    found = steps(series(*values, se=se))
    assert all(abs(s.change) >= 5 for s in found)
    mirrored = steps(series(*(-v for v in values), se=se))
    assert [s.index for s in mirrored] == [s.index for s in found]
    assert [s.change for s in mirrored] == pytest.approx([-s.change for s in found])
