"""Take over the SQLite store of the benchmark's first form, so that its history stays visible.

Each of its sessions becomes a ledger like any other, whose method has the one
part that no new session has: `legacy`. So it is read, shown and labelled, and
never stands in a ranking. What the store did not hold is null or empty; where a
record needs a hash of something unknown, it holds the hash of nothing.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mmbench import jsontext, records
from mmbench.errors import DataError, UsageError
from mmbench.layout import Project, as_name
from mmbench.ledger import Ledger, Redact, load, stamp
from mmbench.records import capped
from mmbench.scoring import passed

UNKNOWN = jsontext.sha256(b"")
EPOCH = "1970-01-01T00:00:00.000Z"
TABLES = ("sessions", "runs", "case_results")
ARMS = ("without_mm", "with_mm")
FAILURES = {"timeout": ("timeout", "timeout"), "tool_error": ("agent_error", "rejected_tool")}
"""Status and kind of failure by the store's `failure_mode`."""
TEXT_LIMIT, STDERR_LIMIT = 100_000, 8_000
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one session of the store."""

    session: str
    trials: int
    note: str
    """Why nothing was written, empty when something was."""


def import_sqlite(where: Project, path: Path, redact: Redact = dict) -> list[Imported]:
    """Write a ledger for every session of a store; one that is there already is left as it is."""
    with _opened(path) as store:
        return [_import(where, store, row, redact) for row in _rows(store, "sessions", "started_at")]


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.is_file():
        raise UsageError(f"There is no file {path.name}.", where=str(path), fix="Name the store's file.")
    store = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    store.row_factory = sqlite3.Row
    store.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        names = {row["name"] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        missing = [name for name in TABLES if name not in names]
        if missing:
            raise DataError(f"{path.name} has no table {', '.join(missing)}.", where=path.name)
        yield store
    except (sqlite3.DatabaseError, UnicodeError) as error:
        raise DataError(f"{path.name} cannot be read: {error}.", where=path.name) from error
    except (KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path.name} is not of the form of a store: {error!r}.", where=path.name) from error
    finally:
        store.close()


def _rows(store: sqlite3.Connection, table: str, order: str, session: str | None = None) -> list[Row]:
    assert table in TABLES  # never a name from outside
    words, values = ("", ()) if session is None else (" WHERE session_id = ?", (session,))
    found = store.execute(f"SELECT * FROM {table}{words}", values)  # noqa: S608 (a name of ours, values bound)
    rows = [dict(row) for row in found]
    return sorted(rows, key=lambda row: (str(row.get(order) or ""), str(row)))


def _import(where: Project, store: sqlite3.Connection, row: Row, redact: Redact) -> Imported:
    identity = str(row["session_id"])
    name = f"legacy-{jsontext.sha256(identity.encode())[:12]}"
    runs = _run_numbers(_rows(store, "runs", "started_at", identity))
    results = [
        r
        for r in _rows(store, "case_results", "case_id", identity)
        if r["arm"] in ARMS and r["run_id"] in runs
    ]
    results.sort(key=lambda r: (runs[r["run_id"]], r["case_id"], ARMS.index(r["arm"])))
    path = where.ledger(name)
    if path.exists():
        return Imported(name, 0, "it is there already")
    if not results:
        return Imported(name, 0, "the store has no results of it")
    moment = [_time(row.get("started_at"))]
    book = Ledger.create(path, lambda: moment[0], redact)
    try:
        with book:
            _write(book, name, row, results, runs)
            moment[0] = _time(row.get("ended_at")) if row.get("ended_at") else moment[0]
            book.append("end", _end(path, row))
    except BaseException:
        path.unlink(missing_ok=True)  # half a session would look like one that can be resumed
        raise
    return Imported(name, len(results), "")


def _run_numbers(rows: Sequence[Row]) -> dict[Any, int]:
    ordered = sorted(rows, key=lambda row: (row.get("run_index") or 0, str(row.get("started_at"))))
    return {row["run_id"]: number for number, row in enumerate(ordered, start=1)}


def _write(book: Ledger, name: str, row: Row, results: Sequence[Row], runs: Mapping[Any, int]) -> None:
    judged = any(result.get("judge_score") is not None for result in results)
    book.append("session", _header(name, row, results, runs, judged))
    for position, result in enumerate(results):
        key = {
            "case": _name(result["case_id"]),
            "arm": result["arm"],
            "run": runs[result["run_id"]],
            "attempt": 1,
        }
        book.append("trial", key | {"position": position} | _trial(result, _time(row.get("started_at"))))
        book.append("checks", key | _checks(result, judged))
        if result.get("judge_score") is not None:
            book.append("verdict", key | _verdict(result))


def _end(path: Path, row: Row) -> dict[str, Any]:
    whole = str(row.get("status") or "").lower() in ("complete", "completed", "done", "finished", "ok")
    counts = dict(sorted(load(path).states().items()))
    return {"reason": "complete" if whole else "interrupted", "message": "", "counts": counts}


def _header(
    name: str, row: Row, results: Sequence[Row], runs: Mapping[Any, int], judged: bool
) -> dict[str, Any]:
    agent, profile = _name(row["assistant"]), _name(row["profile_name"])
    arms = [arm for arm in ARMS if any(result["arm"] == arm for result in results)]
    ids = sorted({_name(result["case_id"]) for result in results})
    parts: dict[str, Any] = {"legacy": "sqlite", "suite": "legacy", "cases": ids, "arms": arms}
    parts |= {"judge": {"mode": "score" if judged else "off"}}
    unknown = {"os": "unknown", "machine": "unknown", "cpu": "unknown", "python": "unknown"}
    return {
        "session": name,
        "cell": {"agent": agent, "profile": profile},
        "reference": False,
        "subject": {
            "agent": {"name": agent, "version": None, "adapter": "legacy", "model": None},
            "profile": {"name": profile, "kind": "named", "model": row.get("model") or None, "endpoint": None}
            | {"capabilities": [], "weights": None},
            "mm": {"version": "unknown", "digest": UNKNOWN},
        },
        "method": {"hash": records.method_hash(parts), "parts": parts},
        "plan": {
            "suite": "legacy",
            "arms": arms,
            "runs": max(runs.values()),
            "seed": 0,
            "schedule": [
                {"case": _name(r["case_id"]), "arm": r["arm"], "run": runs[r["run_id"]]} for r in results
            ],
            "excluded": [],
            "margin": 5.0,
        },
        "cases": {},
        "provenance": {
            "kit": {"version": "legacy", "commit": None, "dirty": None},
            "host": unknown | {"cores": 0, "memory_gb": 0},
            "sandbox": {"kind": "process", "hides_files": False},
            "dataset": {"name": "legacy", "revision": "unknown", "digest": UNKNOWN, "files": 0, "bytes": 0},
            "preflight": "skipped",
            "command": ["import", "sqlite"],
        },
    }


def _trial(result: Row, started: str) -> dict[str, Any]:
    mode = str(result.get("failure_mode") or "")
    output = str(result.get("final_output") or "")
    answered = bool(result.get("task_completion", output))
    status, kind = FAILURES.get(mode, ("agent_error", "unknown") if mode else ("completed", ""))
    if not kind and not answered:
        status, kind = "no_answer", "no_answer"
    empty = {"bytes": 0, "sha256": UNKNOWN, "truncated": False}
    return {
        "status": status,
        "failure": {"kind": kind, "message": mode} if kind else None,
        "started_at": started,
        "duration_s": max(0.0, float(result.get("speed_s") or 0)),
        "exit_code": None,
        "ended": "timeout" if status == "timeout" else "exit",
        "outcome": {
            "final_text": capped(output, TEXT_LIMIT),
            "model": None,
            "turns": None,
            "tool_calls": None,
        }
        | {"parse": "unknown"},
        "usage": _usage(result),
        "steps": {"items": [], "dropped": 0},
        "mm": {"calls": _calls(result, started), "dropped": 0, "backend": None, "database": None},
        "tree": {"files": 0, "bytes": 0, "digest": None, "changes": [], "dropped": 0},
        "artifacts": [],
        "streams": {"stdout": empty, "stderr": empty},
        "stderr_tail": capped(str(result.get("stderr") or "")[-STDERR_LIMIT:], STDERR_LIMIT),
        "treatment": {"intact": True, "changed": []},
        "canary": False,
    }


def _usage(result: Row) -> dict[str, Any]:
    """Read tokens where their meaning is sure: how the store split the input differed by agent."""
    told = _json(result.get("token_usage_json"))
    output = _count(told, "output", "output_tokens", "completion_tokens")
    total = result.get("token_total")
    cost = next(
        (told[key] for key in ("cost", "cost_usd", "total_cost_usd") if _is_number(told.get(key))), None
    )
    known = isinstance(total, int) and output is not None and total >= output
    return {
        "input_total": int(total or 0) - (output or 0) if known else None,
        "input_uncached": None,
        "cache_read": _count(told, "cache_read", "cache_read_input_tokens", "cached"),
        "cache_write": _count(told, "cache_write", "cache_creation_input_tokens"),
        "output_total": output,
        "reasoning": None,
        "cost_usd": cost,
        "lower_bound": False,
    }


def _json(text: Any) -> dict[str, Any]:
    try:
        value = jsontext.loads(text) if text else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _count(told: Mapping[str, Any], *names: str) -> int | None:
    values = (told.get(name) for name in names)
    return next((value for value in values if type(value) is int and value >= 0), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _calls(result: Row, started: str) -> list[dict[str, Any]]:
    """Read the shim's log: exit code, seconds and arguments, separated by tabs."""
    found = []
    for line in str(result.get("mm_log") or "").split("\n"):
        code, _, rest = line.partition("\t")
        seconds, _, words = rest.partition("\t")
        if not re.fullmatch(r"-?\d+", code):
            continue
        took = float(seconds) if re.fullmatch(r"\d+(?:\.\d+)?", seconds) else None
        failed = int(code) != 0
        found.append(
            {"argv": _words(words), "started_at": started, "duration_s": took, "exit_code": int(code)}
            | {"failed": failed, "reason": f"exit code {code}" if failed else None}
        )
    return found[:300]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _checks(result: Row, judged: bool) -> dict[str, Any]:
    share = result.get("checkpoint_score")
    points = None if judged or share is None else result.get("correctness")
    return {
        "scoring": "legacy",
        "checkpoint_score": share,
        "results": [],
        "error": None if share is not None else "the older store holds no score of the checks",
        "correctness": points,
        "passed": None if points is None else passed(points),
        "duration_s": 0,
    }


def _verdict(result: Row) -> dict[str, Any]:
    points = result.get("correctness")
    return {
        "scoring": "legacy",
        "judge": {"mode": "score", "models": ["unknown"], "prompt_sha256": UNKNOWN},
        "status": "ok",
        "score": result["judge_score"],
        "replies": [],
        "calculation": "as the older store computed it",
        "error": None,
        "correctness": points,
        "passed": None if points is None else passed(points),
    }


def _name(value: Any) -> str:
    """Return a value of the store as a name of ours."""
    return as_name(str(value))


def _time(value: Any) -> str:
    """Return a time of the store as records write it; without a zone it is taken for UTC."""
    try:
        if isinstance(value, int | float):
            moment = datetime.fromtimestamp(value, UTC)
        else:
            moment = datetime.fromisoformat(str(value))
            moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return EPOCH
    return stamp(moment)
