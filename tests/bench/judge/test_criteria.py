from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mmbench.bench.judge import criteria
from mmbench.bench.judge.criteria import Criterion
from mmbench.bench.judge.question import Unreadable

LISTED = (Criterion("rows", 2, "All rows are there."), Criterion("totals", 1, "The totals are right."))


def text(points: object, **more: object) -> str:
    return json.dumps({"criteria": points, "reason": "r", **more})


def test_the_score_is_the_weighted_mean_on_the_scale_of_five() -> None:
    read = criteria.parse(text({"rows": 8, "totals": 5}), LISTED)
    assert criteria.score(read.points, LISTED) == pytest.approx(5 * (2 * 8 + 5) / 30)
    assert criteria.calculation(read.points, LISTED) == "5 · (2·8 (rows) + 1·5 (totals)) / (10 · 3) = 3.5"


@pytest.mark.parametrize(
    "points",
    [
        {"rows": 8},
        {"rows": 8, "totals": 5, "style": 1},
        {"rows": 8, "totals": 11},
        {"rows": -0.1, "totals": 5},
        {"rows": "8", "totals": 5},
        {"rows": True, "totals": 5},
        {"rows": None, "totals": 5},
        {},
        [8, 5],
        [{"id": "rows", "score": 8}, {"id": "totals", "score": 5}],
        8,
    ],
)
def test_anything_but_every_criterion_once_and_in_range_is_rejected(points: object) -> None:
    with pytest.raises(Unreadable):
        criteria.parse(text(points), LISTED)


@pytest.mark.parametrize(
    "reply",
    [
        '{"criteria": {"rows": 8, "rows": 9, "totals": 5}}',
        '{"criteria": {"rows": NaN, "totals": 5}}',
        '{"criteria": {"rows": Infinity, "totals": 5}}',
        '{"criteria": {"rows": 8, "totals": 5}, "score": 4}',
        '{"criteria": {"rows": 8, "totals": 5}, "reason": 1}',
        '{"criteria": {"rows": 8, "totals": 5}',
        "rows: 8, totals: 5",
        "8",
        "",
    ],
)
def test_a_reply_of_another_form_is_rejected(reply: str) -> None:
    with pytest.raises(Unreadable):
        criteria.parse(reply, LISTED)


def test_a_total_may_be_left_out_and_must_be_right_when_it_is_there() -> None:
    points = {"rows": 8, "totals": 5}
    assert criteria.parse(text(points, total=21), LISTED).points == points
    for wrong in (20.9, 7, "21", None, True):
        with pytest.raises(Unreadable):
            criteria.parse(text(points, total=wrong), LISTED)


@given(st.lists(st.tuples(st.floats(0.01, 100), st.floats(0, 10)), min_size=1, max_size=6))
def test_scores_stay_on_the_scale_and_fit_the_schema(rows: list[tuple[float, float]]) -> None:
    listed = [Criterion(f"c{n}", weight, "x") for n, (weight, _) in enumerate(rows)]
    points = {f"c{n}": value for n, (_, value) in enumerate(rows)}
    reply = json.loads(text(points))
    assert Draft202012Validator(criteria.schema(listed)).is_valid(reply)
    score = criteria.score(criteria.parse(json.dumps(reply), listed).points, listed)
    by_hand = sum(w * p for w, p in rows) / sum(w for w, _ in rows) / 2
    assert math.isclose(score, by_hand, abs_tol=1e-5)
    assert 0 <= score <= 5


def test_a_case_without_criteria_is_judged_by_its_objective() -> None:
    (one,) = criteria.of_case({"judge_objective": "Says heron."})
    assert (one.id, one.text) == ("objective", "Says heron.")
    told = [{"id": "rows", "weight": 2, "text": "All rows."}]
    assert criteria.of_case({"criteria": told, "judge_objective": "x"}) == (
        Criterion("rows", 2.0, "All rows."),
    )
