"""A void is a line more, never one less."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench import cli, ledger
from mmbench.errors import UsageError
from mmbench.layout import Project
from mmbench.ledger import Ledger
from mmbench.void import void
from tests.support import sessions


@pytest.fixture
def where(tmp_path: Path) -> Project:
    sessions.write(tmp_path / "s1.jsonl", sessions.keys(cases=2, runs=2), done=8)
    return Project(tmp_path, tmp_path)


def voided(where: Project) -> set[tuple[str, str, int]]:
    return {tuple(key) for key, trial in ledger.load(where.ledger("s1")).trials.items() if trial.voided}


def test_a_run_a_case_an_arm_and_all_three_are_voided(where: Project) -> None:
    before = where.ledger("s1").read_bytes()
    assert void(where, "s1", why="the disk was full", run=2, case="case-0", arm="with_mm") == 1
    assert voided(where) == {("case-0", "with_mm", 2)}
    assert void(where, "s1", why="noise", run=1) == 4
    assert void(where, "s1", why="wrong labels", case="case-1") == 4
    assert len(voided(where)) == 7
    assert where.ledger("s1").read_bytes().startswith(before)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({}, "Nothing to void"),
        ({"run": 3}, "nothing scheduled for run 3"),
        ({"case": "case-9"}, "nothing scheduled for case case-9"),
        ({"run": 1, "why": " "}, "needs a reason"),
    ],
)
def test_what_hits_nothing_writes_nothing(where: Project, named: dict[str, object], message: str) -> None:
    before = where.ledger("s1").read_bytes()
    with pytest.raises(UsageError, match=message):
        void(where, "s1", **({"why": "x"} | named))  # type: ignore[arg-type]
    assert where.ledger("s1").read_bytes() == before


def test_a_session_under_way_is_not_voided(where: Project) -> None:
    book, _ = Ledger.open(where.ledger("s1"))
    with book, pytest.raises(UsageError, match="Another bench"):
        void(where, "s1", why="x", run=1)


def test_the_command_needs_a_reason(where: Project, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["void", "s1", "--run", "1", "--results", str(where.results)]
    assert cli.main(words) == 2
    assert cli.main([*words, "--why", "the network was down"]) == 0
    assert "4 trials are left out" in capsys.readouterr().out
    assert ledger.load(where.ledger("s1")).voids[0]["why"] == "the network was down"
