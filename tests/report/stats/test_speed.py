"""Speedup: two populations, censored timeouts, and bounds that hold whatever was cut off."""

from __future__ import annotations

import math
import random
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.errors import DataError
from mmbench.report.stats import ArmTime, PairTime, speedup
from mmbench.report.stats.speed import End


def timed(
    case: str,
    without: float,
    with_: float,
    *ends: End,
    run: int = 0,
    correct: tuple[bool, bool] = (True, True),
) -> PairTime:
    first, second = ends or ("completed", "completed")
    return PairTime(case, case, run, ArmTime(without, first, correct[0]), ArmTime(with_, second, correct[1]))


def test_speedup_is_the_geometric_mean_not_the_mean_of_ratios() -> None:
    # Ratios 4 and 1/4: no speedup at all, though their arithmetic mean is 2.1 and the ratio of sums 0.29.
    found = speedup([timed("a", 40, 10), timed("b", 100, 400)])
    assert found.point == pytest.approx(1)


def test_the_two_populations() -> None:
    rows = [
        timed("a", 20, 10),
        timed("b", 90, 10, correct=(False, True)),
        timed("c", 30, 10, "failed", "completed"),
        PairTime("d", "d", 0, None, None),
        PairTime("e", "e", 0, ArmTime(5), ArmTime(5), "infra_error"),
    ]
    completed, correct = speedup(rows), speedup(rows, "correct")
    assert completed.point == pytest.approx(math.sqrt(2 * 9))
    assert (completed.pairs, completed.eligible) == (2, 2)
    assert completed.excluded == (("failed", 1), ("infra_error", 1), ("missing", 1))
    assert correct.point == pytest.approx(2)
    assert correct.excluded == (("infra_error", 1), ("missing", 1), ("not both correct", 2))


def test_up_to_a_fifth_censored_there_is_a_point_and_above_there_is_none() -> None:
    rows = [timed(f"c{i}", 20 + i, 10) for i in range(8)] + [
        timed("x", 600, 30, "timeout", "completed"),
        timed("y", 600, 60, "timeout", "completed"),
    ]
    found = speedup(rows)
    assert found.censored_share is not None
    assert (found.censored_share.without, found.censored_share.with_, found.censored_share.pairs) == (
        0.2,
        0,
        0.2,
    )
    assert found.point is not None
    assert found.low is not None
    assert (found.pairs, found.eligible) == (8, 10)
    assert "20% of pairs are censored" in found.note
    more = speedup([*rows, timed("z", 600, 60, "timeout", "completed")])
    assert (more.point, more.low, more.high, more.p) == (None, None, None, None)
    assert "bounds only" in more.note


def test_a_timeout_without_mm_gives_a_lower_bound_only() -> None:
    found = speedup([timed("a", 20, 10), timed("b", 600, 10, "timeout", "completed")]).bounds
    assert found is not None
    assert found.low == pytest.approx(math.sqrt(2 * 60))
    assert found.high is None


def test_a_timeout_with_mm_gives_an_upper_bound_only() -> None:
    found = speedup([timed("a", 20, 10), timed("b", 30, 600, "completed", "timeout")]).bounds
    assert found is not None
    assert found.low is None
    assert found.high == pytest.approx(math.sqrt(2 * 30 / 600))


def test_timeouts_on_both_sides_leave_the_median_bounded() -> None:
    rows = [timed(f"c{i}", 20, 10) for i in range(5)] + [timed("t", 600, 600, "timeout", "timeout")]
    found = speedup(rows).bounds
    assert found is not None
    assert (found.low, found.high) == (None, None)
    assert (found.median_low, found.median_high) == pytest.approx((2, 2))


def test_nothing_to_time() -> None:
    found = speedup([])
    assert (found.point, found.censored_share, found.bounds, found.note) == (
        None,
        None,
        None,
        "No usable pair.",
    )


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf])
def test_impossible_times_are_refused(seconds: float) -> None:
    with pytest.raises(DataError, match="cannot take"):
        ArmTime(seconds)


def test_a_doubled_pair_is_refused() -> None:
    with pytest.raises(DataError, match="comes twice"):
        speedup([timed("a", 1, 2), timed("a", 1, 2)])


seconds = st.floats(0.1, 500).map(lambda x: round(x, 2))
limited = st.lists(st.tuples(seconds, seconds, st.booleans(), st.booleans()), min_size=1, max_size=20)


@given(limited, st.randoms())
def test_the_bounds_hold_whatever_the_cut_runs_would_have_taken(
    rows: list[tuple[float, float, bool, bool]], rng: random.Random
) -> None:
    pairs, truth = [], []
    for i, (a, b, cut_a, cut_b) in enumerate(rows):
        ends: list[End] = ["timeout" if cut else "completed" for cut in (cut_a, cut_b)]
        pairs.append(timed(f"c{i:02}", 500 if cut_a else a, 500 if cut_b else b, *ends))
        full_a, full_b = (500 * rng.uniform(1, 50) if cut else t for t, cut in ((a, cut_a), (b, cut_b)))
        truth.append(math.log(full_a / full_b))
    found = speedup(pairs).bounds
    assert found is not None
    for low, high, value in (
        (found.low, found.high, math.exp(fmean(truth))),
        (found.median_low, found.median_high, math.exp(median(truth))),
    ):
        assert low is None or low <= value * (1 + 1e-9)
        assert high is None or value <= high * (1 + 1e-9)
