"""One page per trial of the newest sessions: prompt, answer, checks, calls of mm, transcript, files."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator
from typing import Any

from mmbench.records import TrialKey
from mmbench.report.artifacts import shown
from mmbench.report.details import Detail, Reader
from mmbench.report.model import Session
from mmbench.report.pages.site import Site, session_path, trial_path
from mmbench.report.publish.shapes import VERSION, Artifacts, ArtifactShape, encode
from mmbench.report.render import File, Page
from mmbench.report.text import excerpt

ANSWER, STEP, STDERR, SIDE = 20_000, 4_000, 8_000, 6_000
"""Characters of each kind of text that a page shows."""
STEPS, CALLS, DIFF = 100, 200, 60
"""How many of them a page shows."""
TRANSCRIPT = 120_000
"""Characters of all steps together."""


def pages(site: Site) -> Iterator[Page | File]:
    """Yield the page of every trial of the newest sessions, with the files that it shows."""
    for session in site.results.sessions:
        if session.id not in site.detailed:
            continue
        known = {trial.key: trial for trial in session.trials}
        listed: list[ArtifactShape] = []
        with Reader(session) as reader:
            for trial in session.trials:
                twin = known.get(_twin(trial.key))
                other = reader.read(twin) if twin and twin.attempts else None
                yield from _trial(site, session, reader.read(trial), other, listed)
        made = Artifacts(VERSION, session.id, listed)
        yield File(f"data/artifacts/{session.id}.json", encode(made))


def _twin(key: TrialKey) -> TrialKey:
    return key._replace(arm=_TWIN.get(key.arm, ""))


_TWIN = {"with_mm": "without_mm", "without_mm": "with_mm"}


def _trial(
    site: Site, session: Session, detail: Detail, other: Detail | None, listed: list[ArtifactShape]
) -> Iterator[Page | File]:
    trial = detail.trial
    line = detail.attempt or _NOTHING
    kept = [shown(site.results.root, session.id, item) for item in line["artifacts"]]
    yield from (file for _, file in kept if file)
    listed += [
        _listed(trial.key, item | made) for item, (made, _) in zip(line["artifacts"], kept, strict=True)
    ]
    data = transcript_path(session.id, trial.key)
    yield File(data, detail.transcript)
    key = trial.key
    case = site.results.case(session, key.case)
    context = {
        "session": session,
        "session_path": session_path(session.id),
        "trial": trial,
        "key": key,
        "case": case,
        "title": case.title if case else key.case,
        "data": data,
        "both": _both(session, detail, other),
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


def transcript_path(session: str, key: TrialKey) -> str:
    """Return the address of a trial's records."""
    return f"data/transcript/{session}/{key.case}/{key.arm}-{key.run}.json"


def _listed(key: TrialKey, item: dict[str, Any]) -> ArtifactShape:
    names = ("path", "size", "media_type", "sha256", "href", "refused")
    return ArtifactShape(key.case, key.arm, key.run, *(item[name] for name in names))


def _both(session: Session, detail: Detail, other: Detail | None) -> dict[str, Any] | None:
    """Return both arms' answers side by side, with their difference by line."""
    if other is None or detail.attempt is None or other.attempt is None:
        return None
    first, second = (other, detail) if detail.trial.key.arm == "with_mm" else (detail, other)
    sides = [_side(session, side) for side in (first, second)]
    return {"sides": sides, "path": trial_path(session.id, other.trial.key), "diff": diff(*_answers(sides))}


def _answers(sides: list[dict[str, Any]]) -> tuple[str, str]:
    return sides[0]["answer"]["text"], sides[1]["answer"]["text"]


def _side(session: Session, side: Detail) -> dict[str, Any]:
    text = side.attempt["outcome"]["final_text"] if side.attempt else _TEXT
    return {
        "trial": side.trial,
        "name": side.trial.key.arm.replace("_", " "),
        "answer": _text(text, SIDE),
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
