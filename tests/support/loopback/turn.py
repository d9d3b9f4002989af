"""What the wires have in common: a request reduced to an `Ask`, a turn to give as a `Reply`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from tests.support.loopback.script import CallUsage, Mode, Script

SHELL_NAMES = re.compile(
    r"^(bash|shell|exec|exec_command|local_shell|shell_command|run_shell_command|terminal|run_command)$", re.I
)
SHELL_LIKE = re.compile(r"shell|bash|terminal|exec", re.I)
COMMAND_KEYS = ("command", "cmd", "script", "input")

Event = tuple[str | None, Any]
"""The name of a server-sent event and its data; a str is sent as it is."""

_ids = count(1)


def fresh_id(prefix: str) -> str:
    """Return an id that no other reply of this process has."""
    return f"{prefix}_{next(_ids):08d}"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the agent offers."""

    name: str
    schema: dict[str, Any]
    kind: str = "function"


@dataclass(frozen=True, slots=True)
class Ask:
    """A request, whatever its wire."""

    model: str
    stream: bool
    tools: tuple[Tool, ...]
    system: str
    user_texts: tuple[str, ...]
    tool_results: tuple[str, ...]
    schema: dict[str, Any] | None = None
    """The JSON Schema the answer must have, for side calls that ask for one."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call to ask for."""

    tool: Tool
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """One turn of the model."""

    model: str
    text: str
    call: Call | None
    stop: Literal["end", "tool", "refusal"]
    usage: CallUsage


@dataclass(frozen=True, slots=True)
class Fault:
    """An error reply: HTTP status and the words of each provider."""

    status: int
    anthropic: str
    openai: str
    openai_code: str | None
    gemini: str
    message: str
    anthropic_status: int | None = None
    anthropic_message: str | None = None


BAD = "invalid_request_error"
FAULTS: dict[Mode, Fault] = {
    "401": Fault(401, "authentication_error", BAD, "invalid_api_key", "UNAUTHENTICATED", "invalid API key"),
    "403": Fault(403, "permission_error", BAD, "forbidden", "PERMISSION_DENIED", "not allowed"),
    "404": Fault(404, "not_found_error", BAD, "model_not_found", "NOT_FOUND", "the model does not exist"),
    "429": Fault(429, "rate_limit_error", "requests", "rate_limit_exceeded", "RESOURCE_EXHAUSTED", "slow"),
    "500": Fault(500, "api_error", "server_error", None, "INTERNAL", "internal error"),
    "529": Fault(529, "overloaded_error", "server_error", None, "UNAVAILABLE", "overloaded"),
    "quota": Fault(
        429,
        BAD,
        "insufficient_quota",
        "insufficient_quota",
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details",
        anthropic_status=400,
        anthropic_message="Your credit balance is too low to access the Anthropic API.",
    ),
    "overflow": Fault(
        400,
        BAD,
        BAD,
        "context_length_exceeded",
        "INVALID_ARGUMENT",
        "prompt is too long: 200001 tokens > 200000 maximum context length",
    ),
}


def flat(value: Any) -> str:
    """Reduce any content form of any provider to its text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(flat(item) for item in value)
    if isinstance(value, dict):
        for key in ("text", "content", "output", "parts", "functionResponse", "response"):
            if key in value:
                return flat(value[key])
        return json.dumps(value)
    return "" if value is None else str(value)


def texts(content: Any) -> list[str]:
    """List the text parts of a message's content, each as it is."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def shell_of(tools: tuple[Tool, ...]) -> Tool | None:
    """Pick the tool that runs shell commands."""
    exact = [tool for tool in tools if SHELL_NAMES.match(tool.name)]
    like = [tool for tool in tools if SHELL_LIKE.search(tool.name)]
    return next(iter(exact + like), None)


def arguments_for(tool: Tool, command: str) -> dict[str, Any]:
    """Fill in a shell tool's schema so that it runs a command."""
    properties = tool.schema.get("properties") or {}
    key = next((key for key in COMMAND_KEYS if key in properties), "command")
    listed = "array" in str((properties.get(key) or {}).get("type"))
    arguments: dict[str, Any] = {key: ["bash", "-c", command] if listed else command}
    defaults = {"string": "run it", "boolean": False, "number": 60, "integer": 60, "array": [], "object": {}}
    for name in tool.schema.get("required") or []:
        arguments.setdefault(name, defaults.get(str((properties.get(name) or {}).get("type")).lower(), {}))
    return arguments


def example(schema: dict[str, Any]) -> Any:
    """Make the smallest value that a JSON Schema of a side call admits."""
    if schema.get("enum"):
        return schema["enum"][0]
    kinds = schema.get("type") or "object"
    kind = str(kinds[0] if isinstance(kinds, list) else kinds).lower()
    if kind == "object":
        return {name: example(part) for name, part in (schema.get("properties") or {}).items()}
    return {"array": [], "number": 50, "integer": 50, "boolean": False}.get(kind, "x")


def commands_for(ask: Ask, script: Script) -> tuple[str, ...]:
    """Return the commands of a run: the one that its prompt asks for, else the script's."""
    pattern = script.obeys
    asked = next((found for text in ask.user_texts if pattern and (found := pattern.search(text))), None)
    return (asked[1],) if asked else script.commands


def reply_to(ask: Ask, script: Script, mode: Mode) -> Reply:
    """Decide the next turn: the command that is due, or the final text."""
    model = script.served_model or ask.model
    if mode == "refusal":
        return Reply(model, "I can't help with that request.", None, "refusal", script.usage)
    if ask.schema is not None:
        return Reply(model, json.dumps(example(ask.schema)), None, "end", script.usage)
    tool, done, commands = shell_of(ask.tools), len(ask.tool_results), commands_for(ask, script)
    if tool and done < len(commands):
        call = Call(tool, arguments_for(tool, commands[done]))
        return Reply(model, script.preamble, call, "tool", script.usage)
    result = ask.tool_results[-1][-2000:] if done else ""
    return Reply(model, script.final.replace("{result}", result), None, "end", script.usage)


def pieces(text: str, size: int) -> list[str]:
    """Cut a text into the chunks it is streamed in; an empty text has none."""
    return [text[i : i + size] for i in range(0, len(text), size)]
