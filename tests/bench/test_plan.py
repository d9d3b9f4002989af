"""A plan holds every trial once, pairs side by side, and says what it leaves out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench import plan
from mmbench.bench.plan import Backend
from mmbench.case import Case, Suite
from mmbench.errors import UsageError
from tests.test_case import DOCUMENT

ABLE = Backend(frozenset({"ocr"}), {"speech": "there are no weights"})


def suite(count: int, **change: Any) -> Suite:
    return Suite(
        "s", "embedded", tuple(Case(DOCUMENT | {"id": f"case-{n}"} | change, "") for n in range(count))
    )


def make(cases: Suite, **change: Any) -> plan.Plan:
    given = {"arms": plan.DEFAULT_ARMS, "runs": 1, "seed": 0, "reference": False} | change
    return plan.make(cases, ABLE, **given)


@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 10_000))
def test_every_trial_is_scheduled_once_and_the_arms_of_a_pair_are_neighbours(
    count: int, runs: int, seed: int
) -> None:
    drawn = make(suite(count), runs=runs, seed=seed)
    assert len(drawn.schedule) == len(set(drawn.schedule)) == count * runs * 2
    for first, second in zip(drawn.schedule[::2], drawn.schedule[1::2], strict=True):
        assert (first.case, first.run) == (second.case, second.run)
    assert [len(pair) for pair in plan.pairs(drawn.schedule)] == [2] * (count * runs)


def test_the_order_follows_from_the_seed_alone() -> None:
    assert make(suite(5), seed=7) == make(suite(5), seed=7)
    assert len({make(suite(5), seed=seed).schedule for seed in range(20)}) > 10


def test_either_arm_comes_first_about_as_often() -> None:
    drawn = make(suite(20), runs=20, seed=1)
    first = sum(pair[0].arm == "with_mm" for pair in plan.pairs(drawn.schedule))
    assert 150 < first < 250


def test_what_the_backend_cannot_do_is_left_out_of_both_arms_with_its_reason() -> None:
    cases = Suite(
        "s", "embedded", (*suite(1).cases, Case(DOCUMENT | {"id": "heard", "needs": ["speech"]}, ""))
    )
    drawn = make(cases)
    assert drawn.cases == ("case-0",)
    assert drawn.excluded == (plan.Excluded("heard", None, "there are no weights"),)


def test_a_reference_agent_runs_only_the_arms_that_have_a_solution() -> None:
    drawn = make(suite(1, solutions={"with_mm": "mm"}), reference=True)
    assert [key.arm for key in drawn.schedule] == ["with_mm"]
    assert drawn.excluded[0].arm == "without_mm"


def test_extra_arms_join_the_two_in_a_fixed_order() -> None:
    assert plan.parse_arms("placebo,unprimed") == ("without_mm", "with_mm", "unprimed", "placebo")
    assert plan.parse_arms("") == plan.DEFAULT_ARMS
    with pytest.raises(UsageError, match="Did you mean placebo"):
        plan.parse_arms("placeb")


def test_no_runs_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="--runs"):
        make(suite(1), runs=0)


def test_cases_with_a_user_are_for_agents_that_can_ask() -> None:
    talk = {"question_file": "Q", "answer_file": "A", "answer": "Yes.", "must_ask": ["which"]}
    unclear = Case(DOCUMENT | {"id": "unclear", "clarification": talk}, "")
    cases = Suite("s", "embedded", (*suite(1).cases, unclear))
    assert make(cases).cases == ("case-0", "unclear")
    drawn = make(cases, can_ask=False)
    assert drawn.cases == ("case-0",)
    assert drawn.excluded == (plan.Excluded("unclear", None, plan.CANNOT_ASK),)
