"""The oracle: a real shell runs the solution, whatever the solution's commands read."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.agents.base import LaunchError, RawRun, Task
from mmbench.bench.agents.oracle import Oracle
from tests.bench.agents.expect import check_sane
from tests.bench.agents.mangle import ENDINGS

AGENT = Oracle()
TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/bin", 60.0)


def run(solution: str, folder: Path) -> RawRun:
    launch = AGENT.launch(replace(TASK, solution=solution))
    done = subprocess.run(
        launch.argv, input=launch.stdin, cwd=folder, capture_output=True, timeout=20, check=False
    )
    return RawRun(done.stdout, done.stderr, done.returncode)


def test_standard_output_is_the_answer(tmp_path: Path) -> None:
    outcome = AGENT.parse(run("echo made > made.txt\necho '  42 '", tmp_path))
    assert (outcome.status, outcome.final_text, outcome.parse) == ("completed", "42", "ok")
    assert (tmp_path / "made.txt").read_text() == "made\n"
    assert [step.text for step in outcome.steps] == ["42"]


@pytest.mark.parametrize("command", ["cat", "head -c 1", "read -r line || true"])
def test_a_command_that_reads_input_does_not_eat_the_script(command: str, tmp_path: Path) -> None:
    assert AGENT.parse(run(f"{command}\necho after", tmp_path)).final_text == "after"


@pytest.mark.parametrize(
    "solution", ["", "# nothing", "cat <<END\nin a document\nEND", "f() { echo hi; }; f"]
)
def test_any_script_is_taken_as_it_is(solution: str, tmp_path: Path) -> None:
    direct = subprocess.run(
        ["bash", "-c", solution], cwd=tmp_path, capture_output=True, timeout=20, check=False
    )
    raw = run(solution, tmp_path)
    assert (raw.stdout, raw.exit_code) == (direct.stdout, 0)


def test_a_script_that_fails_is_a_crash_with_its_words(tmp_path: Path) -> None:
    outcome = AGENT.parse(run("set -eu\necho half\nls /no/such/place\necho never", tmp_path))
    assert (outcome.status, outcome.final_text) == ("agent_error", "half")
    assert outcome.failure is not None
    assert outcome.failure.kind == "crash"
    assert "/no/such/place" in outcome.failure.message


def test_how_strict_it_is_is_the_scripts_own_choice(tmp_path: Path) -> None:
    assert AGENT.parse(run("false\necho done", tmp_path)).status == "completed"


def test_a_case_without_a_solution_cannot_be_launched() -> None:
    with pytest.raises(LaunchError) as caught:
        AGENT.launch(TASK)
    assert caught.value.failure.kind == "setup"


def test_silence_is_no_answer(tmp_path: Path) -> None:
    assert AGENT.parse(run("true", tmp_path)).status == "no_answer"


def test_it_is_never_ranked_and_has_no_program() -> None:
    assert AGENT.reference
    assert (AGENT.executable, AGENT.wire, AGENT.version_argv()) == ("", None, ())


@given(st.binary(max_size=200), st.sampled_from(ENDINGS), st.sampled_from([0, 1, None]))
def test_any_output_is_read_sanely(stdout: bytes, ended: str, code: int | None) -> None:
    raw = RawRun(stdout, stdout, code, ended)  # type: ignore[arg-type]
    check_sane(AGENT.parse(raw), raw)
