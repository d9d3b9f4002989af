"""Gemini generateContent and streamGenerateContent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.loopback.turn import Ask, Event, Fault, Reply, Tool, flat, fresh_id, pieces, texts

STOPS = {"end": "STOP", "tool": "STOP", "refusal": "SAFETY"}


def read(body: dict[str, Any], path: str) -> Ask:
    """Reduce a generateContent request; the model's name stands in the path."""
    users = [c for c in body.get("contents") or [] if c.get("role") in (None, "user", "function")]
    parts = [part for content in users for part in content.get("parts") or []]
    declared = [f for t in body.get("tools") or [] for f in t.get("functionDeclarations") or []]
    config = body.get("generationConfig") or {}
    wants_json = "json" in (config.get("responseMimeType") or "")
    return Ask(
        model=path.split("?")[0].split("/models/")[-1].split(":")[0],
        stream="streamGenerateContent" in path,
        tools=tuple(
            Tool(f.get("name", ""), f.get("parametersJsonSchema") or f.get("parameters") or {})
            for f in declared
        ),
        system=flat(body.get("systemInstruction") or ""),
        user_texts=tuple(text for content in users for text in texts(content.get("parts"))),
        tool_results=tuple(
            flat(part["functionResponse"].get("response")) for part in parts if "functionResponse" in part
        ),
        schema=(config.get("responseJsonSchema") or config.get("responseSchema") or {})
        if wants_json
        else None,
    )


def usage(reply: Reply) -> dict[str, Any]:
    """Return the usage object: cached tokens are part of the prompt, thoughts stand beside the candidates."""
    use = reply.usage
    prompt = use.uncached + use.cache_read
    return {
        "promptTokenCount": prompt,
        "candidatesTokenCount": use.visible,
        "cachedContentTokenCount": use.cache_read,
        "thoughtsTokenCount": use.reasoning,
        "totalTokenCount": prompt + use.visible + use.reasoning,
    }


def _response(reply: Reply, parts: list[dict[str, Any]], *, last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if last:
        candidate["finishReason"] = STOPS[reply.stop]
    head = {"candidates": [candidate], "modelVersion": reply.model, "responseId": fresh_id("r")}
    return {**head, "usageMetadata": usage(reply)} if last else head


def _call_part(reply: Reply) -> list[dict[str, Any]]:
    if not reply.call:
        return []
    call = {"name": reply.call.tool.name, "args": reply.call.arguments}
    return [{"functionCall": call, "thoughtSignature": "c2ln"}]


def whole(reply: Reply) -> dict[str, Any]:
    """Return the answer to a request that does not stream."""
    text = [{"text": reply.text}] if reply.text and reply.stop != "refusal" else []
    return _response(reply, text + _call_part(reply), last=True)


def events(reply: Reply, chunk: int) -> Iterator[Event]:
    """Yield the answer to a request that streams; a blocked one has no text."""
    if reply.stop != "refusal":
        for piece in pieces(reply.text, chunk):
            yield None, _response(reply, [{"text": piece}], last=False)
    yield None, _response(reply, _call_part(reply) or [{"text": ""}], last=True)


def error(fault: Fault) -> dict[str, Any]:
    """Return the error body; a spent quota carries the details that tell it from a rate limit."""
    body: dict[str, Any] = {"code": fault.status, "message": fault.message, "status": fault.gemini}
    if fault.openai_code == "insufficient_quota":
        violation = {
            "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
            "quotaMetric": "requests",
        }
        kind = "type.googleapis.com/google.rpc.QuotaFailure"
        body["details"] = [{"@type": kind, "violations": [violation]}]
    return {"error": body}
