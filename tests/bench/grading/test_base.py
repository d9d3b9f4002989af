import math
from pathlib import Path
from typing import Any

import pytest

from mmbench.bench.grading import CheckFailedToRun, CheckResult, checkpoint_score, run_checks
from mmbench.bench.grading.base import Finding, KindSpec
from mmbench.bench.grading.kinds import KINDS
from tests.bench.grading.trial import trial


def graded(tmp_path: Path, *checks: dict[str, Any]) -> list[CheckResult]:
    return run_checks(checks, trial(tmp_path, ["a.txt"]).evidence("7"))


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "no_such", "weight": 1},
        {"weight": 1},
        {"kind": ["contains_text"], "weight": 1},
        {"kind": "contains_number", "weight": 1, "value": "seven"},
        {"kind": "contains_number", "weight": 1},
        {"kind": "contains_number", "weight": 0, "value": 7},
        {"kind": "contains_number", "weight": math.nan, "value": 7},
        {"kind": "contains_number", "weight": True, "value": 7},
        {"kind": "contains_number", "value": 7},
        {"kind": "path_exists", "weight": 1, "path": "a.txt", "same_as": "missing.txt"},
    ],
)
def test_a_fault_of_the_case_or_grader_is_never_a_score(tmp_path: Path, check: dict[str, Any]) -> None:
    with pytest.raises(CheckFailedToRun):
        graded(tmp_path, check)


@pytest.mark.parametrize("score", [math.nan, math.inf, -0.1, 1.1])
def test_a_score_outside_its_range_is_a_fault_of_the_grader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, score: float
) -> None:
    monkeypatch.setitem(KINDS, "broken", KindSpec(lambda p, look: Finding(score, "so"), {}))
    with pytest.raises(CheckFailedToRun, match="outside"):
        graded(tmp_path, {"kind": "broken", "weight": 1})


def test_results_keep_the_order_and_weights_of_the_checks(tmp_path: Path) -> None:
    results = graded(
        tmp_path,
        {"kind": "contains_number", "weight": 3, "value": 8},
        {"kind": "contains_number", "weight": 1, "value": 7},
    )
    assert [(r.kind, r.weight, r.score) for r in results] == [
        ("contains_number", 3, 0),
        ("contains_number", 1, 1),
    ]
    assert checkpoint_score(results) == 0.25


def test_a_share_of_nothing_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(CheckFailedToRun):
        checkpoint_score([])


def test_many_small_weights_add_up_to_one() -> None:
    assert checkpoint_score([CheckResult("k", 0.1, 1.0, "r")] * 7) == 1.0


def test_a_guard_alone_counts_in_full(tmp_path: Path) -> None:
    assert graded(tmp_path, {"kind": "contains_text", "weight": 1, "none_of": ["x"]})[0].score == 1
