"""The whole command with real agents: preflight and all, one session per agent, every token accounted for."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from mmbench import ledger, records
from mmbench.bench import agents, probing
from mmbench.layout import project
from tests.contract.conftest import chosen
from tests.contract.stage import KEY, Stage, model_of
from tests.support.loopback import LoopbackModel, Script, UsageServed, total

pytestmark = pytest.mark.live

CASE = "inventory"
SCRIPT = Script(("mm --version; ls | head -5",), obeys=probing.COMMAND_IN_PROMPT, final="It is done.")
CALLS = 2
"""Of the model in one trial: the command, and the answer."""


def bench(names: list[str], url: str, results: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run the real command for a sweep of agents with one model."""
    options = ("--cases", CASE, "--judge", "off", "--results", str(results), "--timeout", "300")
    endpoint = ("--agent.base-url", url, "--agent.api-key", KEY, "--model", model_of(names[0]))
    return subprocess.run(
        [sys.executable, "-m", "mmbench", "bench", ",".join(names), "local", *options, *endpoint, *more],
        cwd=project().root,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )


def sweeps() -> list[list[str]]:
    """Group the agents by the model that they are asked for: a sweep has one."""
    return [list(names) for _, names in groupby(sorted(chosen(), key=model_of), key=model_of)]


@pytest.mark.parametrize("names", sweeps(), ids=",".join)
def test_a_sweep_gives_one_session_per_agent_with_exact_tokens(
    names: list[str], stage: Stage, tmp_path: Path
) -> None:
    with LoopbackModel(SCRIPT) as model:
        done = bench(names, model.url, tmp_path)
        served = list(model.served)
    assert done.returncode == 0, done.stderr
    for name in names:
        assert f"{name}, with_mm" in done.stderr, "the preflight did not try the agent"
    found = {book.header["cell"]["agent"]: book for book in map(ledger.load, tmp_path.glob("*.jsonl"))}
    assert sorted(found) == sorted(names)
    for name, book in found.items():
        check_session(name, book, stage, served)
    trials_and_probes = len(names) * 2 * (1 + 1)
    assert len(served) == trials_and_probes * CALLS


def check_session(name: str, book: records.Session, stage: Stage, served: list[UsageServed]) -> None:
    """Check one session: both arms graded, and the tokens of each those of its two calls."""
    assert book.header["subject"]["agent"]["version"] == stage.program(name).version
    assert book.header["provenance"]["preflight"] == "passed"
    assert book.states() == {"completed": 2}
    one_call = next(call for call in served if call.wire == agents.load(name).wire)
    whole = total([one_call] * CALLS)
    for key, trial in book.trials.items():
        assert trial.last is not None
        record = trial.last.trial
        assert record["status"] == "completed", record["failure"]
        usage = {part: record["usage"][part] for part in ("input_total", "cache_read", "output_total")}
        assert usage == {part: getattr(whole, part) for part in usage}, key
        codes = [call["exit_code"] for call in record["mm"]["calls"]]
        assert codes == [0] if key.arm == "with_mm" else codes in ([], [127])


def test_a_refused_key_stops_the_command_before_a_session(stage: Stage, tmp_path: Path) -> None:
    name = chosen()[0]
    with LoopbackModel(Script(mode="401")) as model:
        done = bench([name], model.url, tmp_path)
    assert done.returncode == 3, done.stderr
    assert "(auth)" in done.stderr
    assert "Check --agent.api-key." in done.stderr
    assert not list(tmp_path.glob("*.jsonl"))
