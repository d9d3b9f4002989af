"""The live probe passes an agent that runs commands, and tells every other kind from it with the fix."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from mmbench.bench import arms, driving, probing
from mmbench.bench.agents import load
from mmbench.bench.agents.base import Endpoint
from mmbench.bench.arms import Arm
from mmbench.bench.dataset import Dataset
from mmbench.bench.driving import Bench, Cell
from mmbench.bench.meter import Meter
from mmbench.bench.mm import Mm
from mmbench.bench.options import Options
from mmbench.bench.plan import ARMS, Backend
from mmbench.bench.preflight import Passed
from mmbench.bench.probing import ProbeError
from mmbench.bench.profiles import Profile
from mmbench.bench.room import best_kind
from mmbench.case import Suite
from mmbench.errors import Interrupted
from mmbench.layout import Project, project
from tests.support.mm import installed_mm

__all__ = ["installed_mm"]

AGENT = """\
name = "{name}"
adapter_version = "1"
argv = ["sh", "-c", '''{script}''']
version_argv = []
stdin = "{{prompt}}"
wire = "openai-chat"
credentials_env = ["PROBED_KEY"]
credentials_files = [".probed/auth.json"]

[output]
format = "text"
"""
OBEYS = "sed -n '/^```sh/,/^```$/p' | sed '1d;$d' | sh"
PROFILE = Profile("adhoc", "adhoc", "http://127.0.0.1:9/v1", "none", "nothing")

Prove = Callable[..., list[Passed]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, mm: Mm) -> dict[str, Arm]:
    folder = tmp_path_factory.mktemp("arms")
    return arms.build(ARMS, folder, mm, best_kind(), os.environ.get("PATH", os.defpath))


@pytest.fixture
def prove(tmp_path: Path, mm: Mm, built: dict[str, Arm]) -> Iterator[Prove]:
    with Meter(PROFILE) as meter:

        def prove(
            script: str,
            endpoint: Endpoint | None = None,
            chosen: dict[str, Arm] = built,
            cancel: threading.Event | None = None,
        ) -> list[Passed]:
            path = tmp_path / "agent.toml"
            path.write_text(AGENT.format(name="probed", script=script))
            shared = Bench(
                Options(endpoint=endpoint), Project(project().root, tmp_path / "results", tmp_path / "state"),
                Suite("none", ".", ()), Suite("none", ".", ()), Dataset("none", "0", tmp_path, "0", {}, 0), mm,
                best_kind(), Console(quiet=True), threading.Event(),
            )  # fmt: skip
            cell = Cell(load(str(path)), None, PROFILE, Backend(frozenset(), {}), None)
            try:
                return probing.prove(driving.setting(shared, cell, "probe", chosen, meter), cancel)
            finally:
                assert not list((tmp_path / "state" / "sandboxes" / "probe").iterdir())

        yield prove


def test_an_agent_that_runs_commands_passes_in_one_arm_of_each_kind(prove: Prove, mm: Mm) -> None:
    without, having = prove(OBEYS)
    assert without.what == "probed, without_mm"
    assert "there is no mm" in without.detail
    assert having.what == "probed, with_mm"
    assert f"mm {mm.version} runs" in having.detail


def failed(prove: Prove, script: str, endpoint: Endpoint | None = None) -> ProbeError:
    with pytest.raises(ProbeError) as caught:
        prove(script, endpoint)
    assert caught.value.exit_code == 3
    return caught.value


def test_an_agent_that_only_repeats_its_prompt_has_no_autonomy(prove: Prove) -> None:
    error = failed(prove, "cat; echo May I run this?")
    assert error.kind == "no_autonomy"
    assert "did not run a command" in error.what
    assert "--skip-preflight" in error.fix


def test_a_refused_key_names_where_a_key_is_taken_from(prove: Prove) -> None:
    script = "cat > /dev/null; echo 'Error: HTTP 401 invalid API key' >&2; exit 1"
    error = failed(prove, script)
    assert error.kind == "auth"
    assert "PROBED_KEY" in error.fix
    assert "~/.probed/auth.json" in error.fix
    assert "--agent.api-key" in failed(prove, script, Endpoint("http://127.0.0.1:9", "k", "m")).fix


@pytest.mark.parametrize(
    ("words", "kind", "word"),
    [
        ("connect ECONNREFUSED 127.0.0.1:9", "no_server", "--agent.base-url"),
        ("HTTP 429 too many requests", "rate_limit", "Wait"),
        ("HTTP 500 internal server error", "server_error", "later"),
        ("insufficient_quota", "quota", "credit"),
        ("HTTP 404 the model does not exist", "missing_model", "--model"),
    ],
)
def test_a_failing_endpoint_is_named_with_what_to_do(prove: Prove, words: str, kind: str, word: str) -> None:
    script = f'cat > /dev/null; echo "{words}" >&2; exit 1'
    error = failed(prove, script, Endpoint("http://127.0.0.1:9", "k", "m"))
    assert (error.kind, word in error.fix) == (kind, True), error


def test_an_agent_whose_shell_does_not_find_mm_fails_in_the_arm_that_has_it(prove: Prove) -> None:
    error = failed(prove, f"PATH=/usr/bin:/bin; {OBEYS}")
    assert error.kind == "reach"
    assert "cannot reach mm" in error.what
    assert "with_mm" in error.where


def test_a_real_mm_in_the_arm_without_it_is_found_by_what_is_printed(
    prove: Prove, mm: Mm, built: dict[str, Arm]
) -> None:
    fake = f"mkdir -p ~/bin; printf '#!/bin/sh\\necho mm {mm.version}\\n' > ~/bin/mm; chmod +x ~/bin/mm"
    with pytest.raises(ProbeError) as caught:
        prove(f"{fake}; PATH=~/bin:$PATH; {OBEYS}", None, {"without_mm": built["without_mm"]})
    assert caught.value.kind == "reach"
    assert "reaches mm in the arm without it" in caught.value.what


def test_an_interruption_ends_the_probe_at_once(prove: Prove, built: dict[str, Arm]) -> None:
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    with pytest.raises(Interrupted):
        prove("sleep 60", None, built, cancel)


def test_the_pattern_finds_the_command_of_the_prompt() -> None:
    prompt = probing.PROMPT.format(command="echo it")
    found = probing.COMMAND_IN_PROMPT.search(prompt)
    assert found is not None
    assert found[1] == "echo it"
