"""OpenAI Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.loopback.turn import Ask, Event, Fault, Reply, Tool, flat, fresh_id, pieces, texts

STOPS = {"end": "stop", "tool": "tool_calls", "refusal": "stop"}


def read(body: dict[str, Any], path: str) -> Ask:
    """Reduce a Chat Completions request."""
    messages = body.get("messages") or []
    functions = [tool.get("function") or {} for tool in body.get("tools") or []]
    by_role = {role: [m for m in messages if m.get("role") == role] for role in ("user", "tool")}
    system = [m for m in messages if m.get("role") in ("system", "developer")]
    return Ask(
        model=body.get("model", ""),
        stream=bool(body.get("stream")),
        tools=tuple(Tool(f.get("name", ""), f.get("parameters") or {}) for f in functions),
        system="\n".join(flat(m.get("content")) for m in system),
        user_texts=tuple(text for m in by_role["user"] for text in texts(m.get("content"))),
        tool_results=tuple(flat(m.get("content")) for m in by_role["tool"]),
        schema=((body.get("response_format") or {}).get("json_schema") or {}).get("schema"),
    )


def usage(reply: Reply) -> dict[str, Any]:
    """Return the usage object: cached tokens are part of the prompt, reasoning of the completion."""
    use = reply.usage
    prompt, completion = use.uncached + use.cache_read, use.visible + use.reasoning
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": use.cache_read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": use.reasoning},
    }


def _tool_calls(reply: Reply) -> list[dict[str, Any]]:
    if not reply.call:
        return []
    function = {"name": reply.call.tool.name, "arguments": json.dumps(reply.call.arguments)}
    return [{"id": fresh_id("call"), "type": "function", "function": function}]


def whole(reply: Reply) -> dict[str, Any]:
    """Return the answer to a request that does not stream."""
    key = "refusal" if reply.stop == "refusal" else "content"
    message: dict[str, Any] = {"role": "assistant", "content": None, key: reply.text or None}
    if reply.call:
        message["tool_calls"] = _tool_calls(reply)
    choice = {"index": 0, "message": message, "finish_reason": STOPS[reply.stop]}
    head = {"id": fresh_id("chatcmpl"), "object": "chat.completion", "created": 1, "model": reply.model}
    return {**head, "choices": [choice], "usage": usage(reply)}


def events(reply: Reply, chunk: int) -> Iterator[Event]:
    """Yield the answer to a request that streams; the usage comes last and without a choice."""
    head = {"id": fresh_id("chatcmpl"), "object": "chat.completion.chunk", "created": 1, "model": reply.model}

    def delta(value: dict[str, Any], finish: str | None = None) -> Event:
        return None, {**head, "choices": [{"index": 0, "delta": value, "finish_reason": finish}]}

    yield delta({"role": "assistant", "content": ""})
    key = "refusal" if reply.stop == "refusal" else "content"
    for piece in pieces(reply.text, chunk):
        yield delta({key: piece})
    for index, call in enumerate(_tool_calls(reply)):
        yield delta({"tool_calls": [{"index": index, **call}]})
    yield delta({}, STOPS[reply.stop])
    yield None, {**head, "choices": [], "usage": usage(reply)}
    yield None, "[DONE]"


def error(fault: Fault) -> dict[str, Any]:
    """Return the error body."""
    return {
        "error": {"message": fault.message, "type": fault.openai, "param": None, "code": fault.openai_code}
    }
