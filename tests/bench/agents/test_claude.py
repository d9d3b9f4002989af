"""Claude Code: its launch, and its stream as recorded and as damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from mmbench.bench.agents.base import Endpoint, RawRun, Task
from mmbench.bench.agents.claude import Claude
from mmbench.outcome import Usage
from tests.bench.agents.expect import COMMON, Expected, check_transcript
from tests.bench.agents.mangle import doubled, without_line
from tests.support.samples import sample, scenarios

AGENT = Claude()
TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/mm:/bin", 60.0)
EXPECTED = {
    **COMMON,
    "cut": Expected("infra_error", "no_server", 1),
    "refusal": Expected("agent_error", "refusal", text="I can't help"),
}
CHARGED_TWICE = {"cut", "overflow", "refusal"}
"""Scenarios in which the CLI counts calls that never came to their end, or asks again by itself."""


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@pytest.mark.parametrize("name", [name for name in scenarios("claude") if name != "killed"])
def test_recorded_samples_come_to_their_outcomes(name: str) -> None:
    outcome = AGENT.parse(sample("claude", name).raw)
    expected = EXPECTED[name]
    assert (outcome.status, outcome.failure and outcome.failure.kind) == (expected.status, expected.kind)
    assert (outcome.parse, outcome.tool_calls) == ("ok", expected.tools)
    assert outcome.final_text.startswith(expected.text)


@pytest.mark.parametrize("name", [n for n in scenarios("claude") if n not in CHARGED_TWICE | {"killed"}])
def test_the_tokens_are_those_that_were_served(name: str) -> None:
    known = sample("claude", name)
    usage = AGENT.parse(known.raw).usage
    told = {key: getattr(usage, key) for key in ("input_total", "cache_read", "cache_write", "output_total")}
    assert told == {key: known.served[key] for key in told}
    assert (usage.reasoning, usage.lower_bound, usage.cost_usd) == (0, False, None)
    assert (usage.input_by_calls or 0) <= known.served["input_total"]


@pytest.mark.parametrize("name", sorted(CHARGED_TWICE - {"refusal"}))
def test_a_total_that_its_calls_do_not_add_up_to_can_be_seen(name: str) -> None:
    usage = AGENT.parse(sample("claude", name).raw).usage
    assert usage.input_total is not None
    assert usage.input_by_calls is not None
    assert 0 < usage.input_by_calls < usage.input_total


def test_a_killed_run_keeps_what_was_done_as_a_lower_bound() -> None:
    outcome = AGENT.parse(sample("claude", "killed").raw)
    assert (outcome.status, outcome.parse, outcome.tool_calls, outcome.turns) == ("timeout", "partial", 1, 1)
    assert outcome.usage == Usage(1070, 700, 300, 70, 1, None, None, lower_bound=True)
    assert outcome.model == "fake-model"


def test_the_transcript_is_in_order() -> None:
    check_transcript(AGENT.parse(sample("claude", "ok").raw), "Bash")


def test_a_refusal_is_the_agents_own_though_it_looks_like_an_endpoints_error() -> None:
    raw = sample("claude", "refusal").raw
    (result,) = [json.loads(line) for line in raw.stdout.splitlines() if b'"type":"result"' in line]
    assert (result["subtype"], result["is_error"]) == ("success", True)
    assert AGENT.parse(raw).status == "agent_error"


def test_success_as_a_subtype_is_no_success() -> None:
    raw = sample("claude", "auth").raw
    assert b'"subtype":"success"' in raw.stdout
    assert AGENT.parse(raw).status == "infra_error"


def test_blocks_of_one_message_are_counted_once() -> None:
    usage = {"input_tokens": 10, "output_tokens": 5}
    blocks = [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]
    messages = [
        {"type": "assistant", "message": {"id": "m", "model": "x", "usage": usage, "content": [block]}}
        for block in blocks
    ]
    outcome = AGENT.parse(RawRun(lines(*messages), b"", None, "timeout"))
    assert (outcome.usage.input_total, outcome.usage.output_total) == (10, 5)
    assert (outcome.turns, outcome.tool_calls, outcome.final_text) == (1, 1, "a")


def test_the_last_of_two_results_counts() -> None:
    def result(text: str, tokens: int) -> object:
        models = {"x": {"inputTokens": tokens, "outputTokens": 1}}
        return {"type": "result", "subtype": "success", "result": text, "modelUsage": models, "num_turns": 1}

    outcome = AGENT.parse(RawRun(lines(result("first", 1), result("second", 3)), b"", 0))
    assert (outcome.final_text, outcome.usage.input_total) == ("second", 3)


def test_the_usage_of_helpers_and_other_models_is_in_the_sum() -> None:
    models = {
        "big": {"inputTokens": 10, "cacheReadInputTokens": 5, "outputTokens": 2, "thinkingTokens": 1},
        "small": {"inputTokens": 1, "outputTokens": 1},
    }
    result = {"type": "result", "result": "x", "modelUsage": models, "total_cost_usd": 0.25}
    outcome = AGENT.parse(RawRun(lines(result), b"", 0))
    assert outcome.usage == Usage(16, 11, 5, None, 3, 1, 0.25)


def test_a_cost_that_the_cli_guessed_is_unknown() -> None:
    raw = sample("claude", "ok").raw
    assert b'"total_cost_usd":0.0' in raw.stdout
    assert AGENT.parse(raw).usage.cost_usd is None


@pytest.mark.parametrize(
    ("subtype", "kind"), [("error_max_turns", "max_turns"), ("error_during_execution", "crash")]
)
def test_the_clis_own_ends_are_the_agents(subtype: str, kind: str) -> None:
    outcome = AGENT.parse(RawRun(lines({"type": "result", "subtype": subtype, "is_error": True}), b"", 1))
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("agent_error", kind)


@pytest.mark.parametrize(
    ("requested", "served", "status"),
    [
        ("sonnet", "claude-sonnet-5-20260101", "completed"),
        ("sonnet", "claude-haiku-5", "model_fallback"),
        ("claude-opus-5", "claude-opus-5-20260101", "completed"),
    ],
)
def test_an_alias_is_no_fallback(requested: str, served: str, status: str) -> None:
    raw = sample("claude", "plain").raw
    renamed = raw.stdout.replace(b'"model":"fake-model"', f'"model":"{served}"'.encode())
    assert AGENT.parse(replace(raw, stdout=renamed, requested_model=requested)).status == status


def test_doubled_lines_are_counted_once() -> None:
    raw = sample("claude", "ok").raw
    once, twice = AGENT.parse(raw), AGENT.parse(doubled(raw))
    assert (twice.usage, twice.tool_calls, twice.turns) == (once.usage, once.tool_calls, once.turns)


def test_a_stream_without_its_result_is_no_success() -> None:
    outcome = AGENT.parse(without_line(sample("claude", "ok").raw, b'"type":"result"'))
    assert (outcome.parse, outcome.status, outcome.usage.lower_bound) == ("partial", "agent_error", True)


def test_the_endpoint_replaces_the_users_keys() -> None:
    host = {"ANTHROPIC_API_KEY": "own", "CLAUDE_CODE_OAUTH_TOKEN": "t", "SECRET": "s"}
    launch = AGENT.launch(
        replace(TASK, host_env=host, endpoint=Endpoint("http://127.0.0.1:1/", "key", "m-1"))
    )
    assert (launch.env["ANTHROPIC_API_KEY"], launch.env["ANTHROPIC_BASE_URL"]) == (
        "key",
        "http://127.0.0.1:1",
    )
    assert launch.argv[-3:] == ("--model", "m-1", "-p")
    assert not {"SECRET", "CLAUDE_CODE_OAUTH_TOKEN"} & set(launch.env)


def test_the_users_credentials_are_taken_from_the_list_alone() -> None:
    launch = AGENT.launch(replace(TASK, host_env={"CLAUDE_CODE_OAUTH_TOKEN": "t", "SECRET": "s"}))
    assert launch.env["CLAUDE_CODE_OAUTH_TOKEN"] == "t" and "SECRET" not in launch.env
    assert "--model" not in launch.argv


def test_the_prompt_is_on_stdin_and_a_slash_at_its_start_is_no_command() -> None:
    assert AGENT.launch(replace(TASK, prompt="-x 'é'")).stdin == "-x 'é'".encode()
    assert AGENT.launch(replace(TASK, prompt="/quit")).stdin == b"\n/quit"
    assert "do it" not in AGENT.launch(TASK).argv
