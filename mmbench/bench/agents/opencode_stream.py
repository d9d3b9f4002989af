"""OpenCode's JSON lines: `step_start`, `text`, `tool_use`, `step_finish` and `error`, each with a `part`.

Traps: there is no terminal event, a whole run is one whose last step finished
with `stop`; reasoning stands beside the output; an error may be overcome by a
compaction; a rejected tool ends the run with exit code 0 and no text; an answer
cut by the endpoint looks complete but for its usage of 0. Events name no model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.failures import classify
from mmbench.bench.agents.settle import Seen, settle
from mmbench.bench.agents.stream import (
    Events,
    Json,
    added,
    amount_at,
    as_text,
    count_at,
    dig,
    events,
    plus,
    text_at,
    usage,
)
from mmbench.outcome import Failure, Outcome, Step, Usage

KNOWN: Final = frozenset({"step_start", "step_finish", "text", "tool_use", "error"})
CUT: Final = Failure("server_error", "The last answer came without its usage: the endpoint cut the stream.")
REJECTED: Final = ("rejected permission", "permission to use this", "prevents you from using")


def parse(raw: RawRun) -> Outcome:
    """Reduce a run of OpenCode."""
    stream = events(raw.stdout)
    steps = list(stream.of("step_finish"))
    texts = [
        text_at(event, "part", "text") for event in stream.of("text") if not dig(event, "part", "synthetic")
    ]
    seen = Seen(
        final_text=next((text for text in reversed(texts) if text.strip()), ""),
        usage=added(_usage(step) for step in steps if _counted(step)),
        turns=len(steps),
        tool_calls=len({text_at(event, "part", "callID") for event in stream.of("tool_use")}),
        failure=_failure(stream, steps),
        recognised=any(event.get("type") in KNOWN for event in stream.objects),
        finished=_finished(stream),
        steps=tuple(_steps(stream)),
    )
    return settle(seen, raw)


def _usage(step: Json) -> Usage:
    """Read one call's usage: no figure contains another; a cost of 0 is a model without a price."""
    told = dig(step, "part", "tokens")
    reasoning = count_at(told, "reasoning")
    return usage(
        uncached=count_at(told, "input"),
        cache_read=count_at(told, "cache", "read"),
        cache_write=count_at(told, "cache", "write"),
        output_total=plus(count_at(told, "output"), reasoning),
        reasoning=reasoning,
        cost_usd=amount_at(step, "part", "cost") or None,
    )


def _counted(step: Json) -> bool:
    told = dig(step, "part", "tokens")
    return bool(plus(count_at(told, "input"), count_at(told, "output"), count_at(told, "cache", "read")))


def _last(stream: Events, *kinds: str) -> Json | None:
    return next((event for event in reversed(stream.objects) if event.get("type") in kinds), None)


def _finished(stream: Events) -> bool:
    """Tell whether the run came to an end of its own: a step that stopped, an error, a rejected tool."""
    last = _last(stream, "step_start", "step_finish", "error")
    if last is None or last.get("type") == "step_start":
        return False
    stopped = text_at(last, "part", "reason") not in ("", "tool-calls")
    return last.get("type") == "error" or stopped or _rejected(stream)


def _failure(stream: Events, steps: list[Json]) -> Failure | None:
    """Read the failure off the last event that ends something."""
    last = _last(stream, "step_finish", "error")
    if last is None:
        return None
    if last.get("type") == "error":
        message = text_at(last, "error", "data", "message") or text_at(last, "error", "name")
        return classify(message or "error", count_at(last, "error", "data", "statusCode"))
    if _rejected(stream):
        return Failure("rejected_tool", "A tool call was rejected, and the run ended.")
    return CUT if any(map(_counted, steps)) and not _counted(last) else None


def _rejected(stream: Events) -> bool:
    """Tell whether the run ended with a rejected tool call."""
    last = _last(stream, "tool_use", "text")
    words = text_at(last, "part", "state", "error")
    return any(phrase in words for phrase in REJECTED)


def _steps(stream: Events) -> Iterator[Step]:
    for event in stream.objects:
        part = event.get("part")
        if event.get("type") == "text":
            yield Step("message", text_at(part, "text"))
        elif event.get("type") == "tool_use":
            state, name = dig(part, "state"), text_at(part, "tool") or None
            yield Step("tool_call", text_at(state, "input", "command") or as_text(dig(state, "input")), name)
            yield Step("tool_result", text_at(state, "output") or text_at(state, "error"), name)
