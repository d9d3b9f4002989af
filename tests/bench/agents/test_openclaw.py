"""OpenClaw: its launch, and its envelope and database as recorded and as damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from mmbench.bench.agents.base import Endpoint, RawRun, Task
from mmbench.bench.agents.openclaw import Openclaw
from tests.bench.agents.expect import COMMON, Expected, check, check_sane, check_tokens, check_transcript
from tests.support.databases import restore
from tests.support.samples import sample, scenarios

AGENT = Openclaw()
TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/mm:/bin", 60.0)
EXPECTED = COMMON | {
    "refusal": Expected("completed", text="I can't help with that request."),  # to it a text like any other
}


@pytest.mark.parametrize("name", [name for name in scenarios("openclaw") if name not in ("cut", "killed")])
def test_recorded_samples_come_to_their_outcomes(name: str) -> None:
    recorded = sample("openclaw", name)
    outcome = AGENT.parse(recorded.raw)
    check(outcome, EXPECTED[name])
    check_tokens(outcome, recorded)


def test_the_transcript_comes_from_the_database() -> None:
    outcome = AGENT.parse(sample("openclaw", "ok").raw)
    check_transcript(outcome, "exec")
    assert outcome.turns == 3


def test_a_killed_run_prints_nothing_and_is_known_from_its_database() -> None:
    recorded = sample("openclaw", "killed")
    assert recorded.raw.stdout == b""
    outcome = AGENT.parse(recorded.raw)
    check(outcome, Expected("timeout", "timeout", 1, parse="partial"))
    check_tokens(outcome, recorded)


def test_a_reply_whose_tokens_the_endpoint_cut_off_costs_nothing_to_the_cli() -> None:
    outcome = AGENT.parse(sample("openclaw", "cut").raw)
    assert (outcome.status, outcome.turns) == ("completed", 3)
    assert outcome.usage.input_total == 2000  # of three calls, and nothing says so


def test_long_events_are_compressed_and_read() -> None:
    run = sample("openclaw", "long").raw
    assert any("\n600" in step.text for step in AGENT.parse(run).steps)


def test_a_compressed_event_that_is_none_is_left_out() -> None:
    state = restore(
        b"CREATE TABLE transcript_events (event_json, event_zstd, created_at, seq);"
        b"INSERT INTO transcript_events VALUES (NULL, X'28b52ffd00', 1, 1);"
    )
    run = replace(sample("openclaw", "ok").raw, extras={"state": state})
    outcome = AGENT.parse(run)
    assert (outcome.status, outcome.steps) == ("completed", ())


def test_the_endpoints_name_of_the_model_is_the_served_one() -> None:
    assert AGENT.parse(sample("openclaw", "fallback").raw).model == "another-model"


def test_a_sentence_that_the_cli_writes_for_a_silent_model_is_no_answer() -> None:
    run = sample("openclaw", "empty").raw
    assert b"no final summary was produced" in run.stdout
    outcome = AGENT.parse(run)
    assert (outcome.status, outcome.model) == ("no_answer", "fake-model")


def test_tools_before_a_recovery_are_counted() -> None:
    run = sample("openclaw", "recovered").raw
    assert b'"calls": 1' in run.stdout
    outcome = AGENT.parse(run)
    assert (outcome.tool_calls, outcome.turns) == (2, 3)
    assert AGENT.parse(replace(run, extras={})).tool_calls == 1  # all that the envelope knows


def test_notices_before_the_envelope_do_not_hide_it() -> None:
    run = sample("openclaw", "ok").raw
    assert AGENT.parse(replace(run, stdout=b"a notice\n" + run.stdout)) == AGENT.parse(run)


def test_a_mistaken_option_is_a_setup_failure() -> None:
    said = json.dumps({"ok": False, "error": {"type": "cli_error", "message": "unknown flag"}}).encode()
    outcome = AGENT.parse(RawRun(said, b"", 1))
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("infra_error", "setup")


@pytest.mark.parametrize("name", ["plain", "auth"])
def test_no_prefix_of_the_envelope_is_a_success(name: str) -> None:
    run = replace(sample("openclaw", name).raw, extras={})
    end = run.stdout.rstrip()
    for size in range(len(end)):
        outcome = AGENT.parse(replace(run, stdout=end[:size]))
        check_sane(outcome, run)
        assert outcome.parse == "unknown"


def test_the_arms_tools_come_first() -> None:
    config = json.loads(AGENT.launch(TASK).files[".openclaw-run/openclaw.json"])
    assert config["tools"]["exec"]["pathPrepend"] == ["/mm"]


def test_its_own_deadline_lies_after_the_harnesss() -> None:
    argv = AGENT.launch(TASK).argv
    assert int(argv[argv.index("--timeout") + 1]) > TASK.timeout_s


def test_the_endpoint_is_a_provider_and_the_users_keys_stay_out() -> None:
    endpoint = Endpoint("http://127.0.0.1:1/", "key", "m-1")
    launch = AGENT.launch(replace(TASK, endpoint=endpoint, host_env={"OPENAI_API_KEY": "own"}))
    (provider,) = json.loads(launch.files[".openclaw-run/openclaw.json"])["models"]["providers"].values()
    assert (provider["baseUrl"], provider["apiKey"]) == ("http://127.0.0.1:1/v1", "key")
    assert launch.argv[-2:] == ("--model", "bench/m-1")
    assert "OPENAI_API_KEY" not in launch.env


def test_without_an_endpoint_only_listed_keys_are_carried() -> None:
    launch = AGENT.launch(replace(TASK, model="openai/m", host_env={"OPENAI_API_KEY": "own", "SECRET": "s"}))
    assert launch.env["OPENAI_API_KEY"] == "own"
    assert "SECRET" not in launch.env
    assert launch.argv[-2:] == ("--model", "openai/m")
