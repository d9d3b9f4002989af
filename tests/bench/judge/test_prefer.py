from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmbench import cli
from tests.bench.judge import recorded
from tests.bench.judge.samples import SECRET
from tests.support.judge_endpoint import JudgeEndpoint, Question

SCORES = dict.fromkeys(recorded.both_arms(), 3.0)


def likes_heron(question: Question) -> str:
    first, second = question.text.split("-----BEGIN RESPONSE B")
    herons = "says heron" in first, "says heron" in second
    choice = "tie" if herons[0] == herons[1] else "A" if herons[0] else "B"
    return json.dumps({"choice": choice, "reason": ""})


def words(endpoint: JudgeEndpoint, folder: Path, *more: str) -> list[str]:
    place = ("--judge.model", "m", "--judge.base-url", endpoint.base_url, "--judge.api-key", SECRET)
    return ["judge", "prefer", *more, "--results", str(folder / "results"), *place]


def test_both_arms_of_a_session_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded.write(tmp_path, SCORES)
    with JudgeEndpoint(likes_heron) as endpoint:
        assert cli.main(words(endpoint, tmp_path, "s1", "--json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(endpoint.questions) == 4
    assert found["sides"] == {"a": "without_mm", "b": "with_mm"}
    assert (found["a"], found["b"], found["share"], found["position_bias"]) == (0, 2, 1, 0)
    assert found["outcomes"] == {"word-0.1": "B", "word-1.1": "B"}
    assert "without_mm" not in "".join(question.text for question in endpoint.questions)


def test_one_arm_of_two_sessions_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded.write(tmp_path, SCORES)
    recorded.write(tmp_path, SCORES, "s2")
    with JudgeEndpoint(likes_heron) as endpoint:
        assert cli.main(words(endpoint, tmp_path, "s1", "s2", "--arms", "with_mm")) == 0
    table = capsys.readouterr().out
    assert "A, s1" in table
    assert "50.0 %" in table


def test_a_missing_verdict_is_an_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded.write(tmp_path, SCORES)
    with JudgeEndpoint(likes_heron, refuses=("messages",)) as endpoint:
        assert cli.main(words(endpoint, tmp_path, "s1", "--json")) == 1
    assert json.loads(capsys.readouterr().out)["unjudged"] == 2


@pytest.mark.parametrize(
    "more",
    [("s1", "--arms", "with_mm"), ("s1", "s1"), ("s1", "--arms", "with_mm,placebo"), ("s1", "s1", "s1")],
)
def test_other_choices_are_refused(tmp_path: Path, more: tuple[str, ...]) -> None:
    recorded.write(tmp_path, SCORES)
    with JudgeEndpoint(likes_heron) as endpoint:
        assert cli.main(words(endpoint, tmp_path, *more)) == 2
    assert not endpoint.asked
