"""What a page shows of one attempt: texts cut to size, both arms side by side, the difference of the answers."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator
from typing import Any

from mmbench.outcome import disputed
from mmbench.report import figures
from mmbench.report.details import Detail
from mmbench.report.model import Session
from mmbench.report.pages.site import trial_path
from mmbench.report.tables.arms import NAMES
from mmbench.report.tables.cases import tokens
from mmbench.report.text import excerpt, weight

ANSWER, STEP, STDERR = 20_000, 4_000, 8_000
"""Bytes of each kind of text that a page shows."""
STEPS, CALLS, DIFF, REPLIES = 100, 100, 60, 5
"""How many of them a page shows."""
TRANSCRIPT, PROMPT, REASON = 80_000, 20_000, 400
"""Bytes of all steps together, of the prompt and of one check's reason."""

_TEXT: dict[str, Any] = {"text": "", "bytes": 0, "truncated": False}
NOTHING: dict[str, Any] = {
    "failure": None,
    "canary": False,
    "outcome": {"final_text": _TEXT},
    "mm": {"calls": [], "backend": None},
    "steps": {"items": [], "dropped": 0},
    "usage": {},
    "artifacts": [],
    "stderr_tail": _TEXT,
}
"""What a trial that was never run has to show."""


def both(session: Session, detail: Detail, other: Detail | None) -> dict[str, Any] | None:
    """Return both arms' answers side by side, with their difference by line."""
    if other is None or detail.attempt is None or other.attempt is None:
        return None
    order = list(NAMES)
    pair = sorted((detail, other), key=lambda side: order.index(side.trial.key.arm))
    sides = [_side(session, side) for side in pair]
    return {
        "sides": sides,
        "rows": _rows(pair),
        "other": _side(session, other),
        "diff": diff(*_answers(sides)),
    }


def _rows(pair: list[Detail]) -> list[tuple[str, list[str]]]:
    """Return what both sides came to, figure by figure and check by check."""
    trials = [side.trial for side in pair]
    rows = [
        ("Correctness", [figures.points(trial.correctness) for trial in trials]),
        ("Checks, by weight", [figures.share(trial.checkpoint) for trial in trials]),
        ("Judge, of 5", [figures.number(trial.judge) for trial in trials]),
        ("Time", [figures.seconds(trial.duration_s) for trial in trials]),
        ("Tokens", [figures.count(tokens(trial)) for trial in trials]),
        ("Calls of mm", [str(trial.mm_calls) for trial in trials]),
    ]
    kinds = [[check["kind"] for check in _results(side)] for side in pair]
    if kinds[0] == kinds[1]:  # else they were graded by different checks
        scores = [[_mark(check["score"]) for check in _results(side)] for side in pair]
        rows += [
            (f"Check {n}, {kind}", list(both))
            for n, (kind, *both) in enumerate(zip(kinds[0], *scores, strict=True), 1)
        ]
    return rows


def _results(side: Detail) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = side.checks["results"] if side.checks else []
    return found


def _mark(score: float) -> str:
    return f"{'✓' if score >= 1 else '✗' if score <= 0 else '◐'} {figures.number(score, 2)}"


def _answers(sides: list[dict[str, Any]]) -> tuple[str, str]:
    return sides[0]["answer"]["text"], sides[1]["answer"]["text"]


def _side(session: Session, side: Detail) -> dict[str, Any]:
    text = side.attempt["outcome"]["final_text"] if side.attempt else _TEXT
    return {
        "trial": side.trial,
        "name": NAMES[side.trial.key.arm],
        "answer": fitted(text, ANSWER),
        "path": trial_path(session.id, side.trial.key),
    }


def diff(before: str, after: str) -> list[tuple[str, str]]:
    """Return (sign, line) for two texts, signs " ", "-" and "+"; empty when they are equal."""
    old, new = (text.split("\n")[:DIFF] for text in (before, after))
    if old == new:
        return []
    made: list[tuple[str, str]] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            made += [(" ", line) for line in old[i:j]]
        else:
            made += [("-", line) for line in old[i:j]] + [("+", line) for line in new[k:m]]
    return made


def grading(detail: Detail) -> dict[str, Any]:
    """Return the checks with their reasons, and the verdict."""
    checks, verdict = detail.checks or {}, detail.verdict
    if verdict is not None:
        replies = [
            reply | {"raw": excerpt(reply["raw"]["text"], STEP)[0]} for reply in verdict["replies"][:REPLIES]
        ]
        verdict = verdict | {"replies": replies}
    return {
        "checks": [
            item | {"reason": excerpt(item["reason"], REASON)[0]} for item in checks.get("results", [])
        ],
        "checks_error": checks.get("error"),
        "verdict": verdict,
    }


def attempt(line: dict[str, Any]) -> dict[str, Any]:
    """Return what the agent did and said."""
    steps = list(_steps(line["steps"]["items"]))
    usage = line["usage"]
    return {
        "failure": line["failure"],
        "canary": line["canary"],
        "answer": fitted(line["outcome"]["final_text"], ANSWER),
        "talk": _talk(line.get("clarification")),
        "calls": [_call(call) for call in line["mm"]["calls"][:CALLS]],
        "backend": line["mm"]["backend"],
        "steps": steps,
        "steps_left": len(line["steps"]["items"]) - len(steps) + line["steps"]["dropped"],
        "tokens": [(name, usage.get(field)) for name, field in _TOKENS],
        "cost": usage.get("cost_usd"),
        "lower_bound": usage.get("lower_bound", False),
        "by_calls": usage.get("input_by_calls"),
        "disputed": disputed(usage.get("input_total"), usage.get("input_by_calls")),
        "stderr": fitted(line["stderr_tail"], STDERR) | {"bytes": line["stderr_tail"]["bytes"]},
    }


def _talk(exchange: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the question to the user, None for a case with nobody to ask."""
    if exchange is None:
        return None
    question = exchange["question"]
    return exchange | {"question": None if question is None else fitted(question, ANSWER)}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    return call | {"command": excerpt(shlex.join(call["argv"]), REASON)[0]}


_TOKENS = (
    ("Fresh input", "input_uncached"),
    ("Cache read", "cache_read"),
    ("Cache write", "cache_write"),
    ("All input", "input_total"),
    ("Output", "output_total"),
    ("Reasoning", "reasoning"),
)


def fitted(value: dict[str, Any], limit: int) -> dict[str, Any]:
    """Return a recorded text within `limit` bytes, with a note on what is not shown."""
    text, cut = excerpt(value["text"], limit)
    notes = []
    if cut:
        notes.append(f"{cut:,} characters are left out on this page.")
    if value["truncated"]:
        notes.append(f"The record keeps head and tail of {value['bytes']:,} bytes.")
    return {"text": text, "note": " ".join(notes)}


_LABELS = {"message": "The agent", "tool_call": "Calls", "tool_result": "Gets back"}


def _steps(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    left = TRANSCRIPT
    for step in items[:STEPS]:
        made = fitted(step["text"], STEP)
        left -= weight(made["text"])
        if left < 0:
            return
        joint = " from " if step["kind"] == "tool_result" else " "
        name = f"{joint}{step['name']}" if step["name"] else ""
        yield {"kind": step["kind"], "label": f"{_LABELS[step['kind']]}{name}", **made}
