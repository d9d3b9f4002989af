"""Anthropic Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.loopback.turn import Ask, Event, Fault, Reply, Tool, flat, fresh_id, pieces, texts

STOPS = {"end": "end_turn", "tool": "tool_use", "refusal": "refusal"}


def read(body: dict[str, Any], path: str) -> Ask:
    """Reduce a Messages request."""
    users = [m for m in body.get("messages") or [] if m.get("role") == "user"]
    results = [
        flat(part.get("content"))
        for message in users
        if isinstance(message.get("content"), list)
        for part in message["content"]
        if part.get("type") == "tool_result"
    ]
    return Ask(
        model=body.get("model", ""),
        stream=bool(body.get("stream")),
        tools=tuple(Tool(t.get("name", ""), t.get("input_schema") or {}) for t in body.get("tools") or []),
        system="\n".join(texts(body.get("system"))),
        user_texts=tuple(text for message in users for text in texts(message.get("content"))),
        tool_results=tuple(results),
    )


def usage(reply: Reply) -> dict[str, Any]:
    """Return the usage object: cached tokens stand beside the input, reasoning inside the output."""
    use = reply.usage
    return {
        "input_tokens": use.uncached,
        "cache_creation_input_tokens": use.cache_write,
        "cache_read_input_tokens": use.cache_read,
        "output_tokens": use.visible + use.reasoning,
        "service_tier": "standard",
    }


def blocks(reply: Reply) -> list[dict[str, Any]]:
    """Return the content blocks of a turn."""
    found: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    if reply.call:
        call = {"type": "tool_use", "id": fresh_id("toolu"), "name": reply.call.tool.name}
        found.append({**call, "input": reply.call.arguments})
    return found


def whole(reply: Reply) -> dict[str, Any]:
    """Return the answer to a request that does not stream."""
    head = {"id": fresh_id("msg"), "type": "message", "role": "assistant", "model": reply.model}
    end = {"stop_reason": STOPS[reply.stop], "stop_sequence": None, "usage": usage(reply)}
    return {**head, "content": blocks(reply), **end}


def events(reply: Reply, chunk: int) -> Iterator[Event]:
    """Yield the answer to a request that streams."""
    use = usage(reply)
    start = {**whole(reply), "content": [], "stop_reason": None, "usage": {**use, "output_tokens": 1}}
    yield "message_start", {"type": "message_start", "message": start}
    for index, block in enumerate(blocks(reply)):
        yield from _block(index, block, chunk)
    delta = {"stop_reason": STOPS[reply.stop], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": delta, "usage": use}
    yield "message_stop", {"type": "message_stop"}


def _block(index: int, block: dict[str, Any], chunk: int) -> Iterator[Event]:
    tool = block["type"] == "tool_use"
    text = json.dumps(block["input"]) if tool else block["text"]
    empty = {**block, "input": {}} if tool else {**block, "text": ""}
    kind, key = ("input_json_delta", "partial_json") if tool else ("text_delta", "text")
    yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}
    for piece in pieces(text, chunk):
        delta = {"type": kind, key: piece}
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


def error(fault: Fault) -> dict[str, Any]:
    """Return the error body."""
    return {
        "type": "error",
        "error": {"type": fault.anthropic, "message": fault.anthropic_message or fault.message},
    }
