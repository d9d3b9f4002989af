"""What OpenClaw leaves, reduced to the normal form.

One JSON envelope at the end and nothing before it: a run that was killed leaves
its session database, whose transcript has each reply with its tokens. Where the
model stays silent, the CLI writes a sentence of its own, and calls it the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import zstandard

from mmbench.bench.agents import transcript
from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.database import Row, rows
from mmbench.bench.agents.failures import classify
from mmbench.bench.agents.settle import Seen, settle
from mmbench.bench.agents.stream import (
    Json,
    added,
    amount_at,
    beside,
    count_at,
    dig,
    document,
    list_at,
    text_at,
    usage,
)
from mmbench.outcome import Failure, Outcome, Step, Usage

QUERY: Final = "SELECT event_json, event_zstd FROM transcript_events ORDER BY created_at, seq"
LARGEST_EVENT: Final = 4 * 1024 * 1024
"""Bytes of an event before compression; the CLI compresses none beyond it."""
STATUSES: Final = frozenset({"ok", "error", "timeout"})
OWN_PROVIDER: Final = "openclaw"
KINDS: Final = {"aborted": "crash", "cli_error": "setup", "timeout": "no_server"}
"""What the CLI's own kinds mean where its words say nothing; its deadline lies after the harness's."""


def parse(raw: RawRun) -> Outcome:
    """Reduce a run of OpenClaw."""
    envelope = _envelope(raw.stdout)
    (found,) = rows(raw.extras.get("state", b""), raw.extras.get("state-wal", b""), QUERY)
    events = [message for row in found if (message := _message(row))]
    messages = [message for message in events if not _of_the_cli(message)]
    replies = [message for message in messages if message.get("role") == "assistant"]
    steps = transcript.joined(step for message in messages for step in _steps(message))
    failure = _failure(envelope, replies)
    told = _usage(dig(envelope, "usage"), amount_at(envelope, "costUsd"))
    seen = Seen(
        final_text=_answer(envelope, events) if envelope else transcript.answer(steps),
        usage=beside(told, added(_usage(message.get("usage")) for message in replies)),
        model=_model(replies) or text_at(envelope, "model") or None,
        turns=_first(_turns(replies) if found else None, count_at(envelope, "assistantTurns")),
        tool_calls=_first(
            transcript.calls(steps) if found else None, count_at(envelope, "toolSummary", "calls")
        ),
        failure=failure,
        recognised=bool(envelope) or bool(messages),
        finished=bool(envelope),
        steps=steps,
    )
    return settle(seen, raw)


def _of_the_cli(message: Json) -> bool:
    """Tell the messages that the CLI writes in the model's place."""
    return message.get("provider") == OWN_PROVIDER


def _answer(envelope: Json, messages: list[Json]) -> str:
    """Return the final text, unless no model said it."""
    final = text_at(envelope, "final").strip()
    authors = [_of_the_cli(message) for message in messages if final in _said(message)]
    return "" if authors and all(authors) else final


def _said(message: Json) -> str:
    return "".join(step.text for step in _steps(message) if step.kind == "message")


def _model(replies: list[Json]) -> str | None:
    """Name the model that replied last, as the endpoint called it where that differs."""
    names = (text_at(reply, "responseModel") or text_at(reply, "model") for reply in reversed(replies))
    return next((name for name in names if name), None)


def _turns(replies: list[Json]) -> int:
    """Count the replies that came; the envelope counts failed ones too, and tools of the last attempt only."""
    return sum(reply.get("stopReason") != "error" for reply in replies)


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def _envelope(stdout: bytes) -> Json:
    """Return the envelope, also after notices that do not belong there; empty for none."""
    start = 0 if stdout.lstrip().startswith(b"{") else stdout.find(b"\n{") + 1
    value = document(stdout[start:])
    return value if value.get("status") in STATUSES or isinstance(value.get("ok"), bool) else {}


def _message(row: Row) -> Json | None:
    """Return the message of a transcript event, or None; longer events are compressed."""
    packed = row.get("event_zstd")
    event = _unpacked(packed) if isinstance(packed, bytes) else str(row.get("event_json") or "").encode()
    value = dig(document(event), "message")
    return value if isinstance(value, dict) else None


def _unpacked(packed: bytes) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=LARGEST_EVENT)
    except zstandard.ZstdError:
        return b""


def _steps(message: Json) -> Iterator[Step]:
    """Yield the steps of a message; the prompt is none."""
    if message.get("role") == "toolResult":
        yield transcript.result(message.get("content"), text_at(message, "toolName"))
    elif message.get("role") == "assistant":
        for part in list_at(message, "content"):
            if text_at(part, "type") == "text":
                yield transcript.message(text_at(part, "text"))
            elif text_at(part, "type") == "toolCall":
                yield transcript.call(text_at(part, "name"), dig(part, "arguments"))


def _usage(told: Json | None, cost: float | None = None) -> Usage:
    """Read tokens: the input leaves the cached ones out, the output includes the reasoning."""
    counted = usage(
        uncached=count_at(told, "input"),
        cache_read=count_at(told, "cacheRead"),
        cache_write=count_at(told, "cacheWrite"),
        output_total=count_at(told, "output"),
        reasoning=count_at(told, "reasoningTokens"),
        cost_usd=cost or None,  # 0 is what a model without a price costs
    )
    return transcript.reported(counted)


def _failure(envelope: Json, replies: list[Json]) -> Failure | None:
    """Find what went wrong: the provider's words in the last reply, else the envelope's."""
    if not envelope or (envelope.get("ok") is True and envelope.get("status") == "ok"):
        return None
    message = text_at(envelope, "error", "message")
    last = text_at(replies[-1], "errorMessage") if replies else ""
    told = [classify(words) for words in (last, message) if words]
    known = next((failure for failure in told if failure.kind != "unknown"), None)
    if known:
        return known
    kind = text_at(envelope, "error", "kind") or text_at(envelope, "error", "type")
    return Failure(KINDS.get(kind, "unknown"), message or last or f"The run ended with status {kind}.")
