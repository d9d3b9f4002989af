"""Agreement figures against hand-worked tables, published examples and brute force."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmbench.agreement import (
    GradedCase,
    JudgedPair,
    accuracy,
    accuracy_by,
    cohen_kappa,
    grade_agreement,
    krippendorff_alpha,
    preference,
    quadratic_kappa,
    repeatability,
    settle,
)

# Worked by hand. p1 right both ways; p2 first position both ways (one right); p3 wrong both ways;
# p4 judged forward only, rightly; p5 missing. 4 of 7 verdicts are right.
PAIRS = (
    JudgedPair("p1", "A", "A", "B", cluster="x"),
    JudgedPair("p2", "B", "A", "A", cluster="x"),
    JudgedPair("p3", "B", "A", "B", cluster="y"),
    JudgedPair("p4", "A", "A", None, cluster="y"),
    JudgedPair("p5", "A", None, None, cluster="y"),
)

# Reliability data of Krippendorff 2011, one row per unit. Alpha: .743 nominal, .815 ordinal, .849 interval.
KRIPPENDORFF = (
    (1, 1, None, 1),
    (2, 2, 3, 2),
    (3, 3, 3, 3),
    (3, 3, 3, 3),
    (2, 2, 2, 2),
    (1, 2, 3, 4),
    (4, 4, 4, 4),
    (1, 1, 2, 1),
    (2, 2, 2, 2),
    (None, 5, 5, 5),
    (None, None, 1, 1),
    (None, 3, None, None),
)

grades = st.integers(0, 5)
rated = st.lists(st.tuples(grades, grades), min_size=1, max_size=30)
judged = st.lists(
    st.builds(
        JudgedPair,
        st.uuids().map(str),
        st.sampled_from("AB"),
        st.sampled_from(["A", "B", None]),
        st.sampled_from(["A", "B", None]),
    ),
    max_size=30,
)


def test_accuracy_by_hand() -> None:
    found = accuracy(PAIRS)
    assert (found.correct, found.verdicts, found.pairs, found.missing, found.half) == (4, 7, 5, 1, 1)
    assert found.accuracy == pytest.approx(4 / 7)
    assert found.consistency == pytest.approx(2 / 3)
    # Both-way pairs: first chosen in p1 forward, p2 twice, p3 forward = 4 of 6.
    assert (found.first_chosen, found.first_shown) == (4, 6)
    assert found.position_bias == pytest.approx(1 / 3)
    assert found.wilson is not None
    assert found.accuracy in found.wilson


def test_accuracy_takes_alike_verdicts_as_one_cluster() -> None:
    found = accuracy(PAIRS).clustered
    assert found is not None
    assert (found.n, found.clusters) == (7, 2)
    # Deviations from 4/7: x: 3 right of 4, y: 1 right of 3. Sums 5/7 and -5/7; SE = sqrt(2 * 2 * 25/49) / 7.
    assert found.se == pytest.approx(math.sqrt(2 * 2 * 25 / 49) / 7)


def test_accuracy_of_nothing_has_no_shares() -> None:
    found = accuracy([])
    assert (found.accuracy, found.consistency, found.first_share, found.position_bias) == (None,) * 4
    assert (found.wilson, found.clustered, found.kappa) == (None, None, None)


def test_a_verdict_that_names_no_side_counts_as_wrong() -> None:
    found = accuracy([JudgedPair("p", "A", "neither", "B")])
    assert (found.correct, found.verdicts, found.first_shown) == (1, 2, 1)


@settings(deadline=None)
@given(judged)
def test_swapping_the_sides_everywhere_changes_nothing(pairs: list[JudgedPair]) -> None:
    swap = {"A": "B", "B": "A", None: None}
    mirrored = [JudgedPair(p.pair, swap[p.chosen], p.reverse, p.forward) for p in pairs]
    found, again = accuracy(pairs), accuracy(mirrored)
    assert (found.correct, found.verdicts, found.consistent) == (
        again.correct,
        again.verdicts,
        again.consistent,
    )
    assert (found.first_chosen, found.first_shown) == (again.first_chosen, again.first_shown)


def test_accuracy_by_group_adds_up() -> None:
    groups = accuracy_by(PAIRS, lambda pair: pair.cluster)
    assert list(groups) == ["x", "y"]
    assert (groups["x"].correct, groups["x"].verdicts) == (3, 4)
    assert (groups["y"].correct, groups["y"].verdicts) == (1, 3)


@pytest.mark.parametrize(
    ("forward", "reverse", "outcome"),
    [
        ("A", "B", "A"),
        ("B", "A", "B"),
        ("tie", "tie", "tie"),
        ("A", "A", "inconsistent"),
        ("B", "B", "inconsistent"),
        ("tie", "A", "inconsistent"),
    ],
)
def test_settle_keeps_four_outcomes_apart(forward: str, reverse: str, outcome: str) -> None:
    assert settle(forward, reverse) == outcome


def test_preference_counts_ties_and_flips_half() -> None:
    found = preference(["B", "B", "A", "tie", "inconsistent"])
    assert (found.a, found.b, found.tie, found.inconsistent) == (1, 2, 1, 1)
    assert found.share == pytest.approx(3 / 5)
    assert found.flip_rate == pytest.approx(1 / 5)
    assert found.interval is not None
    assert 0.5 in found.interval
    assert preference([]).share is None
    assert preference([]).flip_rate is None


def test_cohen_kappa_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed .70, chance .50, kappa .40.
    table = {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}
    assert cohen_kappa([cell for cell, count in table.items() for _ in range(count)]) == pytest.approx(0.4)
    assert cohen_kappa([("y", "y")] * 3) is None
    assert cohen_kappa([]) is None


@settings(deadline=None)
@given(rated)
def test_quadratic_kappa_agrees_with_its_definition(ratings: list[tuple[int, int]]) -> None:
    left, right = [a for a, _ in ratings], [b for _, b in ratings]
    observed = sum((a - b) ** 2 for a, b in ratings) / len(ratings)
    expected = sum((a - b) ** 2 for a, b in product(left, right)) / len(ratings) ** 2
    found = quadratic_kappa(ratings)
    if expected == 0:
        assert found is None
    else:
        assert found == pytest.approx(1 - observed / expected, abs=1e-9)


@settings(deadline=None)
@given(rated)
def test_kappas_do_not_mind_who_is_called_first(ratings: list[tuple[int, int]]) -> None:
    swapped = [(b, a) for a, b in ratings]
    for kappa in (cohen_kappa, quadratic_kappa):
        one, other = kappa(ratings), kappa(swapped)
        assert (one is None) == (other is None)
        assert one is None or one == pytest.approx(other, abs=1e-12)


def test_quadratic_kappa_of_nothing() -> None:
    assert quadratic_kappa([]) is None


@pytest.mark.parametrize(("metric", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(metric: str, alpha: float) -> None:
    assert krippendorff_alpha(KRIPPENDORFF, metric) == pytest.approx(alpha, abs=5e-4)  # type: ignore[arg-type]


def test_alpha_is_one_for_full_agreement_and_undefined_without_variation() -> None:
    assert krippendorff_alpha([(1, 1), (3, 3), (5, 5)]) == 1
    assert krippendorff_alpha([(2, 2), (2, 2)]) is None
    assert krippendorff_alpha([(1, None), (None, 2)]) is None


def test_grade_agreement_by_hand() -> None:
    cases = [
        GradedCase("a", "with_mm", 5, (5, 5, 4)),
        GradedCase("b", "with_mm", 4, (3, 3, None)),
        GradedCase("c", "without_mm", 0, (2, 2, 3)),
        GradedCase("d", "without_mm", 1, (1, 1, 1)),
    ]
    found = grade_agreement(cases)
    assert (found.n, found.exact, found.within_one) == (4, 0.5, 0.75)
    assert found.bias["with_mm"].point == 0.5
    assert found.bias["without_mm"].point == -1
    assert found.kappa is not None
    assert found.alpha_humans is not None
    assert found.alpha_all is not None
    assert found.alpha_all < found.alpha_humans < 1


def test_grade_agreement_of_nothing() -> None:
    found = grade_agreement([])
    assert (found.n, found.exact, found.kappa, found.bias) == (0, None, None, {})


def test_repeatability_by_hand() -> None:
    # Within-outcome variances 0, 1 and 0.5 with 1, 2 and 1 degrees of freedom: pooled (2 + 0.5) / 4.
    found = repeatability([(3, 3), (1, 2, 3), (4, 5), (2,)])
    assert found.outcomes == 3
    assert found.identical == pytest.approx(1 / 3)
    assert found.sd == pytest.approx(math.sqrt(2.5 / 4))
    assert found.widest == 2
    assert repeatability([(1,)]).sd is None
