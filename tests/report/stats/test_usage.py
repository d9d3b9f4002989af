"""Tokens and cost: unknown stays unknown, zero stays zero, cold runs stand apart."""

from __future__ import annotations

import math

import pytest

from mmbench.errors import DataError
from mmbench.report.stats import PairSpend, Spend, usage_table

FULL = Spend(fresh=100, cache_read=800, cache_write=60, output=40, cost=0.02)
HALF = Spend(fresh=50, cache_read=400, cache_write=30, output=20, cost=0.01)


def test_cached_tokens_weigh_what_they_are_told() -> None:
    assert FULL.tokens(0) == 200
    assert FULL.tokens(0.25) == 400
    assert FULL.tokens(1) == 1000


def test_an_unknown_part_makes_the_total_unknown_unless_it_weighs_nothing() -> None:
    assert Spend(fresh=1, cache_write=0, output=2).tokens(0) == 3
    assert Spend(fresh=1, cache_write=0, output=2).tokens(0.25) is None
    assert Spend(fresh=1, cache_read=5, output=2).tokens(0) is None


def test_ratios_are_without_over_with() -> None:
    found = usage_table([PairSpend(f"c{i}", f"g{i}", 0, FULL, HALF) for i in range(3)])
    assert [a.name for a in found.warm] == [
        *("fresh", "cache_read", "cache_write", "output", "cost"),
        *("tokens@0%", "tokens@25%", "tokens@100%"),
    ]
    for amount in found.warm:
        assert amount.ratio.point == pytest.approx(2)
        assert (amount.known, amount.pairs, amount.zero) == (3, 3, 0)
    assert (found["tokens@25%"].without, found["tokens@25%"].with_) == (1200, 600)
    assert found["cost"].without == pytest.approx(0.06)


def test_nulls_stay_null_and_are_counted() -> None:
    rows = [PairSpend("a", "a", 0, FULL, HALF), PairSpend("b", "b", 0, FULL, Spend(fresh=7))]
    found = usage_table(rows)
    assert (found["fresh"].known, found["fresh"].with_) == (2, 57)
    assert (found["cost"].known, found["cost"].pairs, found["cost"].with_) == (1, 2, 0.01)
    assert found["cost"].note.startswith("1 of 2 known.")
    nothing = usage_table([PairSpend("a", "a", 0, Spend(), Spend())])["cost"]
    assert (nothing.without, nothing.with_, nothing.ratio.point) == (None, None, None)


def test_zero_is_in_the_sums_but_in_no_ratio() -> None:
    rows = [PairSpend("a", "a", 0, FULL, HALF), PairSpend("b", "b", 0, Spend(fresh=0), Spend(fresh=9))]
    found = usage_table(rows)["fresh"]
    assert (found.without, found.with_, found.known, found.zero) == (100, 59, 2, 1)
    assert found.ratio.point == pytest.approx(2)


def test_cold_runs_stand_apart_and_excluded_pairs_are_counted() -> None:
    rows = [
        PairSpend("a", "a", 0, Spend(fresh=900), Spend(fresh=900), cold=True),
        PairSpend("a", "a", 1, FULL, HALF),
        PairSpend("b", "b", 0, FULL, HALF, "infra_error"),
    ]
    found = usage_table(rows)
    assert found["fresh"].without == 100
    assert found.cold[0].without == 900
    assert found.excluded == (("infra_error", 1),)


@pytest.mark.parametrize("amount", [-1, math.nan, math.inf])
def test_impossible_amounts_are_refused(amount: float) -> None:
    with pytest.raises(DataError, match="cannot use"):
        Spend(cost=amount)
