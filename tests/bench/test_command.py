"""The bench command end to end, with the reference agents, on a small tree: what users do and what goes wrong."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmbench import ledger, records
from mmbench.bench.command import interruptible
from mmbench.layout import project
from tests.support.loopback import LoopbackModel
from tests.test_case import DOCUMENT

ROOT = Path(__file__).parents[2]
NOWHERE = (
    "--profile.base-url", "http://127.0.0.1:9/v1", "--profile.model", "none", "--profile.api-key", "no-secret-at-all",
)  # fmt: skip
CASES = {
    "answer": {
        "checks": [{"kind": "contains_text", "weight": 1, "value": "forty-two"}],
        "solutions": {"with_mm": "mm --version >/dev/null && cat deep/answer.txt", "without_mm": "cat deep/answer.txt"},
    },
    "artifact": {
        "archetype": "artifact",
        "checks": [{"kind": "artifact_contains", "weight": 1, "path": "out.csv", "value": "forty-two"}],
        "solutions": {"with_mm": "printf 'a\\nforty-two\\n' > out.csv; echo done"},
    },
}  # fmt: skip

Bench = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    files = tmp_path / "files" / "deep"
    files.mkdir(parents=True)
    (files / "answer.txt").write_text("forty-two\n")
    suite = tmp_path / "suite"
    suite.mkdir()
    about = {"name": "small", "dataset": str(tmp_path / "files"), "description": "a small tree"}
    (suite / "suite.json").write_text(json.dumps(about))
    lines = [DOCUMENT | {"id": name, "dataset": "."} | case for name, case in CASES.items()]
    (suite / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


@pytest.fixture
def command(place: Path) -> Callable[..., list[str]]:
    def command(*arguments: str) -> list[str]:
        usual = ["--suite", str(place / "suite"), "--results", str(place / "results"), *NOWHERE]
        return [sys.executable, "-m", "mmbench", arguments[0], *usual, *arguments[1:]]

    return command


@pytest.fixture
def bench(command: Callable[..., list[str]]) -> Bench:
    def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command("bench", *arguments), capture_output=True, text=True, cwd=ROOT, check=False, timeout=120
        )

    return bench


def sessions(place: Path) -> list[records.Session]:
    return [ledger.load(path) for path in ledger.ledgers(place / "results")]


def attempts(session: records.Session) -> dict[str, dict[str, Any]]:
    return {
        f"{key.case}/{key.arm}": dict(trial.last.trial)
        for key, trial in session.trials.items()
        if trial.last is not None
    }


def test_the_oracle_solves_what_has_a_solution_in_each_arm(bench: Bench, place: Path) -> None:
    with LoopbackModel() as model:
        done = bench("oracle", "--profile.base-url", f"{model.url}/v1")
    assert done.returncode == 0, done.stderr
    (session,) = sessions(place)
    scores = {key: trial.last.correctness for key, trial in session.trials.items() if trial.last}
    assert set(scores.values()) == {100.0}
    assert len(scores) == 3
    assert [(left["case"], left["arm"]) for left in session.header["plan"]["excluded"]] == [
        ("artifact", "without_mm")
    ]
    assert session.ends[-1]["reason"] == "complete"
    assert "artifact (without_mm)" in done.stderr


def test_the_records_say_what_was_done(bench: Bench, place: Path) -> None:
    assert bench("oracle", "--seed", "5", "--skip-preflight").returncode == 0
    (session,) = sessions(place)
    trials = attempts(session)
    assert [call["argv"] for call in trials["answer/with_mm"]["mm"]["calls"]] == [["--version"]]
    assert trials["answer/without_mm"]["mm"]["calls"] == []
    (artifact,) = trials["artifact/with_mm"]["artifacts"]
    assert (place / "results" / artifact["stored"]).read_text() == "a\nforty-two\n"
    (change,) = trials["artifact/with_mm"]["tree"]["changes"]
    assert (change["path"], change["change"]) == ("out.csv", "added")
    assert session.header["provenance"]["command"][-2:] == ["5", "--skip-preflight"]
    for digest in session.header["cases"].values():
        assert (place / "results" / "cases" / f"{digest}.json").is_file()


def test_nothing_published_holds_a_key_a_host_or_a_path_of_this_machine(bench: Bench, place: Path) -> None:
    assert bench("oracle", "--skip-preflight").returncode == 0
    text = "".join(path.read_text() for path in ledger.ledgers(place / "results"))
    for secret in (
        "no-secret-at-all",
        str(place),
        str(ROOT),
        os.uname().nodename + '"',
        str(Path.home()) + "/",
    ):
        assert secret not in text


def test_nop_scores_nothing_and_is_graded(bench: Bench, place: Path) -> None:
    assert bench("nop", "--skip-preflight").returncode == 0
    (session,) = sessions(place)
    assert {trial.last.correctness for trial in session.trials.values() if trial.last} == {0.0}
    assert {trial["status"] for trial in attempts(session).values()} == {"no_answer"}
    assert session.header["provenance"]["preflight"] == "skipped"


def test_a_sweep_makes_a_session_of_each_cell_and_runs_repeat(bench: Bench, place: Path) -> None:
    assert bench("oracle,nop", "--skip-preflight", "--runs", "2", "--cases", "answer").returncode == 0
    found = sessions(place)
    assert sorted(session.header["cell"]["agent"] for session in found) == ["nop", "oracle"]
    assert {len(session.trials) for session in found} == {4}


def test_nothing_is_left_behind(bench: Bench, place: Path) -> None:
    before = set(project().sandboxes.glob("*"))
    assert bench("oracle", "--skip-preflight", "--cases", "answer").returncode == 0
    assert set(project().sandboxes.glob("*")) <= before


def test_a_finished_session_is_not_run_again(bench: Bench, place: Path) -> None:
    assert bench("nop", "--skip-preflight").returncode == 0
    again = bench("nop", "--resume", "--skip-preflight")
    assert again.returncode == 0
    assert "nothing to resume" in again.stderr
    assert len(sessions(place)) == 1


def test_a_changed_case_is_not_mixed_into_an_old_session(bench: Bench, place: Path) -> None:
    assert bench("nop", "--skip-preflight").returncode == 0
    path = next(ledger.ledgers(place / "results"))
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:2]) + b"\n")  # unfinished again
    text = (place / "suite" / "cases.jsonl").read_text()
    (place / "suite" / "cases.jsonl").write_text(text.replace("Find it", "Find it now"))
    again = bench("nop", "--resume", "--skip-preflight")
    assert again.returncode == 2
    assert "cannot be continued" in again.stderr
    assert "Traceback" not in again.stderr


def test_an_endpoint_that_does_not_answer_stops_before_a_session_begins(bench: Bench, place: Path) -> None:
    done = bench("nop")
    assert done.returncode == 3
    assert "cannot be reached" in done.stderr and "Traceback" not in done.stderr
    assert sessions(place) == []


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("orakle",), 2, "Did you mean oracle"),
        (("nop", "--cases", "answr"), 2, "Did you mean answer"),
        (("nop", "--suite", "/no/such/suite"), 4, "There is no suite at"),
        (("nop", "--runs", "0"), 2, "whole number"),
        (("nop", "--no-such-flag"), 2, "--no-such-flag"),
        (("nop", "--arms", "placeb"), 2, "Did you mean placebo"),
        (("nop", "--results", "/proc/none"), 3, "--results"),
        (("nop", "local", "--profile.model", ""), 2, "--profile"),
    ],
)
def test_a_wrong_word_gets_one_paragraph_and_its_exit_code(
    bench: Bench, arguments: tuple[str, ...], code: int, text: str
) -> None:
    done = bench(*arguments)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert text in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_stop_writes_what_was_done_and_says_how_to_go_on(
    command: Callable[..., list[str]], place: Path, number: signal.Signals
) -> None:
    text = (place / "suite" / "cases.jsonl").read_text()
    slow = text.replace("cat deep/answer.txt", "sleep 60; cat deep/answer.txt")
    (place / "suite" / "cases.jsonl").write_text(slow)
    process = subprocess.Popen(
        command("bench", "oracle", "--cases", "answer", "--skip-preflight"),
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    _wait_for(lambda: any((project().sandboxes).glob("*oracle-adhoc*/answer.*")))
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in errors and "Traceback" not in errors
    (session,) = sessions(place)
    assert session.ends[-1]["reason"] == "interrupted"
    assert not session.finished


def test_a_bench_under_nohup_outlives_its_terminal() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible() as cancel:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not cancel.is_set()
            os.kill(os.getpid(), signal.SIGTERM)
            assert cancel.wait(10)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def _wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_killed_at_random_moments_and_resumed_nothing_is_lost_or_double(
    command: Callable[..., list[str]], place: Path
) -> None:
    arguments = command("bench", "nop", "--runs", "4", "--skip-preflight", "--seed", "1", "--resume")
    moment = random.Random(1)
    for _ in range(10):
        process = subprocess.Popen(arguments, cwd=ROOT, stderr=subprocess.DEVNULL)
        results = place / "results"
        _wait_for(lambda: process.poll() is not None or any(results.glob("*.jsonl")))  # noqa: B023
        time.sleep(moment.uniform(0.0, 0.25))
        process.kill()
        process.wait()
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (session,) = sessions(place)
    assert session.finished
    assert len(session.trials) == 16
    for trial in session.trials.values():
        graded = [attempt for attempt in trial.attempts if attempt.graded and attempt.checks is not None]
        assert len(graded) == 1, trial.key
