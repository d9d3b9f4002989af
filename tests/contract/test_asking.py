"""An agent can ask the user of a case and wait for the answer, with no more than its own shell."""

from __future__ import annotations

import pytest

from tests.contract.proof import Proof
from tests.contract.stage import Stage
from tests.support.loopback import Script

pytestmark = pytest.mark.live

QUESTION = "Which of the two birds do you mean?"
ANSWER = "The one that stands on one leg."
TALK = {"question_file": "QUESTION.txt", "answer_file": "ANSWER.txt", "answer": ANSWER, "must_ask": ["bird"]}
ASK = f'echo "{QUESTION}" > QUESTION.txt; until [ -s ANSWER.txt ]; do sleep 0.2; done; cat ANSWER.txt'


@pytest.mark.proves("asks", "yes")
def test_a_question_from_its_shell_is_answered_while_it_waits(
    agent: str, stage: Stage, proven: Proof
) -> None:
    checks = [{"kind": "asked", "weight": 1}]
    played = stage.play(agent, Script((ASK,)), more={"clarification": TALK, "checks": checks})
    assert played.ended == ("completed", None), played.record["failure"]
    said = played.record["clarification"]
    assert said["question"]["text"] == f"{QUESTION}\n"
    assert (said["changed_before"], said["refused"]) == (0, None)
    assert said["answered_s"] >= said["asked_s"]
    assert ANSWER in played.tool_results
    assert played.record["tree"]["changes"] == []
