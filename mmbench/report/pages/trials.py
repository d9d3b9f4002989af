"""One page per trial of the newest sessions: prompt, answer, checks, calls of mm, transcript, files."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from mmbench.records import TrialKey
from mmbench.report.artifacts import shown
from mmbench.report.details import Detail, Reader
from mmbench.report.model import Session, Trial
from mmbench.report.pages.site import Site, session_path, trial_path
from mmbench.report.render import File, Page
from mmbench.report.text import excerpt

ANSWER, STEP, STDERR = 20_000, 4_000, 8_000
"""Characters of each kind of text that a page shows."""
STEPS, CALLS = 100, 200
"""How many of them a page shows."""
TRANSCRIPT = 120_000
"""Characters of all steps together."""


def pages(site: Site) -> Iterator[Page | File]:
    """Yield the page of every trial of the newest sessions, with the files that it shows."""
    for session in site.results.sessions:
        if session.id not in site.detailed:
            continue
        known = {trial.key: trial for trial in session.trials}
        with Reader(session) as reader:
            for trial in session.trials:
                yield from _trial(site, session, reader.read(trial), known)


def _trial(
    site: Site, session: Session, detail: Detail, known: dict[TrialKey, Trial]
) -> Iterator[Page | File]:
    trial = detail.trial
    line = detail.attempt or _NOTHING
    kept = [shown(site.results.root, session.id, item) for item in line["artifacts"]]
    yield from (file for _, file in kept if file)
    key = trial.key
    case = site.results.case(session, key.case)
    context = {
        "session": session,
        "session_path": session_path(session.id),
        "trial": trial,
        "key": key,
        "case": case,
        "title": case.title if case else key.case,
        "other": _other(session, key, known),
        **_grading(detail),
        **_attempt(line),
        "artifacts": [item for item, _ in kept],
    }
    yield Page(trial_path(session.id, key), "trial.html", context)


_TEXT: dict[str, Any] = {"text": "", "bytes": 0, "truncated": False}
_NOTHING: dict[str, Any] = {
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


def _other(session: Session, key: TrialKey, known: dict[TrialKey, Trial]) -> dict[str, Any] | None:
    arm = {"with_mm": "without_mm", "without_mm": "with_mm"}.get(key.arm)
    other = known.get(TrialKey(key.case, arm, key.run)) if arm else None
    return {"trial": other, "path": trial_path(session.id, other.key)} if other else None


def _grading(detail: Detail) -> dict[str, Any]:
    checks, verdict = detail.checks or {}, detail.verdict
    if verdict is not None:
        replies = [reply | {"raw": excerpt(reply["raw"]["text"], STEP)[0]} for reply in verdict["replies"]]
        verdict = verdict | {"replies": replies}
    return {
        "checks": checks.get("results", []),
        "checks_error": checks.get("error"),
        "verdict": verdict,
    }


def _attempt(line: dict[str, Any]) -> dict[str, Any]:
    steps = list(_steps(line["steps"]["items"]))
    usage = line["usage"]
    return {
        "failure": line["failure"],
        "canary": line["canary"],
        "answer": _text(line["outcome"]["final_text"], ANSWER),
        "calls": [call | {"command": shlex.join(call["argv"])} for call in line["mm"]["calls"][:CALLS]],
        "backend": line["mm"]["backend"],
        "steps": steps,
        "steps_left": len(line["steps"]["items"]) - len(steps) + line["steps"]["dropped"],
        "tokens": [(name, usage.get(field)) for name, field in _TOKENS],
        "cost": usage.get("cost_usd"),
        "lower_bound": usage.get("lower_bound", False),
        "stderr": _text(line["stderr_tail"], STDERR) | {"bytes": line["stderr_tail"]["bytes"]},
    }


_TOKENS = (
    ("Fresh input", "input_uncached"),
    ("Cache read", "cache_read"),
    ("Cache write", "cache_write"),
    ("All input", "input_total"),
    ("Output", "output_total"),
    ("Reasoning", "reasoning"),
)


def _text(value: dict[str, Any], limit: int) -> dict[str, Any]:
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
        made = _text(step["text"], STEP)
        left -= len(made["text"])
        if left < 0:
            return
        name = f" {step['name']}" if step["name"] else ""
        yield {"kind": step["kind"], "label": f"{_LABELS[step['kind']]}{name}", **made}
