"""Exact tests against scipy's and against their own definitions."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mmbench.report.stats import exact
from mmbench.report.stats.exact import clopper_pearson, holm, mcnemar, share_interval, sign_flip

values = st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=9)


@given(st.integers(1, 300), st.data())
def test_clopper_pearson_agrees_with_scipy(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    expected = stats.binomtest(successes, n).proportion_ci(method="exact")
    found = clopper_pearson(successes, n)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_clopper_pearson_of_the_impossible() -> None:
    for successes, n in ((0, 0), (3, 2), (-1, 4)):
        with pytest.raises(ValueError, match="successes of"):
            clopper_pearson(successes, n)


def test_a_share_is_exact_at_the_ends_and_wilsons_between() -> None:
    end, middle = share_interval(0, 24), share_interval(12, 24)
    assert end is not None
    assert middle is not None
    assert (end.low, end.high) == pytest.approx((0, 1 - 0.025 ** (1 / 24)))
    assert middle.high == pytest.approx(stats.binomtest(12, 24).proportion_ci(method="wilson").high)
    assert share_interval(0, 0) is None


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_agrees_with_scipys_binomial_test(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(expected)


def test_mcnemar_copes_with_large_counts() -> None:
    assert mcnemar(3000, 3000) == 1
    assert mcnemar(1000, 2000) < 1e-60


@given(values)
def test_sign_flip_agrees_with_scipys_exact_permutation(rows: list[float]) -> None:
    oracle = stats.permutation_test(
        (np.array(rows),), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    found = sign_flip(rows, [str(i) for i in range(len(rows))])
    assert found.exact
    assert found.p == pytest.approx(oracle.pvalue)
    assert found.p >= found.smallest


@given(st.lists(st.tuples(st.integers(-9, 9), st.sampled_from("abcde")), min_size=1, max_size=20))
def test_sign_flip_turns_whole_clusters(rows: list[tuple[int, str]]) -> None:
    names = sorted({g for _, g in rows})
    sums = [sum(v for v, g in rows if g == name) for name in names]
    patterns = [
        abs(sum(s * v for s, v in zip(signs, sums, strict=True)))
        for signs in product((1, -1), repeat=len(sums))
    ]
    expected = sum(p >= abs(sum(sums)) for p in patterns) / len(patterns)
    assert sign_flip([float(v) for v, _ in rows], [g for _, g in rows]).p == pytest.approx(expected)


def test_five_clusters_cannot_reach_five_percent_and_six_can() -> None:
    five, six = (sign_flip([10.0] * g, [str(i) for i in range(g)]) for g in (5, 6))
    assert five.p == five.smallest == 2 / 32
    assert six.p == six.smallest == 2 / 64


def test_many_clusters_are_drawn_with_a_fixed_seed() -> None:
    rng = random.Random(4)
    rows = [rng.gauss(1, 4) for _ in range(40)]
    labels = [str(i) for i in range(40)]
    found = sign_flip(rows, labels)
    assert not found.exact
    assert found == sign_flip(rows, labels)
    assert found.p == pytest.approx(float(stats.ttest_1samp(rows, 0).pvalue), abs=0.02)
    assert sign_flip([5.0] * 40, labels).p == found.smallest


@pytest.mark.parametrize("clusters", [3, 8, 11])
def test_drawn_patterns_agree_with_all_of_them(clusters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(clusters)
    rows = [rng.gauss(0.5, 1) for _ in range(clusters)]
    labels = [str(i) for i in range(clusters)]
    every = sign_flip(rows, labels)
    monkeypatch.setattr(exact, "EXACT_CLUSTERS", 0)
    drawn = sign_flip(rows, labels)
    assert every.exact
    assert not drawn.exact
    assert drawn.p == pytest.approx(every.p, abs=0.015)


def test_no_difference_at_all_is_no_evidence() -> None:
    assert sign_flip([0.0] * 8, list("abcdefgh")).p == 1


def test_holm_by_hand() -> None:
    # Sorted .01 .02 .03 .04 times 4 3 2 1 is .04 .06 .06 .04, made monotone .04 .06 .06 .06.
    found = holm({"d": 0.04, "a": 0.01, "c": 0.03, "b": 0.02})
    assert list(found) == ["d", "a", "c", "b"]
    assert found == pytest.approx({"a": 0.04, "b": 0.06, "c": 0.06, "d": 0.06})
    assert holm({}) == {}


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=12))
def test_holm_never_lowers_a_p_and_keeps_their_order(ps: dict[str, float]) -> None:
    found = holm(ps)
    assert all(ps[name] <= found[name] <= 1 for name in ps)
    ranked = sorted(ps, key=lambda name: ps[name])
    assert [found[name] for name in ranked] == sorted(found.values())
