"""Geometric ratios against scipy on the logs, and what a ratio must never do."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mmbench.report.stats import LogRatio, geometric_ratio

logs = st.lists(st.floats(-3, 3).map(lambda x: round(x, 3)), min_size=8, max_size=30)


def single(values: list[float]) -> list[LogRatio]:
    return [LogRatio(f"c{i:02}", f"g{i}", v) for i, v in enumerate(values)]


@given(logs.filter(lambda v: max(v) - min(v) > 0.01))
def test_it_is_the_t_interval_of_the_logs(values: list[float]) -> None:
    found = geometric_ratio(single(values))
    oracle = stats.ttest_1samp(values, 0)
    low, high = oracle.confidence_interval(0.95)
    assert found.point == pytest.approx(stats.gmean([math.exp(v) for v in values]))
    assert (found.low, found.high) == pytest.approx((math.exp(low), math.exp(high)), rel=1e-6)
    assert found.p == pytest.approx(oracle.pvalue, abs=1e-9)


@given(logs)
def test_the_inverse_ratio_is_one_over_it(values: list[float]) -> None:
    found, inverse = geometric_ratio(single(values)), geometric_ratio(single([-v for v in values]))
    assert found.point == pytest.approx(1 / inverse.point)
    if found.low is not None:
        assert found.low == pytest.approx(1 / inverse.high)
        assert found.low < found.point < found.high


def test_a_case_counts_once() -> None:
    rows = [LogRatio("a", "a", math.log(4)), LogRatio("a", "a", 0.0), LogRatio("b", "b", 0.0)]
    found = geometric_ratio(rows)
    assert found.point == pytest.approx(math.sqrt(2))
    assert (found.n, found.pairs) == (2, 3)


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ([], "No usable pair."),
        (single([0.1] * 7), "withheld under 8 cases"),
        ([LogRatio(f"c{i}", "one", i / 9) for i in range(9)], "Insufficient"),
        (single([0.3] * 9), "All ratios are equal"),
    ],
)
def test_an_interval_is_withheld_with_the_reason(rows: list[LogRatio], note: str) -> None:
    found = geometric_ratio(rows)
    assert (found.low, found.high, found.p) == (None, None, None)
    assert note in found.note
    assert not found.distinguishable


def test_the_note_says_when_the_interval_holds_one() -> None:
    assert geometric_ratio(single([-1, 1, -1, 1, -1, 1, -1, 1])).note == "Not distinguishable from 1."
    clear = geometric_ratio(single([1.0, 1.1, 0.9, 1.0, 1.2, 0.8, 1.0, 1.0]))
    assert clear.distinguishable
    assert clear.note == ""
