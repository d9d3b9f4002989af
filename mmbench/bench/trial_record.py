"""What the record of an attempt is made of; every text and list in it is bounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mmbench.bench import shim, tree
from mmbench.bench.mmhome import read_mm_db
from mmbench.bench.sandbox import Sandbox
from mmbench.bench.streams import Captured
from mmbench.bench.tree import Mark, TreeChange
from mmbench.ledger import stamp
from mmbench.outcome import Outcome
from mmbench.records import capped

if TYPE_CHECKING:
    from mmbench.bench.trial import TrialSpec

TEXT_LIMIT, STDERR_LIMIT, STEP_LIMIT = 100_000, 8_000, 4_000
MAX_STEPS, MAX_CALLS, MAX_CHANGES = 300, 300, 1_000
NOTHING = {"bytes": 0, "sha256": Captured(0).sha256, "truncated": False}


def outcome_fields(spec: TrialSpec, outcome: Outcome) -> dict[str, Any]:
    """Return what the agent's run came to, its transcript included."""
    kept = outcome.steps[:MAX_STEPS]
    return {
        **spec.key._asdict(),
        "attempt": spec.attempt,
        "position": spec.position,
        "status": outcome.status,
        "failure": None if outcome.failure is None else asdict(outcome.failure),
        "outcome": {
            "final_text": capped(outcome.final_text, TEXT_LIMIT),
            "model": outcome.model,
            "turns": outcome.turns,
            "tool_calls": outcome.tool_calls,
            "parse": outcome.parse,
        },
        "usage": asdict(outcome.usage),
        "steps": {
            "items": [
                {"kind": step.kind, "name": step.name, "text": capped(step.text, STEP_LIMIT)} for step in kept
            ],
            "dropped": len(outcome.steps) - len(kept),
        },
    }


def mm_fields(sandbox: Sandbox, backend: dict[str, Any] | None) -> dict[str, Any]:
    """Return every call of mm, what the meter counted and what mm itself noted."""
    calls = shim.read_calls(sandbox.path("calls"))
    noted = read_mm_db(sandbox.path("state")) if backend is not None else None
    return {
        "calls": [_call(call) for call in calls[:MAX_CALLS]],
        "dropped": max(0, len(calls) - MAX_CALLS),
        "backend": backend,
        "database": None if noted is None else asdict(noted),
    }


def _call(call: shim.MmCall) -> dict[str, Any]:
    return {
        "argv": list(call.argv),
        "started_at": stamp(datetime.fromtimestamp(call.started_at, UTC)),
        "duration_s": None if call.duration_s is None else round(call.duration_s, 4),
        "exit_code": call.exit_code,
        "failed": call.failed,
        "reason": call.reason or None,
    }


def tree_fields(
    after: Mapping[str, Mark], found: Sequence[TreeChange], origin: Mapping[str, str]
) -> dict[str, Any]:
    """Return what the agent left in the tree, beside what was there; `origin` are the hashes of the start."""
    return {
        "files": sum(mark.kind == "file" for mark in after.values()),
        "bytes": sum(mark.size for mark in after.values() if mark.kind == "file"),
        "digest": tree.digest(after, list(found), origin),
        "changes": [_change(change, origin) for change in found[:MAX_CHANGES]],
        "dropped": max(0, len(found) - MAX_CHANGES),
    }


def _change(change: TreeChange, origin: Mapping[str, str]) -> dict[str, Any]:
    """Return a change as records hold it; what was deleted has the hash it had, so that moves show."""
    gone = origin.get(change.path) if change.change == "deleted" else change.sha256
    return asdict(change) | {"path": tree.shown(change.path), "sha256": gone}


def stream(captured: Captured) -> dict[str, Any]:
    """Return the size and the hash of a whole output."""
    return {"bytes": captured.size, "sha256": captured.sha256, "truncated": captured.truncated}


def no_run(spec: TrialSpec, started: str, outcome: Outcome) -> dict[str, Any]:
    """Return the record of an attempt in which no agent ran."""
    return outcome_fields(spec, outcome) | {
        "started_at": started,
        "duration_s": 0,
        "exit_code": None,
        "ended": "not_started",
        "mm": {"calls": [], "dropped": 0, "backend": None, "database": None},
        "tree": {"files": 0, "bytes": 0, "digest": None, "changes": [], "dropped": 0},
        "artifacts": [],
        "streams": {"stdout": NOTHING, "stderr": NOTHING},
        "stderr_tail": capped("", STDERR_LIMIT),
        "treatment": {"intact": True, "changed": []},
        "canary": False,
    }


def stderr_tail(stderr: bytes) -> dict[str, Any]:
    """Return the end of what the agent printed on stderr."""
    return capped(stderr[-STDERR_LIMIT:].decode("utf-8", "replace"), STDERR_LIMIT)
