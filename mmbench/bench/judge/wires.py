"""How each kind of endpoint is asked and answers. A further one is one class here and one line in `WIRES`."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import Any, ClassVar, Protocol

from mmbench.bench.judge.question import Answer, AskError, Image, Question

MAX_TOKENS = 4_096
"""Enough for a reply, and for a thought before it."""
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Post:
    """One HTTP request, its path below the endpoint's base URL."""

    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: Json


class Wire(Protocol):
    """A protocol: `post` builds a request, `read` takes the JSON of a good answer apart."""

    hosts: ClassVar[tuple[str, ...]]
    """Hosts that are known to speak it."""

    def post(self, question: Question, model: str, key: str, without: frozenset[str]) -> Post:
        """Build the request, with what the endpoint does not take left out."""

    def read(self, value: Any) -> Answer:
        """Return the answer; raises AskError for JSON that is none."""


class OpenAI:
    """Chat completions, as most servers offer them."""

    hosts: ClassVar[tuple[str, ...]] = ("openrouter.ai", "api.openai.com")

    def post(self, question: Question, model: str, key: str, without: frozenset[str]) -> Post:
        """Ask with a response format of the reply's schema."""
        limit = "max_completion_tokens" if "max_tokens" in without else "max_tokens"
        content: list[Json] = [{"type": "text", "text": question.text}]
        for image in shown(question, without):
            content.append({"type": "text", "text": image.label})
            content.append({"type": "image_url", "image_url": {"url": _data_url(image)}})
        body: Json = {
            "model": model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": content if len(content) > 1 else question.text},
            ],
            limit: MAX_TOKENS,
        }
        if "temperature" not in without:
            body["temperature"] = 0
        if "schema" not in without:
            form = {"name": "verdict", "strict": True, "schema": reply_schema(question, without)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return Post("chat/completions", {"Authorization": f"Bearer {key}"} if key else {}, body)

    def read(self, value: Any) -> Answer:
        """Take the first choice; a refusal and a cut are told apart from a text."""
        choice = _first(_object(value).get("choices"), "choices")
        message = _object(choice.get("message"))
        content = message.get("content")
        if isinstance(content, list):
            content = "".join(str(_object(part).get("text", "")) for part in content)
        usage = _object(value.get("usage") or {})
        return Answer(
            text=_text(content or message.get("refusal") or ""),
            cut=choice.get("finish_reason") == "length",
            refused=bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter",
            served_model=_name(value.get("model")),
            prompt_tokens=_count(usage.get("prompt_tokens")),
            completion_tokens=_count(usage.get("completion_tokens")),
        )


class Anthropic:
    """Anthropic's Messages; the schema is that of a tool which the model must call."""

    hosts: ClassVar[tuple[str, ...]] = ("api.anthropic.com",)

    def post(self, question: Question, model: str, key: str, without: frozenset[str]) -> Post:
        """Ask for a call of the tool `verdict`."""
        content: list[Json] = [{"type": "text", "text": question.text}]
        for image in shown(question, without):
            source = {"type": "base64", "media_type": image.media_type, "data": _base64(image)}
            content += [{"type": "text", "text": image.label}, {"type": "image", "source": source}]
        body: Json = {
            "model": model,
            "system": question.system,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": MAX_TOKENS,
        }
        if "temperature" not in without:
            body["temperature"] = 0
        if "schema" not in without:
            schema = reply_schema(question, without)
            body["tools"] = [{"name": "verdict", "description": "Give the verdict.", "input_schema": schema}]
            body["tool_choice"] = {"type": "tool", "name": "verdict"}
        return Post("messages", {"x-api-key": key, "anthropic-version": "2023-06-01"}, body)

    def read(self, value: Any) -> Answer:
        """Take the call of the tool as the reply, else the text."""
        blocks = [_object(block) for block in _list(_object(value).get("content"), "content")]
        calls = [block.get("input") for block in blocks if block.get("type") == "tool_use"]
        text = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
        usage = _object(value.get("usage") or {})
        return Answer(
            text=json.dumps(calls[0], ensure_ascii=False) if len(calls) == 1 else text,
            cut=value.get("stop_reason") == "max_tokens",
            refused=value.get("stop_reason") == "refusal",
            served_model=_name(value.get("model")),
            prompt_tokens=_count(usage.get("input_tokens")),
            completion_tokens=_count(usage.get("output_tokens")),
        )


class Gemini:
    """Google's generateContent, with a response schema."""

    hosts: ClassVar[tuple[str, ...]] = ("generativelanguage.googleapis.com",)

    def post(self, question: Question, model: str, key: str, without: frozenset[str]) -> Post:
        """Ask for JSON of the reply's schema."""
        parts: list[Json] = [{"text": question.text}]
        for image in shown(question, without):
            inline = {"mimeType": image.media_type, "data": _base64(image)}
            parts += [{"text": image.label}, {"inlineData": inline}]
        settings: Json = {"maxOutputTokens": MAX_TOKENS}
        if "temperature" not in without:
            settings["temperature"] = 0
        if "schema" not in without:
            settings["responseMimeType"] = "application/json"
            settings["responseJsonSchema"] = reply_schema(question, without)
        body = {
            "systemInstruction": {"parts": [{"text": question.system}]},
            "contents": [{"role": "user", "parts": parts}],
            "generationConfig": settings,
        }
        name = model.removeprefix("models/")
        return Post(f"models/{name}:generateContent", {"x-goog-api-key": key}, body)

    def read(self, value: Any) -> Answer:
        """Take the first candidate without its thoughts; a blocked prompt is a refusal."""
        usage = _object(_object(value).get("usageMetadata") or {})
        blocked = _object(value.get("promptFeedback") or {}).get("blockReason")
        candidate: Json = {} if blocked else _first(value.get("candidates"), "candidates")
        parts = _object(candidate.get("content") or {}).get("parts") or []
        spoken = [part for part in map(_object, parts) if not part.get("thought")]
        reason = candidate.get("finishReason")
        return Answer(
            text="".join(str(part.get("text", "")) for part in spoken),
            cut=reason == "MAX_TOKENS",
            refused=bool(blocked) or reason not in (None, "STOP", "MAX_TOKENS"),
            served_model=_name(value.get("modelVersion")),
            prompt_tokens=_count(usage.get("promptTokenCount")),
            completion_tokens=_count(usage.get("candidatesTokenCount")),
        )


WIRES: dict[str, type[Wire]] = {
    "openai": OpenAI,
    "anthropic": Anthropic,
    "gemini": Gemini,
}


def shown(question: Question, without: frozenset[str]) -> tuple[Image, ...]:
    """Return the pictures that go into a request."""
    return () if "images" in without else question.images


def reply_schema(question: Question, without: frozenset[str]) -> Any:
    """Return the reply's schema; without its bounds for endpoints that do not know them."""
    return unbounded(question.schema) if "bounds" in without else question.schema


def unbounded(schema: Any) -> Any:
    """Return a schema without bounds on figures and lengths: replies are checked here in any case."""
    if isinstance(schema, Mapping):
        bounds = {"minimum", "maximum", "maxLength"}
        return {name: unbounded(value) for name, value in schema.items() if name not in bounds}
    return schema


def _base64(image: Image) -> str:
    return base64.b64encode(image.data).decode()


def _data_url(image: Image) -> str:
    return f"data:{image.media_type};base64,{_base64(image)}"


def _object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise AskError("bad_answer", "The endpoint's answer is not of the form of its API.")
    return value


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise AskError("bad_answer", f"The endpoint's answer has no {name}.")
    return value


def _first(value: Any, name: str) -> Json:
    listed = _list(value, name)
    if not listed:
        raise AskError("bad_answer", f"The endpoint's answer has no {name}.")
    return _object(listed[0])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise AskError("bad_answer", "The endpoint's answer holds no text.")
    return value


def _name(value: Any) -> str | None:
    """Return a model's name; local servers give the path of its file, which is nobody's business."""
    if not isinstance(value, str) or not value:
        return None
    is_path = value.startswith(("/", "~", "\\\\")) or PureWindowsPath(value).drive != ""
    return (PureWindowsPath(value).name if is_path else value)[:200]


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
