"""Qwen Code: its launch, and its stream as recorded and as damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from mmbench.bench.agents.base import Endpoint, Task
from mmbench.bench.agents.qwen import Qwen
from tests.bench.agents.expect import COMMON, Expected, check, check_tokens, check_transcript
from tests.bench.agents.mangle import doubled, without_line
from tests.support.samples import sample, scenarios

AGENT = Qwen()
TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/mm:/bin", 60.0)
EXPECTED = COMMON | {
    "refusal": Expected("no_answer", "no_answer"),  # this wire's refusals are empty replies to it
}


@pytest.mark.parametrize("name", [name for name in scenarios("qwen") if name not in ("cut", "killed")])
def test_recorded_samples_come_to_their_outcomes(name: str) -> None:
    recorded = sample("qwen", name)
    outcome = AGENT.parse(recorded.raw)
    check(outcome, EXPECTED[name])
    check_tokens(outcome, recorded)


def test_the_transcript_is_in_order() -> None:
    outcome = AGENT.parse(sample("qwen", "ok").raw)
    check_transcript(outcome, "run_shell_command")
    assert outcome.turns == 3


def test_a_killed_run_has_its_tool_call_and_its_tokens_but_no_thoughts() -> None:
    recorded = sample("qwen", "killed")
    outcome = AGENT.parse(recorded.raw)
    assert (outcome.status, outcome.parse, outcome.tool_calls) == ("timeout", "partial", 1)
    check_tokens(outcome, recorded, reasoning=False)
    assert outcome.usage.reasoning is None


def test_a_stream_that_the_endpoint_cut_is_no_answer_of_the_agents() -> None:
    outcome = AGENT.parse(sample("qwen", "cut").raw)
    check(outcome, Expected("infra_error", "server_error", 2))
    assert outcome.usage.input_total == 2000  # what came before the cuts


def test_only_the_usage_record_tells_the_served_model() -> None:
    run = sample("qwen", "fallback").raw
    assert AGENT.parse(run).model == "another-model"
    assert AGENT.parse(replace(run, extras={})).model == "fake-model"


@pytest.mark.parametrize("name", ["ok", "killed", "late_error"])
def test_doubled_lines_are_counted_once(name: str) -> None:
    run = sample("qwen", name).raw
    assert AGENT.parse(doubled(run)) == AGENT.parse(run)


def test_a_stream_without_its_result_is_partial() -> None:
    outcome = AGENT.parse(without_line(sample("qwen", "ok").raw, b'"type":"result"'))
    assert (outcome.parse, outcome.status, outcome.usage.input_total) == ("partial", "agent_error", 3000)


def test_an_api_error_as_the_last_text_is_the_endpoints() -> None:
    outcome = AGENT.parse(without_line(sample("qwen", "auth").raw, b'"type":"result"'))
    assert (outcome.parse, outcome.status) == ("partial", "infra_error")
    assert outcome.failure is not None
    assert outcome.failure.kind == "auth"


def test_a_helpers_words_are_not_the_agents() -> None:
    helper = {
        "type": "assistant",
        "uuid": "helper",
        "parent_tool_use_id": "call_1",
        "message": {
            "content": [{"type": "text", "text": "from a helper"}, {"type": "tool_use", "name": "ls"}]
        },
    }
    run = sample("qwen", "ok").raw
    more = AGENT.parse(replace(run, stdout=json.dumps(helper).encode() + b"\n" + run.stdout))
    assert more.final_text == AGENT.parse(run).final_text
    assert more.tool_calls == 3


def test_the_endpoint_replaces_the_users_keys() -> None:
    host = {"OPENAI_API_KEY": "own", "OPENAI_BASE_URL": "https://own", "SECRET": "s"}
    endpoint = Endpoint("http://127.0.0.1:1/", "key", "m-1")
    launch = AGENT.launch(replace(TASK, host_env=host, endpoint=endpoint))
    assert (launch.env["OPENAI_API_KEY"], launch.env["OPENAI_BASE_URL"]) == ("key", "http://127.0.0.1:1/v1")
    assert launch.argv[-2:] == ("-m", "m-1")
    assert "SECRET" not in launch.env


@pytest.mark.parametrize(("host", "auth"), [({"OPENAI_API_KEY": "k"}, "openai"), ({}, "qwen-oauth")])
def test_the_login_follows_from_the_credentials(host: dict[str, str], auth: str) -> None:
    launch = AGENT.launch(replace(TASK, host_env=host))
    assert json.loads(launch.files[".qwen/settings.json"])["security"]["auth"]["selectedType"] == auth
    assert launch.argv[-2:] == ("--auth-type", auth)
