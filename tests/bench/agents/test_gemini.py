"""Gemini CLI: its launch, and its stream as recorded and as damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from mmbench.bench.agents.base import Endpoint, Task
from mmbench.bench.agents.gemini import Gemini
from mmbench.outcome import Usage
from tests.bench.agents.expect import COMMON, Expected, check, check_tokens, check_transcript
from tests.bench.agents.mangle import doubled, without_line
from tests.support.samples import sample, scenarios

AGENT = Gemini()
TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/mm:/bin", 60.0)
MODEL = "gemini-3-pro-preview"
EXPECTED = COMMON | {
    "refusal": Expected("agent_error", "refusal"),
}
ODD = {"cut", "killed"}


@pytest.mark.parametrize("name", [name for name in scenarios("gemini") if name not in ODD])
def test_recorded_samples_come_to_their_outcomes(name: str) -> None:
    recorded = sample("gemini", name)
    outcome = AGENT.parse(recorded.raw)
    check(outcome, EXPECTED[name])
    check_tokens(outcome, recorded)


def test_the_transcript_is_in_order_and_its_deltas_are_joined() -> None:
    outcome = AGENT.parse(sample("gemini", "ok").raw)
    check_transcript(outcome, "run_shell_command")
    assert outcome.turns == 3


def test_a_killed_run_keeps_its_tool_calls_and_knows_no_tokens() -> None:
    outcome = AGENT.parse(sample("gemini", "killed").raw)
    assert (outcome.status, outcome.parse, outcome.model) == ("timeout", "partial", None)
    assert outcome.tool_calls == 2
    assert outcome.usage == Usage(lower_bound=True)


def test_exit_code_0_without_a_result_is_no_success() -> None:
    terminated = replace(sample("gemini", "killed").raw, exit_code=0, ended="exit")
    outcome = AGENT.parse(terminated)
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("agent_error", "crash")


def test_a_reply_that_the_endpoint_cut_is_taken_for_whole_by_the_cli_itself() -> None:
    outcome = AGENT.parse(sample("gemini", "cut").raw)
    assert (outcome.status, outcome.parse, outcome.turns) == ("completed", "ok", 3)
    assert outcome.usage.input_total == 2000  # of three calls: the last was not charged, and nothing says so


def test_the_model_it_asks_for_instead_is_no_fallback() -> None:
    assert AGENT.parse(sample("gemini", "ok").raw).model == "gemini-3.1-pro-preview"
    assert AGENT.parse(sample("gemini", "fallback").raw).model == "another-model"


def test_an_error_that_lost_its_status_is_told_by_the_exit_code() -> None:
    run = sample("gemini", "rate_limit").raw
    failure = AGENT.parse(replace(run, exit_code=1)).failure
    assert failure is not None
    assert failure.kind == "unknown"


def test_doubled_lines_are_counted_once() -> None:
    run = sample("gemini", "ok").raw
    once, twice = AGENT.parse(run), AGENT.parse(doubled(run))
    assert (twice.usage, twice.tool_calls, twice.turns) == (once.usage, once.tool_calls, once.turns)


def test_a_stream_without_its_result_is_partial() -> None:
    outcome = AGENT.parse(without_line(sample("gemini", "ok").raw, b'"type":"result"'))
    assert (outcome.parse, outcome.status) == ("partial", "agent_error")


def test_the_endpoint_replaces_the_users_keys() -> None:
    host = {"GEMINI_API_KEY": "own", "GOOGLE_CLOUD_PROJECT": "p", "SECRET": "s"}
    endpoint = Endpoint("http://127.0.0.1:1", "key", "m-1")
    launch = AGENT.launch(replace(TASK, host_env=host, endpoint=endpoint))
    assert (launch.env["GEMINI_API_KEY"], launch.env["GOOGLE_GEMINI_BASE_URL"]) == (
        "key",
        "http://127.0.0.1:1",
    )
    assert launch.argv[-2:] == ("-m", "m-1")
    assert not {"SECRET", "GOOGLE_CLOUD_PROJECT"} & set(launch.env)


@pytest.mark.parametrize(
    ("host", "auth"),
    [
        ({"GEMINI_API_KEY": "k"}, "gemini-api-key"),
        ({"GOOGLE_API_KEY": "k"}, "vertex-ai"),
        ({"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_PROJECT": "p"}, "vertex-ai"),
        ({}, "oauth-personal"),
    ],
)
def test_the_login_follows_from_the_credentials(host: dict[str, str], auth: str) -> None:
    launch = AGENT.launch(replace(TASK, host_env=host))
    settings = json.loads(launch.files[".gemini/settings.json"])
    assert settings["security"]["auth"]["selectedType"] == auth
    assert set(host) <= set(launch.env)


def test_the_model_is_always_said() -> None:
    assert AGENT.launch(TASK).argv[-1] == MODEL
    assert AGENT.launch(replace(TASK, model="m-2")).argv[-1] == "m-2"
