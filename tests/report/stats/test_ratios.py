"""Geometric ratios against scipy on the logs, and what a ratio must never do."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mmbench.report.stats import Ratio, geometric_ratio

logs = st.lists(st.floats(-3, 3).map(lambda x: round(x, 3)), min_size=8, max_size=30)


def single(values: list[float]) -> Ratio:
    """Return the ratio of cases with one run each, each in a cluster of its own."""
    return geometric_ratio(
        {f"c{i:02}": [value] for i, value in enumerate(values)},
        {f"c{i:02}": f"g{i}" for i in range(len(values))},
    )


@given(logs.filter(lambda v: max(v) - min(v) > 0.01))
def test_it_is_the_t_interval_of_the_logs(values: list[float]) -> None:
    found = single(values)
    oracle = stats.ttest_1samp(values, 0)
    low, high = oracle.confidence_interval(0.95)
    assert found.point == pytest.approx(stats.gmean([math.exp(v) for v in values]))
    assert (found.low, found.high) == pytest.approx((math.exp(low), math.exp(high)), rel=1e-6)
    assert found.p == pytest.approx(oracle.pvalue, abs=1e-9)


@given(logs)
def test_the_inverse_ratio_is_one_over_it(values: list[float]) -> None:
    found, inverse = single(values), single([-v for v in values])
    assert found.point == pytest.approx(1 / inverse.point)
    if found.low is not None:
        assert found.low == pytest.approx(1 / inverse.high)
        assert found.low < found.point < found.high


def test_a_case_counts_once() -> None:
    found = geometric_ratio({"a": [math.log(4), 0.0], "b": [0.0]}, {"a": "a", "b": "b"})
    assert found.point == pytest.approx(math.sqrt(2))
    assert (found.n, found.pairs) == (2, 3)


@pytest.mark.parametrize(
    ("found", "note"),
    [
        (single([]), "No usable pair."),
        (single([0.1] * 7), "withheld under 8 cases"),
        (
            geometric_ratio(
                {f"c{i}": [i / 9] for i in range(9)}, dict.fromkeys(map("c{}".format, range(9)), "one")
            ),
            "Insufficient",
        ),
        (single([0.3] * 9), "All ratios are equal"),
    ],
)
def test_an_interval_is_withheld_with_the_reason(found: Ratio, note: str) -> None:
    assert (found.low, found.high, found.p) == (None, None, None)
    assert note in found.note
    assert not found.distinguishable


def test_the_note_says_when_the_interval_holds_one() -> None:
    assert single([-1, 1, -1, 1, -1, 1, -1, 1]).note == "Not distinguishable from 1."
    clear = single([1.0, 1.1, 0.9, 1.0, 1.2, 0.8, 1.0, 1.0])
    assert clear.distinguishable
    assert clear.note == ""
