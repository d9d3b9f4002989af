"""Small hand-made records and ledgers for tests; synthetic, never results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mmbench.ledger import Ledger
from mmbench.records import TrialKey, method_hash

HASH = "0" * 64
AT = "2026-01-01T00:00:00.000Z"


def header(keys: Sequence[TrialKey], *, session: str = "s1", judge: str = "off") -> dict[str, Any]:
    """Return the fields of a session line with this schedule."""
    arms = list(dict.fromkeys(key.arm for key in keys))
    parts = {"suite": "synthetic", "cases": {key.case: HASH for key in keys}, "judge": {"mode": judge}}
    return {
        "session": session,
        "cell": {"agent": "synthetic", "profile": "none"},
        "reference": True,
        "subject": {
            "agent": {"name": "synthetic", "version": None, "adapter": "1", "model": None},
            "profile": {
                "name": "none", "kind": "local", "model": None, "endpoint": None, "capabilities": [], "weights": None,
            },
            "mm": {"version": "0.0.0", "digest": HASH},
        },
        "method": {"hash": method_hash(parts), "parts": parts},
        "plan": {
            "suite": "synthetic", "arms": arms, "runs": max(key.run for key in keys), "seed": 0,
            "schedule": [key._asdict() for key in keys], "excluded": [], "margin": 5.0,
        },
        "cases": {key.case: HASH for key in keys},
        "provenance": {
            "kit": {"version": "0", "commit": None, "dirty": None},
            "host": {"os": "x", "machine": "x", "cpu": "x", "cores": 1, "memory_gb": 1, "python": "3.11"},
            "sandbox": {"kind": "process", "hides_files": False},
            "dataset": {"name": "none", "revision": "0", "digest": HASH, "files": 0, "bytes": 0},
            "preflight": "passed",
            "command": ["bench"],
        },
    }  # fmt: skip


def trial(
    key: TrialKey, *, attempt: int = 1, status: str = "completed", text: str = "answer"
) -> dict[str, Any]:
    """Return the fields of a trial line."""
    capped = {"text": text, "bytes": len(text.encode("utf-8", "replace")), "truncated": False}
    none = dict.fromkeys(
        (
            "input_total",
            "input_uncached",
            "cache_read",
            "cache_write",
            "output_total",
            "reasoning",
            "cost_usd",
        )
    )
    stream = {"bytes": 0, "sha256": HASH, "truncated": False}
    return {
        **key._asdict(),
        "attempt": attempt,
        "position": 0,
        "status": status,
        "failure": None if status == "completed" else {"kind": "unknown", "message": ""},
        "started_at": AT,
        "duration_s": 1.0,
        "exit_code": 0,
        "ended": "exit",
        "outcome": {"final_text": capped, "model": None, "turns": None, "tool_calls": None, "parse": "ok"},
        "usage": {**none, "lower_bound": False},
        "steps": {"items": [], "dropped": 0},
        "mm": {"calls": [], "dropped": 0, "backend": None, "database": None},
        "tree": {"files": 0, "bytes": 0, "digest": None, "changes": [], "dropped": 0},
        "artifacts": [],
        "streams": {"stdout": stream, "stderr": stream},
        "stderr_tail": {"text": "", "bytes": 0, "truncated": False},
        "treatment": {"intact": True, "changed": []},
        "canary": False,
    }


def checks(
    key: TrialKey, *, attempt: int = 1, score: float | None = 1.0, judged: bool = False
) -> dict[str, Any]:
    """Return the fields of a checks line."""
    points = None if score is None or judged else 100 * score
    return {
        **key._asdict(),
        "attempt": attempt,
        "scoring": "1",
        "checkpoint_score": score,
        "results": [],
        "error": None if score is not None else "the grader failed",
        "correctness": points,
        "passed": None if points is None else points >= 60,
        "duration_s": 0.0,
    }


def keys(cases: int = 2, runs: int = 1) -> list[TrialKey]:
    """Return a schedule of both arms."""
    return [
        TrialKey(f"case-{case}", arm, run)
        for run in range(1, runs + 1)
        for case in range(cases)
        for arm in ("without_mm", "with_mm")
    ]


def write(path: Path, schedule: Sequence[TrialKey], done: int) -> None:
    """Write a ledger in which the first `done` trials are graded."""
    with Ledger.create(path) as book:
        book.append("session", header(schedule, session=path.stem))
        for key in schedule[:done]:
            book.append("trial", trial(key))
            book.append("checks", checks(key))
