"""The four verdicts, and designs that would settle an open one."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.power import detectable_lift
from mmbench.report.stats import Lift, designs_needed, lift, verdict, verdicts

from .samples import gains, pair

BASE = lift(gains([10, 20, 0, 10, -10, 0, 30, 20]))


def spanning(low: float, high: float) -> Lift:
    return replace(BASE, point=(low + high) / 2, low=low, high=high)


@pytest.mark.parametrize(
    ("low", "high", "call"),
    [
        (2, 20, "IMPROVES"),
        (-20, -2, "HARMS"),
        (-5, 5, "EQUIVALENT"),
        (1, 4, "EQUIVALENT"),
        (-4, 5.1, "INCONCLUSIVE"),
        (-30, 30, "INCONCLUSIVE"),
        (0, 9, "INCONCLUSIVE"),
    ],
)
def test_the_call_follows_from_the_interval(low: float, high: float, call: str) -> None:
    found = verdict(spanning(low, high))
    assert found.call == call
    assert bool(found.needed) == (call == "INCONCLUSIVE")


def test_the_margin_is_the_plans() -> None:
    assert verdict(spanning(1, 4), margin=3).call == "IMPROVES"
    assert verdict(spanning(-8, 8), margin=10).call == "EQUIVALENT"
    assert "leaves out 0" in verdict(spanning(1, 4)).reason


def test_it_is_withheld_while_scheduled_pairs_are_missing() -> None:
    found = verdict(lift([*gains([10.0, 12] * 6), pair("late", None, None)]))
    assert found.call == "WITHHELD"
    assert found.reason.startswith("1 scheduled pair has")


def test_a_difference_must_hold_over_the_family() -> None:
    assert verdict(spanning(2, 20), adjusted_p=0.04).call == "IMPROVES"
    lost = verdict(spanning(2, 20), adjusted_p=0.06)
    assert lost.call == "INCONCLUSIVE"
    assert "Holm" in lost.reason


def test_a_family_is_adjusted_together() -> None:
    # Alone its p is about .03; as the largest of three it stays, as one of three alike it triples.
    weak = lift(gains([30, -6, 22, 4, 18, -4, 26, 8, -2, 20]))
    assert weak.p is not None
    assert 0.0167 < weak.p < 0.05
    assert verdicts({"a": weak})["a"].call == "IMPROVES"
    assert {v.call for v in verdicts({"a": weak, "b": weak, "c": weak}).values()} == {"INCONCLUSIVE"}


def test_lifts_without_a_p_do_not_widen_the_family() -> None:
    weak, short = lift(gains([30, -6, 22, 4, 18, -4, 26, 8, -2, 20])), lift(gains([1.0, 2]))
    found = verdicts({"a": weak, "b": short, "c": short})
    assert found["a"].call == "IMPROVES"
    assert found["b"].call == "INCONCLUSIVE"
    assert "withheld" in found["b"].reason


def test_all_cases_alike_can_be_equivalent_with_enough_cases() -> None:
    few = lift(gains([0.0] * 24))
    assert verdict(few).call == "INCONCLUSIVE"
    (needed,) = designs_needed(few)
    assert verdict(lift(gains([0.0] * needed.cases))).call == "EQUIVALENT"
    assert verdict(lift(gains([0.0] * (needed.cases - 1)))).call == "INCONCLUSIVE"


def test_the_needed_design_detects_the_observed_lift() -> None:
    found = replace(
        BASE, point=8.0, low=-4.0, high=20.0, n=24, clusters=10_000, runs=3, mde=detectable_lift(24, 3)
    )
    found = replace(found, sd_between=12.0, sd_within=60.0)
    same, doubled = designs_needed(found)
    assert (same.runs, doubled.runs) == (3, 6)
    assert doubled.cases < same.cases
    assert detectable_lift(same.cases, 3) == pytest.approx(8, rel=0.02)
    assert detectable_lift(doubled.cases, 6) == pytest.approx(8, rel=0.02)
    assert str(same).endswith("cases × 3 runs")


def test_without_repeats_only_cases_can_be_planned() -> None:
    (only,) = designs_needed(BASE)
    assert only.runs == 1
    assert str(only).endswith("× 1 run")


def test_nothing_measured_asks_for_the_smallest_design() -> None:
    assert [str(d) for d in designs_needed(lift([]))] == ["8 cases × 1 run"]


@given(st.lists(st.integers(-50, 50).map(float), min_size=8, max_size=30))
def test_an_open_verdict_always_asks_for_more(values: list[float]) -> None:
    found = lift(gains(values))
    call = verdict(found)
    if call.call == "INCONCLUSIVE":
        assert call.needed
        assert all(math.isfinite(d.cases) and d.cases > found.n for d in call.needed)
