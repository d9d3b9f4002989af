"""`agents parse` prints the normal form of any recorded run, and says what is wrong with its own arguments."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from mmbench import cli
from mmbench.bench import agents, toolchain
from mmbench.bench.agents.base import RawRun
from tests.support.samples import sample

KEYS = ["final_text", "usage", "model", "turns", "tool_calls", "status", "failure", "parse"]
USAGE = [
    "input_total",
    "input_uncached",
    "cache_read",
    "cache_write",
    "output_total",
    "reasoning",
    "cost_usd",
    "lower_bound",
    "input_by_calls",
]
SCENARIOS = {"ok": "completed", "auth": "infra_error", "killed": None, "no_server": "infra_error"}

Parse = Callable[..., dict[str, Any]]


@pytest.fixture
def parse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Parse:
    def parse(agent: str, raw: RawRun) -> dict[str, Any]:
        (tmp_path / "out").write_bytes(raw.stdout)
        (tmp_path / "err").write_bytes(raw.stderr)
        words = ["--stdout", str(tmp_path / "out"), "--stderr", str(tmp_path / "err"), "--json"]
        for name, data in raw.extras.items():
            (tmp_path / name).write_bytes(data)
            words += ["--extra", f"{name}={tmp_path / name}"]
        code = ["--exit-code", str(raw.exit_code)] if raw.exit_code is not None else []
        assert cli.main(["agents", "parse", agent, *words, *code]) == 0
        value: dict[str, Any] = json.loads(capsys.readouterr().out)
        return value

    return parse


@pytest.mark.parametrize("agent", toolchain.TOOLS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_recorded_run_of_each_cli_has_the_normal_form(parse: Parse, agent: str, scenario: str) -> None:
    raw = sample(agent, scenario).raw
    told = parse(agent, raw)
    assert list(told) == KEYS
    assert list(told["usage"]) == USAGE
    known = replace(raw, requested_model=None, ended="exit", exit_code=raw.exit_code or 0)
    outcome = asdict(agents.load(agent).parse(known))
    assert told == {key: outcome[key] for key in KEYS}
    wanted = SCENARIOS[scenario]
    assert wanted is None or told["status"] == wanted


def test_unknown_output_is_no_error_of_the_command(parse: Parse) -> None:
    told = parse("claude", RawRun(b"\xff\x00 what is this\n", b"", 0))
    assert (told["parse"], told["status"], told["failure"]["kind"]) == ("unknown", "infra_error", "unknown")
    assert told["usage"]["input_total"] is None


def test_for_people_it_prints_a_line_per_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_bytes(sample("codex", "plain").raw.stdout)
    assert cli.main(["agents", "parse", "codex", "--stdout", str(tmp_path / "out")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == KEYS
    assert "cost_usd=n/a" in lines[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["parse"], "needs the name of an agent"),
        (["parse", "codex"], "needs --stdout FILE"),
        (["parse", "codex", "pi", "--stdout", "x"], "one agent"),
        (["parse", "codexx", "--stdout", "{here}"], "Did you mean codex"),
        (["parse", "codex", "--stdout", "/nowhere/out"], "cannot be read"),
        (["parse", "codex", "--stdout", "{here}", "--extra", "rollout"], "NAME=FILE"),
        (["install", "nobody"], "nobody"),
    ],
)
def test_wrong_arguments_are_told_with_the_fix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    (tmp_path / "out").write_bytes(b"")
    given = [word.replace("{here}", str(tmp_path / "out")) for word in words]
    assert cli.main(["agents", *given]) == 2
    assert said in capsys.readouterr().err


def test_the_list_shows_every_agent_with_its_pin(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["agents", "list", "--json"]) == 0
    rows = {row["agent"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(rows) == set(agents.AGENTS)
    assert rows["oracle"]["pinned"] is None
    assert all(rows[name]["pinned"] and rows[name]["adapter"] for name in toolchain.TOOLS)
