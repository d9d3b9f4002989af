"""What the command line says of a slip, and how it ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from mmbench import cli

ESCAPE = "\x1b]0;owned\x07"


@pytest.fixture(autouse=True)
def _by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOX_CURRENT_SESSION", raising=False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "See `python -m mmbench --help`."),
        (["bench", "nop", "local", "--runs", "0"], "See `python -m mmbench bench --help`."),
        (["bench", "nop", "--case", "photo-log"], "Unrecognized arguments: --case"),
        (["serve", "--port", "99999"], "'99999' is not a port"),
        (["report", "--results", "nowhere"], "There is no folder nowhere."),
        (["serve", "--results", "nowhere"], "There is no folder nowhere."),
    ],
)
def test_a_slip_of_the_user_ends_with_2_and_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_inside_a_nox_session_help_is_asked_of_nox(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NOX_CURRENT_SESSION", "bench")
    assert cli.main(["bench", "--runs", "x"]) == 2
    assert "See `nox -s bench -- --help`." in capsys.readouterr().err


def test_a_package_that_this_environment_lacks_is_named_with_the_way_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for name in [name for name in sys.modules if name.startswith("mmbench.report")]:
        monkeypatch.delitem(sys.modules, name)
    assert cli.main(["report", "--results", str(tmp_path), "--out", str(tmp_path / "site")]) == 3
    error = capsys.readouterr().err
    assert "no package 'jinja2'" in error and "nox -s report" in error


def test_a_part_of_mmbench_that_is_missing_is_no_users_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mmbench.validation", None)
    monkeypatch.delattr("mmbench.validation", raising=False)
    with pytest.raises(ModuleNotFoundError):
        cli.main(["validate"])


def test_what_the_machine_refuses_is_a_prerequisite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MMBENCH_STATE", str(tmp_path / "file" / "state"))
    assert cli.main(["fetch"]) == 3
    told = capsys.readouterr().err
    assert "Not a directory" in told and str(tmp_path / "file") in told
    assert "Traceback" not in told


@pytest.mark.parametrize("command", ["compare", "export"])
def test_nothing_is_said_of_no_sessions(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, "--results", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert "There are no results files" in told.err
    assert told.out == ""


def test_an_error_cannot_drive_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", str(tmp_path / ESCAPE)]) == 2
    assert "\\x1b]0;owned\\x07" in capsys.readouterr().err


def test_a_fault_of_a_file_cannot_drive_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.jsonl").write_text(json.dumps({"id": "x", ESCAPE: 1}))
    assert cli.main(["validate", str(tmp_path / "mine.jsonl")]) == 4
    told = capsys.readouterr().out
    assert "owned" in told and "\x1b" not in told


def test_a_recorded_run_cannot_drive_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = {"type": "result", "result": f"done {ESCAPE}", "is_error": False}
    (tmp_path / "out").write_text(json.dumps(said))
    assert cli.main(["agents", "parse", "claude", "--stdout", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "done" in told and "\x1b" not in told


@pytest.mark.parametrize(("command", "resumed"), [("bench", True), ("validate", False)])
def test_only_a_bench_that_is_interrupted_can_be_resumed(
    command: str, resumed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, f"_{command}", interrupt)
    assert cli.main([command]) == 130
    assert ("--resume" in capsys.readouterr().err) is resumed
