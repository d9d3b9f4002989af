"""Wins, ties and losses by case."""

from __future__ import annotations

import pytest
from hypothesis import given

from mmbench.report.stats import PairScore, compare, mcnemar

from .samples import cells, pair, swapped

TABLE = (
    pair("both", 60, 100),
    pair("gained", 0, 80),
    pair("lost", 100, 30),
    pair("neither", 20, 20),
    pair("mixed", 100, 100),
    pair("mixed", 0, 100, run=1),
    pair("mixed", 0, 0, run=2),
    pair("gone", None, 3, excluded="infra_error"),
)


def test_the_table_by_hand() -> None:
    found = compare(TABLE)
    assert (found.n, found.wins, found.ties, found.losses) == (5, 3, 1, 1)
    assert (found.both, found.only_with, found.only_without, found.neither) == (1, 2, 1, 1)
    assert found.share == pytest.approx(3.5 / 5)
    assert found.p == mcnemar(1, 2) == 1
    assert found.p_sign == mcnemar(1, 3) == 0.625
    assert found.excluded == (("infra_error", 1),)


def test_differing_cases_come_first() -> None:
    assert [row.case for row in compare(TABLE).cases] == ["gained", "lost", "both", "mixed", "neither"]


def test_most_runs_decide_whether_a_case_passes() -> None:
    mixed = next(row for row in compare(TABLE).cases if row.case == "mixed")
    assert (mixed.passed_without, mixed.passed_with, mixed.runs) == (False, True, 3)
    assert mixed.difference == pytest.approx(100 / 3)


def test_small_differences_can_be_ties() -> None:
    assert compare([pair("a", 50, 52)], tie=2).ties == 1
    assert compare([pair("a", 50, 52.1)], tie=2).wins == 1


def test_nothing_to_compare() -> None:
    found = compare([])
    assert (found.n, found.share, found.interval, found.p) == (0, None, None, 1)


@given(cells(flawed=True))
def test_swapping_the_sides_swaps_the_outcomes(pairs: list[PairScore]) -> None:
    found, mirror = compare(pairs), compare(swapped(pairs))
    assert (found.wins, found.ties, found.losses) == (mirror.losses, mirror.ties, mirror.wins)
    assert (found.only_with, found.only_without) == (mirror.only_without, mirror.only_with)
    assert (found.p, found.p_sign) == (mirror.p, mirror.p_sign)
    assert found.both + found.only_with + found.only_without + found.neither == found.n
