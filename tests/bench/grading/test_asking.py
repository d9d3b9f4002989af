"""A question is worth the unclear points that it touches, and less when it came late."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mmbench.bench.grading import Asked, CheckFailedToRun, CheckResult, run_checks
from tests.bench.grading.trial import trial

POINTS = (("rate", "kurs"), ("year",))


def result(tmp_path: Path, question: str | None, changed: int = 0, **more: object) -> CheckResult:
    told = replace(trial(tmp_path, ["a.txt"]).evidence(), asked=Asked(question, changed, POINTS))
    return run_checks([{"kind": "asked", "weight": 1, **more}], told)[0]


QUESTIONS = {
    "Which exchange rates, and of which year?": 1.0,
    "WHICH \x1b[1mRATE\x1b[0m? Which\u00a0YEAR?": 1.0,
    "Zu welchem Kurs?": 0.5,
    "Which currency?": 0.0,
    "Shall I separate them? It was a leap-day.": 0.0,
    "Is it accurate, at which rate?": 0.5,
    "rate year " * 200: 0.0,
}


@pytest.mark.parametrize(("question", "score"), QUESTIONS.items())
def test_each_point_that_is_touched_counts(tmp_path: Path, question: str, score: float) -> None:
    assert result(tmp_path, question).score == score


def test_silence_earns_nothing(tmp_path: Path) -> None:
    silent = result(tmp_path, None)
    assert (silent.score, silent.reason) == (0, "No question was asked.")


@pytest.mark.parametrize(
    ("changed", "said"), [(1, "1 entry of the tree was"), (2, "2 entries of the tree were")]
)
def test_a_question_after_a_change_is_worth_half(tmp_path: Path, changed: int, said: str) -> None:
    late = result(tmp_path, "Which rate of which year?", changed=changed)
    assert late.score == 0.5
    assert late.reason.endswith(f"but {said} changed before.")


def test_the_reason_names_what_was_not_asked(tmp_path: Path) -> None:
    assert result(tmp_path, "Which year?").reason == "The question does not touch rate or kurs."


def test_the_limit_of_words_is_the_cases(tmp_path: Path) -> None:
    assert result(tmp_path, "At which rate of the year?", max_words=3).score == 0


def test_a_case_with_nobody_to_ask_cannot_be_graded_for_it(tmp_path: Path) -> None:
    with pytest.raises(CheckFailedToRun, match="nobody to ask"):
        run_checks([{"kind": "asked", "weight": 1}], trial(tmp_path, ["a.txt"]).evidence())
