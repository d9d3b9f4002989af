"""Pass rates and centres of one arm, by hand and by brute force."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mmbench.report.stats import arm_summary, pass_at, pass_hat, pass_rate
from mmbench.report.stats.arms import pooled_sd

from .samples import pair

tables = st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=1, max_size=8)


def test_one_arm_by_hand() -> None:
    rows = [
        pair("a", 0, 60),
        pair("a", 100, 100, run=1),
        pair("b", 60, 0),
        pair("b", 80, 0, run=1),
        pair("c", 5, None),
    ]
    found = arm_summary(rows, "without")
    assert (found.n, found.runs, found.trials, found.excluded) == (2, 2, 4, (("missing", 1),))
    # Case means 50 and 70.
    assert (found.mean, found.median, found.sd) == (60, 60, 10)
    # Within variances 5000 and 200, one degree of freedom each.
    assert found.within_sd == pytest.approx((5200 / 2) ** 0.5)
    assert (found.passes, found.pass_at_1, found.pass_all, found.pass_all_k) == (3, 0.75, 0.5, 2)
    assert arm_summary(rows, "with").pass_all == 0.5


def test_an_arm_without_trials_has_no_figures() -> None:
    found = arm_summary([], "with")
    assert (found.n, found.mean, found.pass_at_1, found.pass_interval, found.pass_all) == (
        0,
        None,
        None,
        None,
        None,
    )


def test_the_pass_interval_takes_cases_not_runs_as_items() -> None:
    thrice = [[ok] * 3 for ok in [True] * 6 + [False] * 4]
    found = pass_rate(thrice)
    assert found is not None
    expected = stats.binomtest(6, 10).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    ends = pass_rate([[True, True]] * 10)
    assert ends is not None
    assert ends.low == pytest.approx(stats.binomtest(10, 10).proportion_ci(method="exact").low)


@given(tables, st.integers(1, 5))
def test_pass_hat_and_pass_at_agree_with_every_choice_of_runs(table: list[list[bool]], k: int) -> None:
    rows = [list(combinations(runs, k)) for runs in table if len(runs) >= k]
    if not rows:
        assert pass_hat(table, k) is None
        assert pass_at(table, k) is None
        return
    assert pass_hat(table, k) == pytest.approx(fmean(fmean(all(c) for c in row) for row in rows))
    assert pass_at(table, k) == pytest.approx(fmean(fmean(any(c) for c in row) for row in rows))


def test_pooled_sd_needs_repeats() -> None:
    assert pooled_sd([[1.0], [2.0]]) is None
    assert pooled_sd([[1.0, 3.0], [5.0]]) == pytest.approx(2**0.5)
