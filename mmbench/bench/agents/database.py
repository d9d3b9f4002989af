"""Reading the session database that an agent CLI left, as hostile as any file it left.

Only rows are taken from it, with a bounded number of steps: an agent can write
a view that never ends under the name of a table.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

Row = dict[str, object]

LARGEST_VALUE = 64 * 1024 * 1024
STEPS_PER_CHECK = 100_000
CHECKS = 2_000
MOST_ROWS = 100_000


def rows(database: bytes, log: bytes, *queries: str) -> list[list[Row]]:
    """Run queries on a database and its write-ahead log; no rows for anything that is not one.

    A killed program leaves its last rows in the log alone.
    """
    if not database:
        return [[] for _ in queries]
    with tempfile.TemporaryDirectory(prefix="mmbench-database-") as folder:
        path = Path(folder) / "state.db"
        path.write_bytes(database)
        if log:
            path.with_name("state.db-wal").write_bytes(log)
        try:
            with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                _guard(connection)
                return [_select(connection, query) for query in queries]
        except (sqlite3.Error, OverflowError, MemoryError, UnicodeError):
            # UnicodeError: the module itself decodes the names of columns and its messages.
            return [[] for _ in queries]


def _guard(connection: sqlite3.Connection) -> None:
    checks = iter(range(CHECKS))
    connection.set_progress_handler(lambda: next(checks, None) is None, STEPS_PER_CHECK)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.execute("PRAGMA query_only = ON")


def _select(connection: sqlite3.Connection, query: str) -> list[Row]:
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, values, strict=True)) for values in cursor.fetchmany(MOST_ROWS)]
