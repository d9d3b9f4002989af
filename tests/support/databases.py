"""Session databases as text: the rows that parsers read, so that a sample can be read, compared and scrubbed."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import zstandard

MAGIC = b"SQLite format 3\x00"
TABLES = ("sessions", "messages", "transcript_events")
DROPPED = frozenset({"system_prompt", "model_config", "navigation_json"})
"""Columns that no parser reads: the makers' prose, and a copy of the rest."""

Scrub = Callable[[bytes], bytes]


def is_database(content: bytes) -> bool:
    """Tell a database from any other file."""
    return content.startswith(MAGIC)


def dump(content: bytes, log: bytes, scrub: Scrub) -> bytes:
    """Return the statements that make the tables again, out of a database and its write-ahead log."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        path.write_bytes(content)
        path.with_name("state.db-wal").write_bytes(log)
        with closing(sqlite3.connect(path)) as connection:
            return "".join(_statements(connection, scrub)).encode("utf-8", "surrogateescape")


def _statements(connection: sqlite3.Connection, scrub: Scrub) -> Iterator[str]:
    present = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    for table in (name for name in TABLES if name in present):
        rows = connection.execute(f"SELECT * FROM {table} ORDER BY rowid")
        names = [column[0] for column in rows.description]
        kept = [index for index, name in enumerate(names) if name not in DROPPED]
        yield f"CREATE TABLE {table} ({', '.join(names[index] for index in kept)});\n"
        for row in rows:
            values = ", ".join(_literal(row[index], scrub) for index in kept)
            yield f"INSERT INTO {table} VALUES ({values});\n"


def _literal(value: object, scrub: Scrub) -> str:
    """Write a value as SQL; compressed ones stay compressed, and are scrubbed inside."""
    if isinstance(value, bytes):
        return f"X'{zstandard.compress(scrub(zstandard.decompress(value))).hex()}'"
    if isinstance(value, str):
        text = scrub(value.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
        return "'" + text.replace("'", "''") + "'"
    return "NULL" if value is None else repr(value)


def restore(script: bytes) -> bytes:
    """Make a database file from the statements of a dump."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script.decode())
        return connection.serialize()
