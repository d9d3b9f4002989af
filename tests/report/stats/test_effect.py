"""Lift against hand-worked tables, scipy, and the properties that any lift must have."""

from __future__ import annotations

import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mmbench.report.stats import PairScore, adoption, exclusion_bounds, lift, per_protocol

from .samples import cells, gains, pair, swapped


def test_lift_by_hand() -> None:
    # Gains 10 20 | 0 10 | -10 0 | 30 20: mean 10. Sums of deviations by cluster 10, -10, -30, 30.
    # SE = sqrt(4/3 * (100 + 100 + 900 + 900)) / 8 = 6.4550; t(0.975, 3) = 3.18245.
    found = lift(gains([10, 20, 0, 10, -10, 0, 30, 20], list("aabbccdd")))
    assert (found.point, found.n, found.clusters, found.runs, found.pairs) == (10, 8, 4, 1, 8)
    assert (found.low, found.high) == pytest.approx((10 - 20.5427, 10 + 20.5427), abs=1e-3)
    assert found.mde == pytest.approx(2.80 * 6.4550, abs=1e-3)
    assert found.p == pytest.approx(2 * float(stats.t.sf(10 / 6.4550, 3)), abs=1e-5)
    # Cluster sums 30, 10, -10, 50 total 80; of the 8 patterns with +50, those of 100, 80 and 80 reach it.
    assert found.p_exact == 3 / 8
    assert "4 clusters the sign-flip test cannot reach p < 0.05" in found.note
    assert "Not distinguishable from 0." in found.note


def test_a_case_counts_once_however_many_runs_it_has() -> None:
    base = gains([10, 20, 0, 10, -10, 0, 30, 20])
    more = [*base, *(pair("c00", 50 - g / 2, 50 + g / 2, run=r, cluster="g00") for r, g in ((1, 5), (2, 15)))]
    found, again = lift(base), lift(more)
    assert found.point == again.point
    assert (again.n, again.runs, again.pairs) == (8, 3, 10)
    assert "Cases have 1 to 3 sound runs." in again.note


@pytest.mark.parametrize("n", [1, 7])
def test_the_interval_is_withheld_under_eight_cases(n: int) -> None:
    found = lift(gains([10.0, 20, 30, 5, 15, 25, 12][:n]))
    assert found.point is not None
    assert (found.low, found.high, found.p) == (None, None, None)
    assert found.note


def test_one_cluster_is_insufficient() -> None:
    found = lift(gains([float(i) for i in range(10)], ["a"] * 10))
    assert found.interval is None
    assert found.note.startswith("Insufficient")
    assert not found.distinguishable


def test_no_pair_at_all() -> None:
    found = lift([pair("a", None, 1)])
    assert (found.point, found.n, found.missing) == (None, 0, 1)
    assert found.note == "No sound pair."


def test_all_ties_are_bounded_by_the_share_of_cases_that_could_differ() -> None:
    found = lift(gains([0.0] * 24))
    bound = 100 * (1 - 0.025 ** (1 / 24))
    assert found.point == 0
    assert (found.low, found.high) == pytest.approx((-bound, bound))
    assert found.tied
    assert found.p_exact == 1
    assert "exact bound" in found.note


def test_a_uniform_gain_has_an_interval_too() -> None:
    found = lift(gains([100.0] * 10))
    share = 1 - 0.025 ** (1 / 10)
    assert (found.low, found.high) == pytest.approx((100 - 200 * share, 100))
    assert not found.tied


def test_exclusions_leave_both_arms_and_are_counted() -> None:
    rows = [*gains([10.0] * 4 + [20.0] * 4), pair("x", 0, 100, excluded="infra_error"), pair("y", 90, None)]
    found = lift(rows)
    assert (found.point, found.n) == (15, 8)
    assert found.excluded == (("infra_error", 1), ("missing", 1))
    assert found.missing == 1


def test_the_spread_is_taken_apart() -> None:
    # Two runs a case, ±3 around case means 0 and 20: within variance 18, between 200 - 18/2 = 191.
    rows = [
        pair(case, 50, 50 + mean + e, run=run)
        for case, mean in (("a", 0.0), ("b", 20.0))
        for run, e in enumerate((-3, 3))
    ]
    found = lift(rows)
    assert found.sd_within == pytest.approx(18**0.5)
    assert found.sd_between == pytest.approx(191**0.5)
    assert lift(gains([1.0, 2.0])).sd_within is None


@given(cells())
def test_an_interval_holds_the_point_and_has_width(pairs: list[PairScore]) -> None:
    found = lift(pairs)
    assert found.point is not None
    assert found.point == pytest.approx(fmean(fmean(g) for g in _gains(pairs).values()))
    if found.interval is None:
        assert found.n < 8 or found.clusters < 2
    else:
        assert -100 <= found.interval.low <= found.point <= found.interval.high <= 100
        assert found.interval.width > 0


def _gains(pairs: list[PairScore]) -> dict[str, list[float]]:
    cases: dict[str, list[float]] = {}
    for p in pairs:
        cases.setdefault(p.case, []).append(p.gain)
    return cases


@given(cells(min_cases=8))
def test_swapping_the_arms_mirrors_the_lift(pairs: list[PairScore]) -> None:
    found, mirror = lift(pairs), lift(swapped(pairs))
    assert found.point == pytest.approx(-mirror.point, abs=1e-9)
    assert found.p_exact == pytest.approx(mirror.p_exact)
    if found.low is not None:
        assert found.low == pytest.approx(-mirror.high, abs=1e-9)


@given(cells(flawed=True), st.randoms())
def test_the_order_of_pairs_does_not_matter(pairs: list[PairScore], rng: random.Random) -> None:
    found = lift(pairs)
    rng.shuffle(pairs)
    assert lift(pairs) == found


@given(cells(min_cases=8, flawed=True))
def test_pairs_and_exclusions_add_up_to_the_schedule(pairs: list[PairScore]) -> None:
    found = lift(pairs)
    assert found.pairs + sum(count for _, count in found.excluded) == len(pairs)


def test_exclusion_bounds_by_hand() -> None:
    # Gain 10; one arm unknown beside a known 40: -40..60; nothing known: -100..100. Ends -130/3, 170/3.
    rows = [
        pair("a", 50, 60),
        pair("b", 40, None, excluded="infra_error"),
        pair("c", None, None, excluded="judge_failed"),
    ]
    found = exclusion_bounds(rows)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((-130 / 3, 170 / 3))
    assert exclusion_bounds([]) is None


@given(cells(flawed=True))
def test_exclusion_bounds_enclose_every_way_it_could_have_gone(pairs: list[PairScore]) -> None:
    found = exclusion_bounds(pairs)
    assert found is not None
    rng = random.Random(1)
    for _ in range(5):
        filled = [
            pair(
                p.case,
                rng.uniform(0, 100) if p.without is None else p.without,
                rng.uniform(0, 100) if p.with_ is None else p.with_,
                run=p.run,
                cluster=p.cluster,
            )
            for p in pairs
        ]
        point = lift(filled).point
        assert point is not None
        assert found.low - 1e-9 <= point <= found.high + 1e-9


def test_adoption_and_per_protocol() -> None:
    rows = [
        pair(f"c{i}", 50, 50 + (20 if used else 0), adopted=used)
        for i, used in enumerate([True] * 9 + [False] * 3)
    ]
    rows += [pair("u", 50, 50, adopted=None), pair("x", None, None, excluded="infra_error")]
    used = adoption(rows)
    assert (used.used, used.known, used.pairs, used.share) == (9, 12, 13, 0.75)
    assert used.interval is not None
    assert used.interval.high == pytest.approx(stats.binomtest(9, 12).proportion_ci(method="wilson").high)
    treated = per_protocol(rows)
    assert (treated.point, treated.n, treated.excluded) == (20, 9, (("infra_error", 1),))
    assert "not a randomised comparison" in treated.note
    assert lift(rows).point == pytest.approx(180 / 13)


def test_adoption_is_unknown_where_nobody_looked() -> None:
    found = adoption([pair("a", 1, 2)])
    assert (found.used, found.known, found.pairs, found.share, found.interval) == (0, 0, 1, None, None)
