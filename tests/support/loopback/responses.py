"""OpenAI Responses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.support.loopback.chat import error
from tests.support.loopback.turn import Ask, Event, Reply, Tool, flat, fresh_id, pieces, texts

__all__ = ["error", "events", "read", "usage", "whole"]

OUTPUTS = {"function_call_output", "local_shell_call_output", "custom_tool_call_output"}


def read(body: dict[str, Any], path: str) -> Ask:
    """Reduce a Responses request; the input is a text or a list of items."""
    items = body.get("input") or []
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    users = [item for item in items if item.get("role") == "user"]
    outer = [item for item in items if item.get("role") in ("system", "developer")]
    form = (body.get("text") or {}).get("format") or {}
    return Ask(
        model=body.get("model", ""),
        stream=bool(body.get("stream")),
        tools=tuple(
            Tool(t.get("name") or t.get("type", ""), t.get("parameters") or {}, t.get("type", "function"))
            for t in body.get("tools") or []
        ),
        system="\n".join([body.get("instructions") or "", *(flat(item.get("content")) for item in outer)]),
        user_texts=tuple(text for item in users for text in texts(item.get("content"))),
        tool_results=tuple(flat(item.get("output")) for item in items if item.get("type") in OUTPUTS),
        schema=form.get("schema"),
    )


def usage(reply: Reply) -> dict[str, Any]:
    """Return the usage object: cached tokens are part of the input, reasoning of the output."""
    use = reply.usage
    taken, given = use.uncached + use.cache_read, use.visible + use.reasoning
    return {
        "input_tokens": taken,
        "input_tokens_details": {"cached_tokens": use.cache_read},
        "output_tokens": given,
        "output_tokens_details": {"reasoning_tokens": use.reasoning},
        "total_tokens": taken + given,
    }


def _message(reply: Reply) -> dict[str, Any]:
    if reply.stop == "refusal":
        part: dict[str, Any] = {"type": "refusal", "refusal": reply.text}
    else:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
    head = {"type": "message", "id": fresh_id("msg"), "role": "assistant", "status": "completed"}
    return {**head, "content": [part]}


def _call(reply: Reply) -> dict[str, Any]:
    assert reply.call
    head = {"call_id": fresh_id("call"), "status": "completed"}
    if reply.call.tool.kind == "local_shell":
        command = next(iter(reply.call.arguments.values()))
        argv = command if isinstance(command, list) else ["bash", "-c", command]
        action = {"type": "exec", "command": argv, "env": {}}
        return {"type": "local_shell_call", "id": fresh_id("lsh"), **head, "action": action}
    function = {"name": reply.call.tool.name, "arguments": json.dumps(reply.call.arguments)}
    return {"type": "function_call", "id": fresh_id("fc"), **head, **function}


def items(reply: Reply) -> list[dict[str, Any]]:
    """Return the output items of a turn."""
    found = [_message(reply)] if reply.text else []
    return [*found, _call(reply)] if reply.call else found


def whole(reply: Reply) -> dict[str, Any]:
    """Return the answer to a request that does not stream."""
    head = {
        "id": fresh_id("resp"),
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "error": None,
    }
    return {**head, "model": reply.model, "output": items(reply), "usage": usage(reply)}


def events(reply: Reply, chunk: int) -> Iterator[Event]:
    """Yield the answer to a request that streams."""
    response, numbers = whole(reply), count()

    def event(kind: str, **data: Any) -> Event:
        return kind, {"type": kind, "sequence_number": next(numbers), **data}

    yield event(
        "response.created", response={**response, "status": "in_progress", "output": [], "usage": None}
    )
    for index, item in enumerate(response["output"]):
        for kind, data in _item(item, chunk):
            yield event(kind, output_index=index, **data)
    yield event("response.completed", response=response)


def _item(item: dict[str, Any], chunk: int) -> Iterator[tuple[str, dict[str, Any]]]:
    started = {**item, "status": "in_progress"}
    if item["type"] == "message":
        part = item["content"][0]
        name = "output_text" if part["type"] == "output_text" else "refusal"
        key = "text" if name == "output_text" else "refusal"
        where = {"item_id": item["id"], "content_index": 0}
        yield "response.output_item.added", {"item": {**started, "content": []}}
        yield "response.content_part.added", {**where, "part": {**part, key: ""}}
        for piece in pieces(part[key], chunk):
            yield f"response.{name}.delta", {**where, "delta": piece}
        yield f"response.{name}.done", {**where, key: part[key]}
        yield "response.content_part.done", {**where, "part": part}
    elif item["type"] == "function_call":
        where = {"item_id": item["id"]}
        yield "response.output_item.added", {"item": {**started, "arguments": ""}}
        yield "response.function_call_arguments.delta", {**where, "delta": item["arguments"]}
        yield "response.function_call_arguments.done", {**where, "arguments": item["arguments"]}
    yield "response.output_item.done", {"item": item}
