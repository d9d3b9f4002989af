"""Pi: its launch, and its stream as recorded and as damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from mmbench.bench.agents.base import Endpoint, RawRun, Task
from mmbench.bench.agents.pi import KEY_VARIABLE, Pi
from mmbench.outcome import Usage
from tests.bench.agents.expect import COMMON, Expected, check, check_sane, check_tokens, check_transcript
from tests.support.samples import sample, scenarios

AGENT = Pi()
TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/mm:/bin", 60.0)
EXPECTED = {
    **COMMON,
    "refusal": Expected("no_answer", "no_answer"),
}
TRAPS = {"cut", "killed", "overflow"}


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def answer(text: str, tokens: int, **more: object) -> object:
    usage = {"input": tokens, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": tokens}
    content = [{"type": "text", "text": text}]
    message = {"role": "assistant", "content": content, "usage": usage, "stopReason": "stop", **more}
    return {"type": "message_end", "message": message}


END = {"type": "agent_end", "messages": []}


@pytest.mark.parametrize("name", [name for name in scenarios("pi") if name not in TRAPS])
def test_recorded_samples_come_to_their_outcomes(name: str) -> None:
    known = sample("pi", name)
    outcome = AGENT.parse(known.raw)
    check(outcome, EXPECTED[name])
    check_tokens(outcome, known, reasoning=False)


def test_every_recorded_error_left_the_exit_code_0() -> None:
    assert {sample("pi", name).raw.exit_code for name in scenarios("pi") if name != "killed"} == {0}


def test_a_killed_run_keeps_the_tokens_of_finished_calls() -> None:
    outcome = AGENT.parse(sample("pi", "killed").raw)
    assert (outcome.status, outcome.parse, outcome.tool_calls, outcome.turns) == ("timeout", "partial", 1, 1)
    assert outcome.usage == Usage(1000, 700, 300, 0, 50, lower_bound=True)


def test_output_that_stops_at_a_compaction_says_that_the_answer_is_missing() -> None:
    known = sample("pi", "overflow")
    assert known.raw.exit_code == 0 and known.served["calls"] > 1  # the run went on
    outcome = AGENT.parse(known.raw)
    assert (outcome.status, outcome.parse, outcome.final_text) == ("no_answer", "partial", "")
    assert outcome.failure and "compaction" in outcome.failure.message
    assert outcome.usage.lower_bound


def test_a_compaction_after_the_answer_takes_nothing_away() -> None:
    after = {"type": "compaction_start", "reason": "threshold"}
    outcome = AGENT.parse(RawRun(lines(answer("x", 5), END, after), b"", 0))
    assert (outcome.status, outcome.final_text) == ("completed", "x")


def test_an_answer_that_the_endpoint_cut_is_no_success() -> None:
    outcome = AGENT.parse(sample("pi", "cut").raw)
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("infra_error", "server_error")


def test_an_endpoint_that_counts_no_tokens_leaves_them_unknown() -> None:
    outcome = AGENT.parse(RawRun(lines(answer("x", 0), END), b"", 0))
    assert (outcome.status, outcome.usage) == ("completed", Usage())


def test_the_transcript_is_in_order() -> None:
    check_transcript(AGENT.parse(sample("pi", "ok").raw), "bash")


def test_a_retry_under_way_is_no_end() -> None:
    retry = {"type": "auto_retry_start", "attempt": 1}
    assert AGENT.parse(RawRun(lines(answer("x", 5), END, retry), b"", 0)).parse == "partial"


def test_repeated_messages_are_not_counted() -> None:
    message = answer("x", 5)
    turn = {"type": "turn_end", "message": message["message"]}  # type: ignore[index]
    end = {"type": "agent_end", "messages": [message["message"]]}  # type: ignore[index]
    outcome = AGENT.parse(RawRun(lines(message, turn, end), b"", 0))
    assert (outcome.usage.input_total, outcome.turns) == (5, 1)


def test_a_price_of_0_is_an_unknown_cost() -> None:
    priced = answer("x", 5)
    priced["message"]["usage"]["cost"] = {"total": 0.25}  # type: ignore[index]
    assert AGENT.parse(RawRun(lines(priced, END), b"", 0)).usage.cost_usd == 0.25
    assert AGENT.parse(sample("pi", "ok").raw).usage.cost_usd is None


@pytest.mark.parametrize("name", ["ok", "auth"])
def test_no_prefix_of_a_stream_is_a_success(name: str) -> None:
    raw = sample("pi", name).raw
    end = raw.stdout[: raw.stdout.rindex(b'{"type":"agent_end"')]
    for size in range(0, len(end), 23):
        outcome = AGENT.parse(replace(raw, stdout=end[:size]))
        check_sane(outcome, raw)
        assert outcome.parse != "ok"


def test_the_endpoint_is_a_provider_and_its_key_is_not_written() -> None:
    endpoint = Endpoint("http://127.0.0.1:1", "!rm -rf /", "m-1")
    launch = AGENT.launch(replace(TASK, host_env={"OPENAI_API_KEY": "own"}, endpoint=endpoint))
    provider = json.loads(launch.files[".pi/agent/models.json"])["providers"]["endpoint"]
    assert (provider["baseUrl"], provider["apiKey"]) == ("http://127.0.0.1:1/v1", KEY_VARIABLE)
    assert launch.env[KEY_VARIABLE] == "!rm -rf /"
    assert launch.argv[1:5] == ("--provider", "endpoint", "--model", "m-1")
    assert "OPENAI_API_KEY" not in launch.env


def test_the_users_credentials_are_taken_from_the_list_alone() -> None:
    launch = AGENT.launch(replace(TASK, host_env={"OPENAI_API_KEY": "k", "SECRET": "s"}, model="openai/m-2"))
    assert launch.env["OPENAI_API_KEY"] == "k" and "SECRET" not in launch.env
    assert launch.argv[1:3] == ("--model", "openai/m-2")
    assert ".pi/agent/models.json" not in launch.files


def test_the_prompt_is_on_stdin() -> None:
    launch = AGENT.launch(replace(TASK, prompt="-x 'é'"))
    assert launch.stdin == "-x 'é'".encode() and "-x 'é'" not in launch.argv
