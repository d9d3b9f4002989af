"""OpenCode: its launch, and its stream as recorded and as damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from mmbench.bench.agents.base import Endpoint, RawRun, Task
from mmbench.bench.agents.opencode import KEY_VARIABLE, OpenCode
from mmbench.outcome import Usage
from tests.bench.agents.expect import COMMON, OK, Expected, check, check_tokens, check_transcript
from tests.support.samples import sample, scenarios

AGENT = OpenCode()
TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/mm:/bin", 60.0)
EXPECTED = {
    **COMMON,
    "fallback": OK,  # its events name no model
    "overflow": Expected("completed", tools=3, text="The work is done."),  # it compacts and begins again
    "refusal": Expected("no_answer", "no_answer"),
    "rejected": Expected("agent_error", "rejected_tool", 1),
}
TRAPS = {"cut", "killed"}


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def finish(reason: str, tokens: int = 5, **more: object) -> object:
    told = {"input": tokens, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    return {"type": "step_finish", "part": {"reason": reason, "tokens": told, **more}}


START = {"type": "step_start", "part": {}}
TEXT = {"type": "text", "part": {"text": "x"}}


@pytest.mark.parametrize("name", [name for name in scenarios("opencode") if name not in TRAPS])
def test_recorded_samples_come_to_their_outcomes(name: str) -> None:
    known = sample("opencode", name)
    outcome = AGENT.parse(known.raw)
    check(outcome, EXPECTED[name])
    check_tokens(outcome, known)


def test_a_killed_run_keeps_the_tokens_of_finished_steps() -> None:
    outcome = AGENT.parse(sample("opencode", "killed").raw)
    assert (outcome.status, outcome.parse, outcome.tool_calls, outcome.turns) == ("timeout", "partial", 2, 1)
    assert outcome.usage == Usage(1000, 700, 300, 0, 50, 7, None, lower_bound=True)


def test_an_answer_that_the_endpoint_cut_is_no_success() -> None:
    outcome = AGENT.parse(sample("opencode", "cut").raw)
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("infra_error", "server_error")


def test_a_rejected_tool_left_the_exit_code_0() -> None:
    assert sample("opencode", "rejected").raw.exit_code == 0


def test_an_error_that_was_overcome_left_the_exit_code_1() -> None:
    raw = sample("opencode", "overflow").raw
    assert raw.exit_code == 1 and b'"type":"error"' in raw.stdout
    assert AGENT.parse(raw).status == "completed"


def test_the_transcript_is_in_order() -> None:
    check_transcript(AGENT.parse(sample("opencode", "ok").raw), "bash")


def test_reasoning_is_added_to_the_output() -> None:
    usage = AGENT.parse(sample("opencode", "plain").raw).usage
    assert (usage.output_total, usage.reasoning) == (50, 7)


def test_only_a_step_that_stopped_ends_a_run() -> None:
    for events, parse in (
        ((START, TEXT, finish("stop")), "ok"),
        ((START, TEXT, finish("length")), "ok"),
        ((START, TEXT, finish("tool-calls")), "partial"),
        ((START, TEXT, finish("stop"), START), "partial"),
        ((START, TEXT), "partial"),
    ):
        assert AGENT.parse(RawRun(lines(*events), b"", 0)).parse == parse


def test_a_synthetic_text_is_no_answer() -> None:
    synthetic = {"type": "text", "part": {"text": "The conversation was compacted.", "synthetic": True}}
    outcome = AGENT.parse(RawRun(lines(START, synthetic, finish("stop")), b"", 0))
    assert (outcome.status, outcome.final_text) == ("no_answer", "")


def test_an_endpoint_that_counts_no_tokens_leaves_them_unknown() -> None:
    outcome = AGENT.parse(RawRun(lines(START, TEXT, finish("stop", tokens=0)), b"", 0))
    assert (outcome.status, outcome.usage) == ("completed", Usage())


def test_a_price_of_0_is_an_unknown_cost() -> None:
    priced = AGENT.parse(RawRun(lines(START, TEXT, finish("stop", cost=0.5)), b"", 0))
    assert priced.usage.cost_usd == 0.5
    assert AGENT.parse(sample("opencode", "ok").raw).usage.cost_usd is None


def test_the_endpoint_is_a_provider_and_its_key_is_not_written() -> None:
    endpoint = Endpoint("http://127.0.0.1:1", "the-key", "m-1")
    launch = AGENT.launch(replace(TASK, host_env={"OPENAI_API_KEY": "own"}, endpoint=endpoint))
    written = launch.files[".config/opencode/opencode.json"]
    config = json.loads(written)
    options = config["provider"]["endpoint"]["options"]
    assert options == {"baseURL": "http://127.0.0.1:1/v1", "apiKey": f"{{env:{KEY_VARIABLE}}}"}
    assert config["model"] == config["small_model"] == "endpoint/m-1"
    assert b"the-key" not in written and launch.env[KEY_VARIABLE] == "the-key"
    assert "OPENAI_API_KEY" not in launch.env


def test_the_users_credentials_are_taken_from_the_list_alone() -> None:
    launch = AGENT.launch(replace(TASK, host_env={"OPENAI_API_KEY": "k", "SECRET": "s"}, model="openai/m-2"))
    assert launch.env["OPENAI_API_KEY"] == "k" and "SECRET" not in launch.env
    assert json.loads(launch.files[".config/opencode/opencode.json"])["model"] == "openai/m-2"


def test_nothing_is_fetched_nor_updated() -> None:
    launch = AGENT.launch(TASK)
    assert launch.files[".config/opencode/.npmrc"] == b"offline=true\n"
    assert {"OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH"} <= set(launch.env)


def test_the_prompt_is_on_stdin_and_the_title_is_given() -> None:
    launch = AGENT.launch(replace(TASK, prompt="-x 'é'"))
    assert launch.stdin == "-x 'é'".encode() and "-x 'é'" not in launch.argv
    assert "--title" in launch.argv
