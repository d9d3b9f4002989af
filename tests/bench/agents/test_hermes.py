"""Hermes: its launch, and its answer, usage file and database as recorded and as damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

import pytest
import yaml

from mmbench.bench.agents.base import Endpoint, LaunchError, RawRun, Task
from mmbench.bench.agents.hermes import Hermes
from tests.bench.agents.expect import (
    ANSWER,
    COMMON,
    Expected,
    check,
    check_sane,
    check_tokens,
    check_transcript,
)
from tests.support.samples import sample, scenarios

AGENT = Hermes()
TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/mm:/bin", 60.0)
EXPECTED = COMMON | {
    "refusal": Expected("no_answer", "no_answer"),  # this wire's refusals are empty replies to it
    "fallback": Expected("completed", tools=2, text=ANSWER),  # it never tells the model that was served
}


@pytest.mark.parametrize("name", [name for name in scenarios("hermes") if name not in ("cut", "killed")])
def test_recorded_samples_come_to_their_outcomes(name: str) -> None:
    recorded = sample("hermes", name)
    outcome = AGENT.parse(recorded.raw)
    check(outcome, EXPECTED[name])
    check_tokens(outcome, recorded)


@pytest.mark.parametrize("name", ["auth", "server_error", "no_server", "missing_model"])
def test_an_error_that_is_printed_as_the_answer_with_exit_code_0_is_none(name: str) -> None:
    run = sample("hermes", name).raw
    assert run.exit_code == 0
    assert run.stdout.strip()
    assert AGENT.parse(run).final_text == ""


def test_a_killed_run_is_known_from_its_database() -> None:
    recorded = sample("hermes", "killed")
    assert (recorded.raw.stdout, "usage" in recorded.raw.extras) == (b"", False)
    outcome = AGENT.parse(recorded.raw)
    check(outcome, Expected("timeout", "timeout", 1, parse="partial"))
    check_tokens(outcome, recorded)


def test_a_stream_that_the_endpoint_cut_is_no_answer_of_the_agents() -> None:
    outcome = AGENT.parse(sample("hermes", "cut").raw)
    check(outcome, Expected("infra_error", "server_error", 2))
    assert outcome.usage.input_total == 2000  # what came before the cuts


def test_the_transcript_comes_from_the_database() -> None:
    outcome = AGENT.parse(sample("hermes", "ok").raw)
    check_transcript(outcome, "terminal")
    assert outcome.turns == 3


def test_an_answer_without_a_usage_file_is_no_success() -> None:
    run = sample("hermes", "ok").raw
    outcome = AGENT.parse(replace(run, extras={"state": run.extras["state"]}))
    assert (outcome.status, outcome.parse) == ("agent_error", "partial")
    assert outcome.usage.input_total == 3000
    bare = AGENT.parse(replace(run, extras={}))
    assert (bare.status, bare.parse) == ("infra_error", "unknown")


@pytest.mark.parametrize(
    ("report", "status", "kind"),
    [
        ({"completed": False, "failed": False, "api_calls": 90}, "agent_error", "max_turns"),
        ({"completed": False, "failed": False, "api_calls": 3}, "agent_error", "crash"),
        ({"completed": None, "failed": True, "failure": "Error code: 401"}, "infra_error", "auth"),
    ],
)
def test_a_run_that_is_not_complete_is_no_success(report: dict[str, object], status: str, kind: str) -> None:
    run = RawRun(b"I did what I could.", b"", 0, extras={"usage": json.dumps(report).encode()})
    outcome = AGENT.parse(run)
    assert (outcome.status, outcome.failure and outcome.failure.kind) == (status, kind)


def test_a_refusal_that_the_cli_names_is_one() -> None:
    said = "⚠️  The model declined to respond to this request (safety refusal).".encode()
    report = json.dumps({"completed": True, "failed": False}).encode()
    outcome = AGENT.parse(RawRun(said, b"", 0, extras={"usage": report}))
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("agent_error", "refusal")


def test_no_prefix_of_the_usage_file_is_a_success() -> None:
    run = sample("hermes", "plain").raw
    whole = run.extras["usage"].rstrip()
    for size in range(len(whole)):
        cut = replace(run, extras={"usage": whole[:size]})
        outcome = AGENT.parse(cut)
        check_sane(outcome, cut)
        assert outcome.parse == "unknown"


def test_a_prompt_that_no_argument_holds_cannot_be_launched() -> None:
    with pytest.raises(LaunchError) as caught:
        AGENT.launch(replace(TASK, prompt="a" * 180_000))
    assert caught.value.failure.kind == "argv_limit"


def test_the_prompt_is_one_argument_whatever_it_holds() -> None:
    assert AGENT.launch(replace(TASK, prompt="-x 'y'")).argv[-1] == "--oneshot=-x 'y'"


def test_the_tools_do_not_depend_on_the_machine() -> None:
    argv = AGENT.launch(TASK).argv
    assert argv[argv.index("-t") + 1] == "terminal,file"


def test_the_endpoint_replaces_the_users_keys() -> None:
    host = {"OPENAI_API_KEY": "own", "SECRET": "s"}
    endpoint = Endpoint("http://127.0.0.1:1/", "key", "m-1")
    launch = AGENT.launch(replace(TASK, host_env=host, endpoint=endpoint))
    model = yaml.safe_load(launch.files[".hermes/config.yaml"])["model"]
    assert (model["base_url"], model["api_key"]) == ("http://127.0.0.1:1/v1", "key")
    assert (model["default"], model["provider"]) == ("m-1", "custom")
    assert not {"OPENAI_API_KEY", "SECRET"} & set(launch.env)


def test_without_an_endpoint_only_listed_keys_are_carried() -> None:
    launch = AGENT.launch(replace(TASK, model="m-2", host_env={"OPENAI_API_KEY": "own", "SECRET": "s"}))
    assert launch.env["OPENAI_API_KEY"] == "own"
    assert "SECRET" not in launch.env
    assert launch.argv[-3:-1] == ("--model", "m-2")
