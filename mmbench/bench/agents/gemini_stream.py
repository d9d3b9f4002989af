"""Gemini CLI's event stream, reduced to the normal form.

`init`, then `message` deltas, `tool_use` and `tool_result` as they come, `error`
for what the CLI found wrong, and one `result` with the run's tokens by model.
Its exit code is of no use: 0 after SIGTERM, the HTTP status modulo 256 on errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mmbench.bench.agents import transcript
from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.failures import classify
from mmbench.bench.agents.settle import Seen, settle
from mmbench.bench.agents.stream import Events, Json, count_at, dig, events, minus, plain, text_at, usage
from mmbench.outcome import Failure, Outcome, Step, Usage

KNOWN: Final = frozenset({"init", "message", "tool_use", "tool_result", "error", "result"})

ALIASES: Final = {"gemini-3-pro-preview": r"gemini-3\.1-pro-preview(-customtools)?"}
"""The CLI itself asks for another model than the one it is told."""

NAMED: Final = (
    ("quota", re.compile(r"exhausted your .{0,20}quota", re.I)),
    ("refusal", re.compile(r"response was blocked", re.I)),
    ("no_answer", re.compile(r"empty response|no final response text", re.I)),
    ("context_overflow", re.compile(r"exceeded the token limit", re.I)),
    ("max_turns", re.compile(r"\bmax(?:imum)? session turns|turn limit", re.I)),
)
WRAPPER: Final = re.compile(r"^\[API Error: (.*?)\](?:\n.*)?$", re.S)
"""An endpoint's error; the CLI adds advice that speaks of quotas to every 429."""
HTTP_ERRORS: Final = (400, 401, 403, 404, 429, 500, 502, 503, 504, 529)


def parse(raw: RawRun) -> Outcome:
    """Reduce a run of Gemini CLI."""
    stream = events(raw.stdout)
    end = next(stream.of("result"), None)
    steps = transcript.joined(_steps(stream))
    seen = Seen(
        final_text=transcript.answer(steps),
        usage=_usage(dig(end, "stats")) if end else Usage(),
        model=_model(dig(end, "stats", "models")),
        turns=transcript.turns(steps) if stream.objects else None,
        tool_calls=transcript.calls(steps) if stream.objects else None,
        failure=_failure(stream, end, raw.exit_code),
        recognised=any(_known(event) for event in stream.objects),
        finished=end is not None,
        steps=steps,
    )
    return settle(seen, raw, ALIASES)


def _known(event: Json) -> bool:
    return event.get("type") in KNOWN and "timestamp" in event


def _steps(stream: Events) -> Iterator[Step]:
    """Yield the steps in order; a repeated call or result is one."""
    names: dict[str, str] = {}
    done: set[str] = set()
    for event in stream.objects:
        kind, key = event.get("type"), text_at(event, "tool_id")
        if kind == "message" and event.get("role") == "assistant":
            yield transcript.message(text_at(event, "content"))
        elif kind == "tool_use" and key not in names:
            names[key] = text_at(event, "tool_name")
            yield transcript.call(names[key], event.get("parameters"))
        elif kind == "tool_result" and key not in done:
            done.add(key)
            said = event.get("output") or dig(event, "error", "message")
            yield transcript.result(said, names.get(key, ""))


def _usage(stats: Json) -> Usage:
    """Read the run's tokens: `output_tokens` leaves the thoughts out, the total has them."""
    prompt, total, visible = (
        count_at(stats, key) for key in ("input_tokens", "total_tokens", "output_tokens")
    )
    output = visible if total is None or prompt is None else minus(total, prompt)
    counted = usage(
        uncached=minus(prompt, count_at(stats, "cached")),
        cache_read=count_at(stats, "cached"),
        output_total=output,
        reasoning=None if output is None or visible is None else minus(output, visible),
    )
    return transcript.reported(counted)


def _model(models: object) -> str | None:
    """Name the model that did most of the work; others compress and summarise for it."""
    if not isinstance(models, dict) or not models:
        return None
    return plain(max(models, key=lambda name: count_at(models, name, "total_tokens") or 0))


def _failure(stream: Events, end: Json | None, exit_code: int | None) -> Failure | None:
    """Find what went wrong: the result's own error, else the last event that says so.

    Some errors lose their HTTP status on the way; it is left in the exit code.
    """
    if end is None or end.get("status") == "success":
        return None
    told = [text_at(event, "message") for event in stream.of("error") if event.get("severity") == "error"]
    message = text_at(end, "error", "message") or (told[-1] if told else "")
    error = WRAPPER.sub(r"\1", message)
    named = next((kind for kind, words in NAMED if words.search(error)), None)
    if named:
        return Failure(named, error)
    failure = classify(error)
    status = next((status for status in HTTP_ERRORS if status & 255 == exit_code), None)
    return classify(error, status) if failure.kind == "unknown" else failure
