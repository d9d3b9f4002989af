"""Codex: its launch, and its stream as recorded and as damaged."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from mmbench.bench.agents.base import Endpoint, RawRun, Task
from mmbench.bench.agents.codex import KEY_VARIABLE, Codex
from mmbench.outcome import Usage
from tests.bench.agents.expect import COMMON, OK, Expected, check, check_tokens, check_transcript
from tests.bench.agents.mangle import doubled, without_line
from tests.support.samples import sample, scenarios

AGENT = Codex()
TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/mm:/bin", 60.0)
EXPECTED = {
    **COMMON,
    "cut": Expected("infra_error", "server_error", 1),
    "fallback": OK,  # it does not tell which model was served
    "refusal": Expected("no_answer", "no_answer"),
}


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@pytest.mark.parametrize("name", [name for name in scenarios("codex") if name != "killed"])
def test_recorded_samples_come_to_their_outcomes(name: str) -> None:
    known = sample("codex", name)
    outcome = AGENT.parse(known.raw)
    check(outcome, EXPECTED[name])
    check_tokens(outcome, known)


def test_a_killed_run_takes_its_tokens_from_the_sessions_log() -> None:
    known = sample("codex", "killed")
    outcome = AGENT.parse(known.raw)
    assert (outcome.status, outcome.parse, outcome.tool_calls, outcome.turns) == ("timeout", "partial", 1, 1)
    assert outcome.usage == Usage(1000, 700, 300, 0, 50, 7, None, lower_bound=True)


def test_a_killed_run_without_the_log_knows_no_tokens() -> None:
    outcome = AGENT.parse(replace(sample("codex", "killed").raw, extras={}))
    assert outcome.usage == Usage(lower_bound=True)
    assert (outcome.model, outcome.turns) == (None, None)


def test_the_transcript_is_in_order() -> None:
    check_transcript(AGENT.parse(sample("codex", "ok").raw), "command_execution")


def test_reconnecting_and_error_items_are_no_failures() -> None:
    raw = sample("codex", "recovered").raw
    assert b'"type":"error"' in raw.stdout
    assert AGENT.parse(raw).status == "completed"


def test_the_threads_running_total_is_not_added_up() -> None:
    def turn(tokens: int) -> object:
        return {"type": "turn.completed", "usage": {"input_tokens": tokens, "output_tokens": 1}}

    message = {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "x"}}
    outcome = AGENT.parse(RawRun(lines(turn(2000), message, turn(4000)), b"", 0))
    assert outcome.usage.input_total == 4000


def test_a_failed_turn_after_a_good_one_is_a_failure() -> None:
    failed = {"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized"}}
    raw = sample("codex", "ok").raw
    outcome = AGENT.parse(replace(raw, stdout=raw.stdout + lines(failed)))
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("infra_error", "auth")


def test_a_tool_call_cut_while_it_ran_is_counted() -> None:
    started = {"type": "item.started", "item": {"id": "9", "type": "command_execution", "command": "sleep 9"}}
    raw = sample("codex", "killed").raw
    assert AGENT.parse(replace(raw, stdout=raw.stdout + lines(started))).tool_calls == 2


def test_an_error_before_the_first_turn_is_classified() -> None:
    error = {"type": "error", "message": "Not logged in"}
    outcome = AGENT.parse(RawRun(lines({"type": "thread.started"}, error), b"", 1))
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("infra_error", "auth")


def test_doubled_lines_are_counted_once() -> None:
    raw = sample("codex", "ok").raw
    once, twice = AGENT.parse(raw), AGENT.parse(doubled(raw))
    assert (twice.usage, twice.tool_calls, twice.turns) == (once.usage, once.tool_calls, once.turns)


def test_a_stream_without_its_end_is_no_success() -> None:
    outcome = AGENT.parse(without_line(sample("codex", "ok").raw, b'"turn.completed"'))
    assert (outcome.parse, outcome.status, outcome.usage.lower_bound) == ("partial", "agent_error", True)


def test_the_endpoint_is_the_provider_and_its_key_is_not_written() -> None:
    endpoint = Endpoint('http://127.0.0.1:1/"x"', "the-key", 'm"1')
    launch = AGENT.launch(replace(TASK, host_env={"OPENAI_API_KEY": "own"}, endpoint=endpoint))
    config = tomllib.loads(launch.files[".codex/config.toml"].decode())
    provider = config["model_providers"]["endpoint"]
    assert (config["model"], config["model_provider"]) == ('m"1', "endpoint")
    assert provider["base_url"] == 'http://127.0.0.1:1/"x"/v1'
    assert launch.env[provider["env_key"]] == launch.env[KEY_VARIABLE] == "the-key"
    assert b"the-key" not in launch.files[".codex/config.toml"]
    assert "OPENAI_API_KEY" not in launch.env


def test_a_login_shell_would_lose_the_path() -> None:
    config = tomllib.loads(AGENT.launch(TASK).files[".codex/config.toml"].decode())
    assert config["allow_login_shell"] is False
    assert "model_provider" not in config


def test_the_users_key_is_given_under_the_name_that_exec_reads() -> None:
    launch = AGENT.launch(replace(TASK, host_env={"OPENAI_API_KEY": "own", "SECRET": "s"}, model="gpt-9"))
    assert launch.env["CODEX_API_KEY"] == "own" and "SECRET" not in launch.env
    assert tomllib.loads(launch.files[".codex/config.toml"].decode())["model"] == "gpt-9"


def test_the_prompt_is_on_stdin() -> None:
    launch = AGENT.launch(replace(TASK, prompt="-x 'é'"))
    assert launch.stdin == "-x 'é'".encode() and launch.argv[-1] == "-"
