"""Steps: how they are made, and what follows from their order."""

from __future__ import annotations

import pytest

from mmbench.bench.agents import transcript
from mmbench.outcome import Step, Usage

CALL = transcript.call("bash", {"command": "ls"})
RESULT = transcript.result("a.txt", "bash")


def said(text: str) -> Step:
    return transcript.message(text)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [({"command": "ls"}, "ls"), ({"cmd": "ls"}, "ls"), ({"path": "a"}, '{"path": "a"}'), (None, "")],
)
def test_a_call_shows_its_command_or_its_arguments(arguments: object, text: str) -> None:
    assert transcript.call("bash", arguments) == Step("tool_call", text, "bash")


def test_terminal_sequences_do_not_reach_a_transcript() -> None:
    assert transcript.result("\x1b[31mred\x1b[0m\x07", "b\x00").text == "red"
    assert transcript.message("\ud800").text == "\ufffd"


def test_deltas_are_joined_and_empty_messages_dropped() -> None:
    steps = transcript.joined([said(""), said("a"), said("b"), CALL, said(""), RESULT, said("c")])
    assert [step.text for step in steps] == ["ab", "ls", "a.txt", "c"]


def test_the_answer_is_what_follows_the_last_tool() -> None:
    assert transcript.answer([said("before"), CALL, RESULT, said("af"), said("ter")]) == "after"
    assert transcript.answer([said("before"), CALL, RESULT]) == ""
    assert transcript.answer([said("alone")]) == "alone"


def test_a_turn_is_one_reply_with_all_its_calls() -> None:
    assert transcript.turns([said("x"), CALL, CALL, RESULT, RESULT, said("y")]) == 2
    assert transcript.turns([]) == 0
    assert transcript.calls([CALL, RESULT, CALL]) == 2


def test_a_report_of_no_tokens_is_none() -> None:
    nothing = Usage(input_total=0, input_uncached=0, cache_read=0, output_total=0, reasoning=0, cost_usd=0.0)
    assert transcript.reported(nothing) == Usage()
    known = Usage(input_total=1, output_total=0)
    assert transcript.reported(known) == known
