"""Session databases: read with their log, and never trusted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mmbench.bench.agents import database
from mmbench.bench.agents.database import rows

ALL = "SELECT a, b FROM t ORDER BY a"


def made(script: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return connection.serialize()


WHOLE = made("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, NULL);")


def test_rows_come_as_mappings() -> None:
    assert rows(WHOLE, b"", ALL) == [[{"a": 1, "b": "x"}, {"a": 2, "b": None}]]


def test_queries_are_answered_in_order() -> None:
    assert rows(WHOLE, b"", "SELECT 1 AS n", ALL)[0] == [{"n": 1}]
    assert rows(b"", b"", ALL, ALL) == [[], []]


def test_what_a_killed_program_left_in_the_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.executescript("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'logged');")
        main, log = path.read_bytes(), (tmp_path / "s.db-wal").read_bytes()
    assert rows(main, log, ALL) == [[{"a": 1, "b": "logged"}]]
    assert rows(main, b"", ALL) == [[]]


def test_text_that_is_no_utf8_is_read() -> None:
    broken = made("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, CAST(X'ff41' AS TEXT));")
    assert rows(broken, b"", ALL) == [[{"a": 1, "b": "\ufffdA"}]]


def test_a_view_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "CHECKS", 3)
    monkeypatch.setattr(database, "STEPS_PER_CHECK", 1000)
    endless = made(
        "CREATE VIEW t AS WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a, 1 AS b FROM n"
    )
    assert rows(endless, b"", ALL) == [[]]


@pytest.mark.parametrize("content", [b"", b"no database", WHOLE[:100], made("CREATE TABLE u (a)")])
def test_what_is_no_database_has_no_rows(content: bytes) -> None:
    assert rows(content, b"", ALL) == [[]]


@example(at=4077, noise=b"\x80", log=b"")
@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=60), st.binary(max_size=100))
def test_any_damage_is_survived(at: int, noise: bytes, log: bytes) -> None:
    assert isinstance(rows(WHOLE[:at] + noise + WHOLE[at + len(noise) :], log, ALL), list)
