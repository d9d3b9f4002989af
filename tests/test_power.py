"""The formulas of `mmbench.power` against scipy, hand-worked tables and their own inverses."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from mmbench.power import (
    Interval,
    betainc,
    cases_needed,
    clustered_mean,
    detectable_lift,
    jackknife,
    power_factor,
    student_quantile,
    student_tail,
    wilson,
)

shapes = st.floats(0.05, 400)
scores = st.floats(-100, 100).map(lambda x: round(x, 2))


@settings(deadline=None)
@given(shapes, shapes, st.floats(0, 1))
def test_betainc_agrees_with_scipy(a: float, b: float, x: float) -> None:
    assert betainc(a, b, x) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize(("a", "b", "x"), [(0, 1, 0.5), (1, -1, 0.5), (1, 1, 1.5), (1, 1, math.nan)])
def test_betainc_refuses_what_is_not_defined(a: float, b: float, x: float) -> None:
    with pytest.raises(ValueError, match="not defined"):
        betainc(a, b, x)


@settings(deadline=None)
@given(st.floats(-60, 60), st.integers(1, 3000))
def test_student_tail_agrees_with_scipy(t: float, df: int) -> None:
    assert student_tail(t, df) == pytest.approx(float(stats.t.sf(t, df)), rel=1e-7, abs=1e-14)


@pytest.mark.parametrize("df", [1, 2, 3, 7, 23, 99, 1000, 100_000])
@pytest.mark.parametrize("p", [0.01, 0.25, 0.5, 0.8, 0.975, 0.9995])
def test_student_quantile_agrees_with_scipy(p: float, df: int) -> None:
    assert student_quantile(p, df) == pytest.approx(float(stats.t.ppf(p, df)), rel=1e-8, abs=1e-12)


def test_student_quantile_needs_a_probability_and_freedom() -> None:
    for p, df in ((0, 5), (1, 5), (0.5, 0)):
        with pytest.raises(ValueError, match="Student quantile"):
            student_quantile(p, df)


@settings(deadline=None)
@given(st.integers(1, 500), st.data())
def test_wilson_agrees_with_scipy(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")
    found = wilson(successes, n)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert found.width > 0


def test_wilson_of_nothing_and_of_the_impossible() -> None:
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match="5 successes of 4"):
        wilson(5, 4)


def test_clustered_mean_by_hand() -> None:
    # Mean 3; deviations a: -2 + -1 = -3, b: 0 + 3 = 3. SE = sqrt(2/1 * 18) / 4 = 1.5; t(0.975, 1) = 12.7062.
    found = clustered_mean([1, 2, 3, 6], ["a", "a", "b", "b"])
    assert (found.point, found.se, found.n, found.clusters) == (3, 1.5, 4, 2)
    assert found.interval is not None
    assert found.interval.high == pytest.approx(3 + 1.5 * 12.7062, abs=1e-3)
    assert found.p == pytest.approx(2 * float(stats.t.sf(2.0, 1)))


@settings(deadline=None)
@given(st.lists(scores, min_size=2, max_size=40).filter(lambda v: max(v) - min(v) > 0.01))
def test_with_one_value_a_cluster_it_is_the_ordinary_t_interval(values: list[float]) -> None:
    found = clustered_mean(values, [str(i) for i in range(len(values))])
    oracle = stats.ttest_1samp(values, 0)
    low, high = oracle.confidence_interval(0.95)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), rel=1e-6, abs=1e-6)
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-6, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(scores, st.sampled_from("abcdefgh")), min_size=1, max_size=40), st.randoms())
def test_an_interval_never_has_zero_width_and_ignores_the_order(
    rows: list[tuple[float, str]], rng: random.Random
) -> None:
    found = clustered_mean([v for v, _ in rows], [c for _, c in rows])
    if found.interval is not None:
        assert found.interval.width > 0
        assert found.point in found.interval
    rng.shuffle(rows)
    again = clustered_mean([v for v, _ in rows], [c for _, c in rows])
    assert again.point == pytest.approx(found.point, abs=1e-9)
    assert (again.interval is None) == (found.interval is None)


def test_clusters_that_cancel_fall_back_on_the_plain_error() -> None:
    found = clustered_mean([-1, 1, -1, 1], ["a", "a", "b", "b"])
    assert found.se == pytest.approx(stats.sem([-1, 1, -1, 1]))


def test_no_spread_or_one_cluster_yields_no_interval() -> None:
    assert clustered_mean([7, 7, 7], ["a", "b", "c"]).interval is None
    lone = clustered_mean([1, 2, 3], ["a", "a", "a"])
    assert (lone.se, lone.interval, lone.p) == (None, None, None)
    with pytest.raises(ValueError, match="one cluster label"):
        clustered_mean([], [])


@pytest.mark.parametrize(("cases", "runs", "points"), [(24, 1, 35), (24, 3, 21), (100, 3, 10)])
def test_the_defaults_reproduce_the_simulated_designs(cases: int, runs: int, points: float) -> None:
    assert detectable_lift(cases, runs) == pytest.approx(points, abs=0.5)


def test_the_detectable_lift_is_found_four_times_in_five() -> None:
    rng, cases, runs, found = random.Random(7), 60, 3, 0
    effect = detectable_lift(cases, runs, sd_between=10, sd_within=30, clusters=cases)
    for _ in range(1000):
        lifts = [rng.gauss(effect, math.hypot(10, 30 / math.sqrt(runs))) for _ in range(cases)]
        p = clustered_mean(lifts, [str(i) for i in range(cases)]).p
        found += p is not None and p < 0.05
    assert 0.77 < found / 1000 < 0.83


def test_the_power_factor_is_the_sum_of_two_quantiles() -> None:
    assert power_factor() == pytest.approx(stats.norm.ppf(0.975) + stats.norm.ppf(0.8), abs=0.002)
    assert power_factor(8) == pytest.approx(float(stats.t.ppf(0.975, 7) + stats.t.ppf(0.8, 7)))


def test_few_clusters_detect_less_and_one_detects_nothing() -> None:
    assert detectable_lift(24, 3) < detectable_lift(24, 3, clusters=8) < detectable_lift(24, 3, clusters=3)
    assert detectable_lift(24, 3, clusters=1) == math.inf


@settings(deadline=None)
@given(st.floats(0.5, 80), st.integers(1, 9))
def test_cases_needed_is_the_smallest_design_that_suffices(target: float, runs: int) -> None:
    cases = cases_needed(target, runs)
    assert detectable_lift(cases, runs) <= target * (1 + 1e-9)
    assert cases == 1 or detectable_lift(cases - 1, runs) > target * (1 - 1e-9)


def test_a_design_without_cases_or_target_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one case"):
        detectable_lift(0, 3)
    with pytest.raises(ValueError, match="no design"):
        cases_needed(0, 3)


def test_interval_knows_what_it_holds() -> None:
    assert 0 in Interval(-1, 1)
    assert 2 not in Interval(-1, 1)


def test_a_jackknife_of_a_mean_is_the_students_t_interval() -> None:
    values = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0, 1.0, 3.0, 9.0]
    found = jackknife(values, [str(index) for index in range(9)], fmean)
    expected = clustered_mean(values, [str(index) for index in range(9)]).interval
    assert found is not None and expected is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_a_jackknife_says_nothing_where_it_cannot() -> None:
    names = [str(index) for index in range(9)]
    assert jackknife([1.0] * 9, names, fmean) is None  # no spread
    assert jackknife([1.0, 2.0] * 3, names[:6], fmean) is None  # too few clusters
    assert jackknife([1.0, 2.0, *[3.0] * 7], names, lambda part: None if 1.0 not in part else 1.0) is None


def test_a_jackknife_puts_clusters_together_beyond_a_bound() -> None:
    asked: list[int] = []

    def count(part: Sequence[float]) -> float:
        asked.append(len(part))
        return fmean(part)

    assert jackknife([float(index) for index in range(500)], [f"{i:03}" for i in range(500)], count)
    assert len(asked) == 51 and set(asked) == {490, 500}
