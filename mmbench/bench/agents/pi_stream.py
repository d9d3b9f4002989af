"""Pi's JSON lines: `session`, `agent_*`, `turn_*`, `message_*`, `tool_execution_*`, retries and compactions.

Traps: the exit code is 0 on every error; `turn_end` and `agent_end` repeat the
messages; after a context overflow stdout stops at `compaction_start` while the
run goes on; an answer cut by the endpoint looks complete but for its usage of 0.
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
    list_at,
    text_at,
    usage,
)
from mmbench.outcome import Failure, Outcome, Step, Usage

KNOWN: Final = frozenset(
    {"session", "agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_end"}
)
GOES_ON: Final = frozenset({"agent_start", "turn_start", "message_start", "auto_retry_start"})

UNSEEN: Final = Failure(
    "no_answer", "The output stops at a compaction after a context overflow; the run went on."
)
CUT: Final = Failure("server_error", "The last answer came without its usage: the endpoint cut the stream.")


def parse(raw: RawRun) -> Outcome:
    """Reduce a run of pi."""
    stream = events(raw.stdout)
    answers = [message for message in _messages(stream) if message.get("role") == "assistant"]
    good = [answer for answer in answers if answer.get("stopReason") not in ("error", "aborted")]
    texts = [text for text in map(_text, good) if text.strip()]
    overflown = _stops_at_overflow(stream)
    seen = Seen(
        final_text=texts[-1] if texts and not overflown else "",
        usage=added(_usage(answer) for answer in answers if count_at(answer, "usage", "totalTokens")),
        model=next((model for model in map(_model, reversed(good)) if model), None),
        turns=len(good),
        tool_calls=len({text_at(event, "toolCallId") for event in stream.of("tool_execution_start")}),
        failure=UNSEEN if overflown else _failure(answers),
        recognised=any(event.get("type") in KNOWN for event in stream.objects),
        finished=_finished(stream),
        steps=tuple(_steps(stream)),
    )
    return settle(seen, raw)


def _messages(stream: Events) -> Iterator[Json]:
    for event in stream.of("message_end"):
        message = event.get("message")
        if isinstance(message, dict):
            yield message


def _text(message: Json) -> str:
    parts = list_at(message, "content")
    return "".join(text_at(part, "text") for part in parts if dig(part, "type") == "text")


def _model(message: Json) -> str:
    """Return the model that answered: named apart where it is not the requested one."""
    return text_at(message, "responseModel") or text_at(message, "model")


def _usage(message: Json) -> Usage:
    """Read one call's usage: cached tokens stand beside the input; a cost of 0 is a model without a price."""
    told = message.get("usage")
    return usage(
        uncached=count_at(told, "input"),
        cache_read=count_at(told, "cacheRead"),
        cache_write=count_at(told, "cacheWrite"),
        output_total=count_at(told, "output"),
        cost_usd=amount_at(told, "cost", "total") or None,
    )


def _stops_at_overflow(stream: Events) -> bool:
    last = stream.objects[-1] if stream.objects else {}
    return last.get("type") == "compaction_start" and last.get("reason") == "overflow"


def _finished(stream: Events) -> bool:
    """Tell whether the last thing that began also ended."""
    for event in reversed(stream.objects):
        if event.get("type") == "agent_end":
            return not _stops_at_overflow(stream)
        if event.get("type") in GOES_ON:
            return False
    return False


def _failure(answers: list[Json]) -> Failure | None:
    """Read the failure off the last answer."""
    if not answers:
        return None
    last = answers[-1]
    reason = last.get("stopReason")
    if reason in ("error", "aborted"):
        return classify(text_at(last, "errorMessage") or str(reason))
    counted = [bool(count_at(answer, "usage", "totalTokens")) for answer in answers]
    return CUT if any(counted) and not counted[-1] else None


def _steps(stream: Events) -> Iterator[Step]:
    for message in _messages(stream):
        role = message.get("role")
        for part in list_at(message, "content"):
            if role == "assistant" and dig(part, "type") == "text":
                yield Step("message", text_at(part, "text"))
            elif dig(part, "type") == "toolCall":
                given = text_at(part, "arguments", "command") or as_text(dig(part, "arguments"))
                yield Step("tool_call", given, text_at(part, "name") or None)
        if role == "toolResult":
            yield Step("tool_result", as_text(message.get("content")), text_at(message, "toolName") or None)
