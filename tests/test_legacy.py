"""The older store becomes sessions that are whole, labelled, and never ranked."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from mmbench import cli, comparability, ledger, validation
from mmbench.errors import DataError, UsageError
from mmbench.layout import Project
from mmbench.legacy import import_sqlite
from mmbench.records import TrialKey
from mmbench.report import load
from mmbench.report.tables.board import boards
from tests.support import sessions

SCHEMA = """
CREATE TABLE sessions (session_id TEXT PRIMARY KEY, assistant TEXT, profile_name TEXT, base_url TEXT, model TEXT,
  started_at TEXT, ended_at TEXT, status TEXT);
CREATE TABLE runs (run_id TEXT PRIMARY KEY, session_id TEXT, run_index INTEGER, started_at TEXT, ended_at TEXT,
  elapsed_s REAL);
CREATE TABLE case_results (run_id TEXT, session_id TEXT, case_id TEXT, arm TEXT, correctness REAL,
  checkpoint_score REAL, judge_score REAL, speed_s REAL, task_completion INTEGER, mm_used INTEGER,
  mm_commands_used_json TEXT, failure_mode TEXT, final_output TEXT, stderr TEXT, mm_log TEXT, token_total INTEGER,
  token_usage_json TEXT, mm_token_total INTEGER, mm_token_usage_json TEXT, PRIMARY KEY (run_id, case_id, arm));
"""
RESULT: dict[str, Any] = {
    "run_id": "r0", "session_id": "s-1", "case_id": "find-floor-plans", "arm": "without_mm", "correctness": 70.0,
    "checkpoint_score": 0.6, "judge_score": 4.0, "speed_s": 12.5, "task_completion": 1, "mm_used": 0,
    "mm_commands_used_json": "[]", "failure_mode": None, "final_output": "plan.png", "stderr": "", "mm_log": "",
    "token_total": 1200, "token_usage_json": json.dumps({"input": 300, "output": 200, "cost": 0.01}),
    "mm_token_total": None, "mm_token_usage_json": None,
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as made:
        made.executescript(SCHEMA)
        made.execute(
            "INSERT INTO sessions VALUES ('s-1', 'Claude', 'gateway', 'http://box.lan/v1', 'some/model',"
            " '2026-01-02T03:04:05+01:00', '2026-01-02T04:04:05+01:00', 'completed')"
        )
        made.execute(
            "INSERT INTO sessions VALUES ('s-2', 'codex', 'gateway', '', '', 1767300000, NULL, 'running')"
        )
        made.execute("INSERT INTO runs VALUES ('r0', 's-1', 0, '2026-01-02', NULL, 30.0)")
        made.execute("INSERT INTO runs VALUES ('r1', 's-1', 1, '2026-01-03', NULL, 30.0)")
    add(path, {})
    treated = {
        "arm": "with_mm",
        "mm_log": "0\t0.5\tfind . -n '*.png'\n2\t1.0\tcat x\nnonsense\n",
        "correctness": 90.0,
    }
    add(path, treated)
    add(path, {"run_id": "r1", "failure_mode": "timeout", "correctness": 0.0, "judge_score": 0.0})
    add(
        path,
        {"run_id": "r1", "arm": "with_mm", "task_completion": 0, "final_output": "", "token_usage_json": "{"},
    )
    return path


def add(path: Path, changes: dict[str, Any]) -> None:
    row = RESULT | changes
    with sqlite3.connect(path) as made:
        made.execute(f"INSERT INTO case_results VALUES ({','.join('?' * len(row))})", list(row.values()))


@pytest.fixture
def where(tmp_path: Path) -> Project:
    return Project(tmp_path, tmp_path / "results", tmp_path / "state")


def test_a_session_is_taken_over_with_its_scores(store: Path, where: Project) -> None:
    done, empty = sorted(import_sqlite(where, store), key=lambda one: -one.trials)
    assert (done.trials, done.note) == (4, "")
    assert empty.note == "the store has no results of it"
    path = where.ledger(done.session)
    assert validation.ledger_faults(path) == []
    found = ledger.load(path)
    assert found.header["cell"] == {"agent": "claude", "profile": "gateway"}
    assert found.header["at"] == "2026-01-02T02:04:05.000Z"
    assert found.states() == {"completed": 4}
    points = {key: trial.last.correctness for key, trial in found.trials.items() if trial.last}
    assert points == {
        TrialKey("find-floor-plans", "without_mm", 1): 70.0,
        TrialKey("find-floor-plans", "with_mm", 1): 90.0,
        TrialKey("find-floor-plans", "without_mm", 2): 0.0,
        TrialKey("find-floor-plans", "with_mm", 2): 70.0,
    }
    assert found.ends[0]["reason"] == "complete"
    assert "box.lan" not in path.read_text()


def test_what_the_store_knew_is_kept(store: Path, where: Project) -> None:
    imported = max(import_sqlite(where, store), key=lambda one: one.trials)
    trials = [t.last.trial for t in ledger.load(where.ledger(imported.session)).trials.values() if t.last]
    first, treated, timeout, silent = trials
    assert (first["usage"]["input_total"], first["usage"]["output_total"]) == (1000, 200)
    assert (first["usage"]["cost_usd"], first["usage"]["input_uncached"]) == (0.01, None)
    assert first["outcome"]["final_text"]["text"] == "plan.png"
    assert [(call["argv"], call["exit_code"], call["failed"]) for call in treated["mm"]["calls"]] == [
        (["find", ".", "-n", "*.png"], 0, False), (["cat", "x"], 2, True),
    ]  # fmt: skip
    assert (timeout["status"], timeout["ended"]) == ("timeout", "timeout")
    assert (silent["status"], silent["usage"]["output_total"]) == ("no_answer", None)


def test_it_is_never_ranked(store: Path, where: Project) -> None:
    imported = max(import_sqlite(where, store), key=lambda one: one.trials)
    legacy = ledger.load(where.ledger(imported.session))
    verdict = comparability.compare([legacy])
    assert not verdict.comparable
    assert "older store" in verdict.against[0]
    sessions.write(where.ledger("s1"), sessions.keys(), done=4)
    both = boards(load.results(where.results))
    assert len(both) == 2
    (board,) = [board for board in both if board.rows]
    assert not board.comparable
    assert "older store" in board.reasons[0]


def test_importing_again_changes_nothing(store: Path, where: Project) -> None:
    import_sqlite(where, store)
    before = {path.name: path.read_bytes() for path in ledger.ledgers(where.results)}
    assert "it is there already" in [one.note for one in import_sqlite(where, store)]
    assert {path.name: path.read_bytes() for path in ledger.ledgers(where.results)} == before


def test_a_score_that_cannot_be_leaves_no_half_session(store: Path, where: Project) -> None:
    add(store, {"case_id": "broken", "correctness": 900.0})
    with pytest.raises(DataError, match="/correctness"):
        import_sqlite(where, store)
    assert list(ledger.ledgers(where.results)) == []


def test_other_files_are_explained(tmp_path: Path, where: Project) -> None:
    (tmp_path / "text.db").write_text("no database, but long enough to be looked at as one" * 9)
    with pytest.raises(DataError, match="cannot be read"):
        import_sqlite(where, tmp_path / "text.db")
    sqlite3.connect(tmp_path / "empty.db").execute("CREATE TABLE runs (x)").connection.close()
    with pytest.raises(DataError, match="no table sessions, case_results"):
        import_sqlite(where, tmp_path / "empty.db")
    with pytest.raises(UsageError, match="no file"):
        import_sqlite(where, tmp_path / "missing.db")


@pytest.mark.parametrize(
    "damage",
    [
        "ALTER TABLE sessions RENAME COLUMN session_id TO name",
        "UPDATE case_results SET speed_s = 'fast'",
        "UPDATE runs SET run_index = 'first' WHERE run_id = 'r0'",
    ],
)
def test_a_store_of_another_form_is_explained_and_leaves_nothing(
    store: Path, where: Project, damage: str
) -> None:
    with sqlite3.connect(store) as made:
        made.execute(damage)
    made.close()
    with pytest.raises(DataError, match=r"old\.db"):
        import_sqlite(where, store)
    assert not list(where.results.glob("*.jsonl"))


def test_the_command_redacts_and_reports(
    store: Path, where: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLD_API_KEY", "old-secret-key-1")
    add(store, {"case_id": "leak", "final_output": "the key is old-secret-key-1"})
    assert cli.main(["import", "sqlite", str(store), "--results", str(where.results)]) == 0
    assert "5 trials" in capsys.readouterr().out
    text = "".join(path.read_text() for path in ledger.ledgers(where.results))
    assert "old-secret-key-1" not in text
    assert "the key is [redacted]" in text
