"""Cleaning removes what was asked for, logs it, and touches no record and no session under way."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from mmbench import cleanup, cli, jsontext, validation
from mmbench.bench import clean, sandbox
from mmbench.bench.clean import Wanted
from mmbench.errors import PrerequisiteError, UsageError
from mmbench.layout import Project
from mmbench.ledger import Ledger
from tests.support import sessions

LONG_AGO = 1_600_000_000


@pytest.fixture
def where(tmp_path: Path) -> Project:
    """Return a project with what two sessions left, the first of them long ago."""
    made = Project(tmp_path, tmp_path / "results", tmp_path / "state")
    for name in ("s1", "s2"):
        sessions.write(made.ledger(name), sessions.keys(1), done=2)
        for place in (made.sandboxes / name / "trial" / "work", made.streams(name), made.artifacts(name)):
            place.mkdir(parents=True)
            (place / "file").write_bytes(b"x" * 100_000)
    for path in [p for p in tmp_path.rglob("*") if "s1" in p.parts]:
        os.utime(path, (LONG_AGO, LONG_AGO))
    return made


def names(where: Project, **wanted: object) -> list[tuple[str, str]]:
    return [(item.session, item.kind) for item in clean.found(where, Wanted(**wanted))]  # type: ignore[arg-type]


def test_items_are_chosen_by_session_kind_age_and_size(where: Project) -> None:
    assert len(names(where)) == 6
    assert names(where, sessions=["s1"], kinds=["streams"]) == [("s1", "streams")]
    assert {session for session, _ in names(where, older_than_days=30)} == {"s1"}
    assert names(where, larger_than_mb=1) == []
    (where.streams("s2") / "big").write_bytes(b"x" * 2_000_000)
    assert names(where, larger_than_mb=1) == [("s2", "streams")]


def test_what_is_removed_is_logged_and_records_stay(where: Project) -> None:
    before = where.ledger("s1").read_bytes()
    items = clean.found(where, Wanted(sessions=["s1"]))
    assert [line["result"] for line in clean.remove(where, items)] == ["removed"] * 3
    assert where.ledger("s1").read_bytes() == before
    assert names(where, sessions=["s1"]) == []
    assert len(names(where)) == 3
    again = clean.remove(where, items)
    assert [line["result"] for line in again] == ["missing"] * 3
    log = cleanup.read(where.results, "s1")
    assert [(line.session, line.what, line.result) for line in log][:3] == [
        ("s1", kind, "removed") for kind in cleanup.KINDS
    ]
    assert len(log) == 6
    assert log[0].bytes >= 100_000 and log[0].files >= 3
    assert str(where.root) not in cleanup.path_of(where.results, "s1").read_text()
    assert validation.beside(where.results) == (1, [])


def test_a_session_whose_results_are_elsewhere_is_logged_on_this_machine(where: Project) -> None:
    where.ledger("s2").unlink()
    clean.remove(where, clean.found(where, Wanted(sessions=["s2"], kinds=["streams"])))
    assert not cleanup.path_of(where.results, "s2").exists()
    (line,) = (where.state / clean.LOG).read_bytes().splitlines()
    assert jsontext.loads(line)["session"] == "s2"


def test_nothing_is_removed_that_cannot_be_logged(where: Project) -> None:
    cleanup.folder(where.results).write_text("a file where the folder should be")
    with pytest.raises(PrerequisiteError):
        clean.remove(where, clean.found(where, Wanted(sessions=["s1"])))
    assert len(names(where, sessions=["s1"])) == 3


def test_nothing_is_removed_while_a_session_writes(where: Project) -> None:
    items = clean.found(where, Wanted(sessions=["s1"]))
    book, _ = Ledger.open(where.ledger("s2"))
    with book, pytest.raises(UsageError, match="s2 is under way"):
        clean.remove(where, items)
    with (
        sandbox.session_folder(where.sandboxes / "s3"),
        pytest.raises(UsageError, match="s3 is under way"),
    ):
        clean.remove(where, items)
    assert len(names(where, sessions=["s1"])) == 3


def test_more_sessions_than_a_process_can_hold_open_are_no_hindrance(where: Project) -> None:
    for number in range(100):
        where.ledger(f"more-{number}").touch()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(
        int(path.name) for path in Path("/dev/fd").iterdir()
    )  # what other tests in this process hold open
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 32, hard))
    try:
        lines = clean.remove(where, clean.found(where, Wanted(sessions=["s1"])))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert [line["result"] for line in lines] == ["removed"] * 3


def test_folders_without_permissions_go_too(where: Project) -> None:
    (where.sandboxes / "s1" / "trial").chmod(0)
    clean.remove(where, clean.found(where, Wanted(sessions=["s1"], kinds=["sandboxes"])))
    assert not (where.sandboxes / "s1").exists()


def test_a_link_in_place_of_a_folder_is_left_alone(where: Project, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    (where.streams("x").parent / "s9").symlink_to(tmp_path / "precious")
    clean.remove(where, clean.found(where, Wanted()))
    assert (tmp_path / "precious" / "file").exists()


def test_after_a_session_artifacts_stay(where: Project) -> None:
    clean.after_session(where, "s2")
    assert names(where, sessions=["s2"]) == [("s2", "artifacts")]


def test_the_command_shows_first_and_removes_when_confirmed(
    where: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MMBENCH_STATE", str(where.state))
    words = ["clean", "--results", str(where.results), "--sessions", "s1"]
    assert cli.main([*words, "--dry-run"]) == 0
    assert "3 folders, 0.3 MB" in capsys.readouterr().out
    assert cli.main(words) == 0  # nobody is there to confirm
    assert "Nothing was removed" in capsys.readouterr().out
    assert len(names(where, sessions=["s1"])) == 3
    assert cli.main([*words, "--yes"]) == 0
    assert names(where, sessions=["s1"]) == []
    assert cli.main([*words, "--yes"]) == 0
    assert cli.main([*words, "--what", "stream"]) == 2
