"""Ranks with ties, and the Pareto front."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mmbench.report.stats import Offer, Ranked, pareto_front, ranking


def test_overlapping_intervals_share_a_rank() -> None:
    found = ranking(
        [
            Ranked("c", 10, 8, 12),
            Ranked("a", 30, 25, 35),
            Ranked("b", 27, 20, 34),
            Ranked("d", 15, 11, 21),
            Ranked("e", 99, None, None),
        ]
    )
    assert [(r.name, str(r), r.tied) for r in found] == [
        ("a", "1–2", ("b",)),
        ("b", "1–3", ("a", "d")),
        ("d", "2–4", ("b", "c")),
        ("c", "3–4", ("d",)),
        ("e", "–", ()),
    ]


def test_clear_leads_have_clear_ranks() -> None:
    found = ranking([Ranked("low", 1, 0, 2), Ranked("high", 9, 8, 10)])
    assert [(r.name, str(r)) for r in found] == [("high", "1"), ("low", "2")]
    assert ranking([]) == []


spans = st.tuples(st.integers(-50, 50), st.integers(0, 30), st.integers(0, 30))


@given(st.lists(spans, max_size=12))
def test_ranks_are_consistent(rows: list[tuple[int, int, int]]) -> None:
    found = ranking(Ranked(f"n{i:02}", p, p - below, p + above) for i, (p, below, above) in enumerate(rows))
    for rank in found:
        assert rank.rank is not None
        assert rank.worst is not None
        assert 1 <= rank.rank <= rank.worst <= len(rows)
        assert len(rank.tied) == rank.worst - rank.rank
        assert all(rank.name in other.tied for other in found if other.name in rank.tied)


def test_the_front_by_hand() -> None:
    offers = [
        Offer("cheap", 1, 40),
        Offer("dear and worse", 5, 39),
        Offer("middle", 3, 60),
        Offer("same as middle", 3, 60),
        Offer("dear", 9, 80),
        Offer("as good, dearer", 10, 80),
        Offer("unpriced", None, 100),
        Offer("unscored", 0, None),
    ]
    assert [o.name for o in pareto_front(offers)] == ["cheap", "middle", "same as middle", "dear"]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=15))
def test_the_front_is_what_nothing_dominates(rows: list[tuple[int, int]]) -> None:
    offers = [Offer(f"n{i:02}", c, q) for i, (c, q) in enumerate(rows)]
    undominated = {
        f"n{i:02}"
        for i, (c, q) in enumerate(rows)
        if not any(c2 <= c and q2 >= q and (c2, q2) != (c, q) for c2, q2 in rows)
    }
    assert {o.name for o in pareto_front(offers)} == undominated
