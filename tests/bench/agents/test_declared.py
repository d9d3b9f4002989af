"""Declared agents: templates filled in at the launch, output read by rules."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.agents import AGENTS, can_ask, load
from mmbench.bench.agents.base import Endpoint, LaunchError, RawRun, Task
from mmbench.bench.agents.declaration import read
from mmbench.bench.agents.declared import DeclaredAgent, agent_of
from mmbench.bench.agents.declared_output import found
from mmbench.outcome import Usage
from tests.bench.agents.expect import check_sane
from tests.bench.agents.mangle import mangled

DATA = Path(__file__).parents[2] / "data" / "custom"
TASK = Task("do {model} it", PurePosixPath("/w"), PurePosixPath("/h"), "/mm:/bin", 60.4)
ENDPOINT = Endpoint("http://127.0.0.1:1/", 'k"1', "m-1")


def agent(name: str) -> DeclaredAgent:
    return agent_of(read(DATA / f"{name}.toml"))


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def call(number: int, **more: object) -> dict[str, object]:
    usage = {"in": 1000, "cached": 300, "out": 43, "thought": 7, "usd": 0.25}
    return {"id": f"c{number}", "type": "call", "model": "small-1", "usage": usage, **more}


SAY = {"id": "s1", "type": "say", "parts": [{"text": "Forty"}, {"text": "-two."}]}
TOOL = {"id": "t1", "type": "tool", "command": "ls"}
DONE = {"id": "d1", "type": "done", "done": {"ok": True}}
GOOD = RawRun(lines(call(1), TOOL, call(2), SAY, DONE), b"", 0, requested_model="small")


def test_templates_are_filled_in_once() -> None:
    launch = agent("crush").launch(TASK)
    assert launch.argv[-4:] == ("--model", "small-1", "--cwd", "/w")
    assert launch.stdin == b"do {model} it"
    assert launch.env == {"CRUSH_TELEMETRY": "0", "XDG_CONFIG_HOME": "/h/.config"}


def test_only_listed_variables_of_the_user_are_carried() -> None:
    host = {"CRUSH_API_KEY": "own", "OTHER": "x"}
    assert agent("crush").launch(replace(TASK, host_env=host)).env["CRUSH_API_KEY"] == "own"
    assert "OTHER" not in agent("crush").launch(replace(TASK, host_env=host)).env


def test_an_endpoint_brings_its_variables_and_files() -> None:
    launch = agent("crush").launch(replace(TASK, endpoint=ENDPOINT, host_env={"CRUSH_API_KEY": "own"}))
    assert (launch.env["CRUSH_BASE_URL"], launch.env["CRUSH_API_KEY"]) == ("http://127.0.0.1:1/v1", 'k"1')
    settings = json.loads(launch.files[".config/crush/settings.json"])
    assert settings == {"autoUpdate": False, "model": "m-1", "theme": {"dark": True}}
    assert json.loads(launch.files[".config/crush/provider.json"])["key"] == 'k"1'  # escaped inside JSON


def test_without_an_endpoint_its_files_are_not_written() -> None:
    assert list(agent("crush").launch(TASK).files) == [".config/crush/settings.json"]


def test_a_declaration_without_a_wire_takes_no_endpoint() -> None:
    with pytest.raises(LaunchError, match="no `wire`") as caught:
        agent("plain").launch(replace(TASK, endpoint=ENDPOINT))
    assert caught.value.failure.kind == "setup"


def test_a_model_that_nobody_names_is_a_failure() -> None:
    told = replace(read(DATA / "crush.toml"), default_model=None)
    with pytest.raises(LaunchError) as caught:
        agent_of(told).launch(TASK)
    assert caught.value.failure.kind == "missing_model"


@pytest.mark.parametrize("prompt", ["x" * 200_000, "nul \0 inside"])
def test_a_prompt_that_no_argument_holds_is_a_failure(prompt: str) -> None:
    with pytest.raises(LaunchError) as caught:
        agent("plain").launch(replace(TASK, prompt=prompt))
    assert caught.value.failure.kind == "argv_limit"


def test_each_declaration_is_a_class_of_its_own() -> None:
    crush, plain = agent("crush"), agent("plain")
    assert (crush.name, plain.name, plain.executable) == ("crush", "plain", "plain-agent")
    assert (crush.version_argv(), plain.wire) == (("crush", "--version"), None)


def test_events_come_to_the_normal_form() -> None:
    outcome = agent("crush").parse(GOOD)
    assert (outcome.status, outcome.parse, outcome.final_text) == ("completed", "ok", "Forty-two.")
    assert (outcome.model, outcome.turns, outcome.tool_calls) == ("small-1", 2, 1)
    assert outcome.usage == Usage(
        input_total=2000,
        input_uncached=1400,
        cache_read=600,
        output_total=100,
        reasoning=14,
        cost_usd=0.5,
    )


def test_an_event_that_comes_twice_counts_once() -> None:
    twice = replace(GOOD, stdout=lines(call(1), call(1), TOOL, TOOL, call(2), SAY, SAY, DONE))
    assert agent("crush").parse(twice) == agent("crush").parse(GOOD)


def test_a_stream_without_its_end_is_partial() -> None:
    cut = replace(GOOD, stdout=lines(call(1), TOOL))
    outcome = agent("crush").parse(cut)
    assert (outcome.parse, outcome.status, outcome.usage.lower_bound) == ("partial", "agent_error", True)
    assert outcome.usage.input_total == 1000
    assert agent("crush").parse(replace(cut, ended="timeout", exit_code=None)).status == "timeout"


def test_an_unknown_stream_is_no_success() -> None:
    outcome = agent("crush").parse(RawRun(lines({"kind": "new"}), b"", 0))
    assert (outcome.parse, outcome.status) == ("unknown", "infra_error")


def test_another_model_is_a_fallback() -> None:
    other = replace(GOOD, stdout=lines(call(1, model="large-1"), SAY, DONE))
    assert agent("crush").parse(other).status == "model_fallback"


@pytest.mark.parametrize(
    ("message", "status", "kind"),
    [
        ("HTTP 401: bad key", "infra_error", "auth"),
        ("429 Too Many Requests", "infra_error", "rate_limit"),
        ("something else", "infra_error", "unknown"),
        ("", "infra_error", "unknown"),
    ],
)
def test_a_failed_run_is_classified_by_its_error(message: str, status: str, kind: str) -> None:
    failed = {"id": "d1", "type": "done", "done": {"ok": False}, "error": {"message": message}}
    outcome = agent("crush").parse(replace(GOOD, stdout=lines(call(1), SAY, failed)))
    assert (outcome.status, outcome.failure and outcome.failure.kind) == (status, kind)
    assert outcome.final_text == ""


def test_an_exit_code_speaks_where_the_output_does_not() -> None:
    outcome = agent("crush").parse(replace(GOOD, exit_code=3, stderr=b"panic"))
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("agent_error", "crash")


def test_a_document_in_a_file_is_read() -> None:
    document = {
        "ok": True,
        "answer": [{"text": "Yes."}],
        "tokens": {"prompt": 700, "cache": 300, "completion": 50},
    }
    reporter = agent("report")
    assert reporter.launch(TASK).extras == {"output": "out.json"}
    assert reporter.launch(TASK).argv[2:5] == ("/h/out.json", "--limit", "60")
    outcome = reporter.parse(RawRun(b"noise", b"", 0, extras={"output": json.dumps(document).encode()}))
    assert (outcome.status, outcome.final_text, outcome.usage.input_total) == ("completed", "Yes.", 1000)
    assert reporter.parse(RawRun(b"noise", b"", 0)).parse == "unknown"


def test_unreported_tokens_are_unknown_and_not_zero() -> None:
    nothing = {"ok": True, "answer": [{"text": "Yes."}], "tokens": {"prompt": 0, "completion": 0}}
    outcome = agent("report").parse(RawRun(b"", b"", 0, extras={"output": json.dumps(nothing).encode()}))
    assert outcome.usage == Usage()


@pytest.mark.parametrize(
    ("stdout", "stderr", "code", "status", "kind"),
    [
        (b"Yes.\n", b"", 0, "completed", None),
        (b"", b"", 0, "no_answer", "no_answer"),
        (b"", b"Error: 401 Unauthorized", 1, "infra_error", "auth"),
        (b"half", b"panic", 2, "agent_error", "crash"),
    ],
)
def test_plain_text_is_judged_by_the_exit_code(
    stdout: bytes, stderr: bytes, code: int, status: str, kind: str | None
) -> None:
    outcome = agent("plain").parse(RawRun(stdout, stderr, code))
    assert (outcome.status, outcome.failure.kind if outcome.failure else None) == (status, kind)


def test_paths_lead_through_lists_and_wildcards() -> None:
    value = {"a": [{"b": 1}, {"b": 2}, {"c": 3}], "d": {"x": 4, "y": 5}}
    assert list(found(value, ("a", "*", "b"))) == [1, 2]
    assert list(found(value, ("a", "-1", "c"))) == [3]
    assert list(found(value, ("d", "*"))) == [4, 5]
    assert list(found(value, ("a", "7"))) == list(found(value, ("a", "²"))) == []


@given(st.sampled_from(["crush", "plain", "report"]), mangled(GOOD))
def test_any_damage_is_read_sanely(name: str, run: RawRun) -> None:
    run = replace(run, extras={"output": run.stdout})
    check_sane(agent(name).parse(run), run)


def test_a_program_that_cannot_wait_says_so(tmp_path: Path) -> None:
    told = (DATA / "crush.toml").read_text()
    assert can_ask(agent("crush"))
    (tmp_path / "deaf.toml").write_text(f"can_ask = false\n{told}")
    assert not can_ask(agent_of(read(tmp_path / "deaf.toml")))


def test_every_built_in_agent_can_ask() -> None:
    assert all(can_ask(load(name)) for name in AGENTS)
