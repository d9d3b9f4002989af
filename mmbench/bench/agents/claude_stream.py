"""Claude Code's stream-json: `system/init`, one `assistant` per content block, `user` for results, `result`.

Traps: `subtype` is `success` on API errors; a refusal looks like one of them
but for its `stop_reason`; a message comes once per content block, each time
with the same usage; a `result` may be followed by another that replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.failures import classify
from mmbench.bench.agents.settle import Seen, settle
from mmbench.bench.agents.stream import (
    Events,
    Json,
    added,
    amount_at,
    as_text,
    beside,
    count_at,
    dig,
    events,
    list_at,
    plus,
    text_at,
    usage,
)
from mmbench.outcome import Failure, Outcome, Step, Usage

KNOWN: Final = frozenset({"system", "assistant", "user", "result"})
SYNTHETIC: Final = "<synthetic>"
"""The model of messages that the CLI writes itself, such as an error's text."""

ALIASES: Final = {
    "fable": r"claude-fable.*",
    "haiku": r"claude-.*haiku.*",
    "opus": r"claude-.*opus.*",
    "sonnet": r"claude-.*sonnet.*",
}
ENDS: Final = {"error_max_turns": "max_turns", "error_during_execution": "crash"}


def parse(raw: RawRun) -> Outcome:
    """Reduce a run of Claude Code."""
    stream = events(raw.stdout)
    result = next((event for event in reversed(stream.objects) if event.get("type") == "result"), None)
    messages = _messages(stream)
    own = [message for message in messages if message.top]
    failure = _failure(result) if result else None
    texts = [message.text for message in own if message.text.strip()]
    said = text_at(result, "result") if result and not failure else ""
    turns = count_at(result, "num_turns")
    seen = Seen(
        final_text=said or (texts[-1] if texts else ""),
        usage=beside(_usage(result) if result else Usage(), added(message.usage for message in messages)),
        model=next((message.model for message in reversed(own) if message.model), None),
        turns=len(own) if turns is None else turns,
        tool_calls=sum(len(message.calls) for message in messages),
        failure=failure,
        recognised=any(event.get("type") in KNOWN for event in stream.objects),
        finished=result is not None,
        steps=tuple(_steps(stream)),
    )
    return settle(seen, raw, ALIASES)


@dataclass(slots=True)
class Message:
    """One message of the model, put together from its content blocks."""

    top: bool
    """False for the message of a helper."""
    model: str
    usage: Usage
    text: str = ""
    calls: set[Any] = field(default_factory=set)


def _messages(stream: Events) -> list[Message]:
    """Gather the model's messages by id, in order."""
    found: dict[str, Message] = {}
    for number, event in enumerate(stream.of("assistant")):
        body = event.get("message")
        model = text_at(body, "model")
        if model == SYNTHETIC:
            continue
        key = text_at(body, "id") or f"#{number}"
        message = found.setdefault(key, Message(not event.get("parent_tool_use_id"), model, Usage()))
        message.usage = _message_usage(dig(body, "usage"))
        for place, block in enumerate(list_at(body, "content")):
            if dig(block, "type") == "tool_use":
                message.calls.add(text_at(block, "id") or (number, place))
            elif dig(block, "type") == "text":
                message.text += text_at(block, "text")
    return list(found.values())


def _message_usage(told: Any) -> Usage:
    """Read one message's usage: cached tokens stand beside the input."""
    return usage(
        uncached=count_at(told, "input_tokens"),
        cache_read=count_at(told, "cache_read_input_tokens"),
        cache_write=count_at(told, "cache_creation_input_tokens"),
        output_total=count_at(told, "output_tokens"),
    )


def _usage(result: Json) -> Usage:
    """Read the whole run's usage, all models and helpers in it; the cost only where it is known."""
    models = dig(result, "modelUsage")
    parts = [part for part in models.values() if isinstance(part, dict)] if isinstance(models, dict) else []
    told = dig(result, "usage")
    if not parts:
        thought = count_at(told, "output_tokens_details", "thinking_tokens")
        return replace(_message_usage(told), reasoning=thought)
    known = all(part.get("costBasis") != "unknown" for part in parts)
    return usage(
        uncached=plus(*(count_at(part, "inputTokens") for part in parts)),
        cache_read=plus(*(count_at(part, "cacheReadInputTokens") for part in parts)),
        cache_write=plus(*(count_at(part, "cacheCreationInputTokens") for part in parts)),
        output_total=plus(*(count_at(part, "outputTokens") for part in parts)),
        reasoning=plus(*(count_at(part, "thinkingTokens") for part in parts)),
        cost_usd=amount_at(result, "total_cost_usd") if known else None,
    )


def _failure(result: Json) -> Failure | None:
    """Read the failure off the last result; its exit code and `subtype` do not tell."""
    text, subtype = text_at(result, "result"), text_at(result, "subtype")
    if dig(result, "stop_reason") == "refusal":
        return Failure("refusal", text)
    if subtype in ENDS:
        return Failure(ENDS[subtype], text or subtype)
    if dig(result, "is_error") is not True:
        return None
    words = " ".join(part for part in (text, text_at(result, "api_error")) if part)
    return classify(words or subtype or "error", count_at(result, "api_error_status"))


def _steps(stream: Events) -> Iterator[Step]:
    for event in stream.objects:
        if event.get("type") not in ("assistant", "user"):
            continue
        for block in list_at(event, "message", "content"):
            kind = dig(block, "type")
            if kind == "text" and event["type"] == "assistant":
                yield Step("message", text_at(block, "text"))
            elif kind == "tool_use":
                command = text_at(block, "input", "command")
                yield Step(
                    "tool_call", command or as_text(dig(block, "input")), text_at(block, "name") or None
                )
            elif kind == "tool_result":
                yield Step("tool_result", as_text(dig(block, "content")))
