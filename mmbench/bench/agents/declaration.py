"""A simple agent CLI declared in a TOML file: what the file may say, read and checked.

`schemas/agent.schema.json` has its form; docs/custom-agents.md explains it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from mmbench.bench.agents.base import Wire
from mmbench.errors import UsageError, unknown
from mmbench.schema import first_fault

Steps = tuple[str, ...]
Take = Literal["first", "last", "join", "sum", "count"]
Format = Literal["text", "json", "jsonl"]

PLACEHOLDERS = ("prompt", "model", "workdir", "home", "path", "timeout", "base_url", "api_key")
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
DOCS = "docs/custom-agents.md has the whole form."


@dataclass(frozen=True, slots=True)
class Match:
    """Values that stand at places of an event; the empty one fits every event."""

    values: tuple[tuple[Steps, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """Where a figure or a text is: in which events, at which path, and which of several."""

    path: Steps = ()
    where: Match = Match()
    take: Take = "last"


@dataclass(frozen=True, slots=True)
class Output:
    """How to read what the program left; `None` for what it does not tell."""

    format: Format
    file: str | None = None
    id: Steps = ()
    end: Match | None = None
    failed: Match | None = None
    rules: Mapping[str, Rule] = field(default_factory=dict)
    """By name: text, error, model, turns, tool_calls."""
    usage: Mapping[str, Rule] = field(default_factory=dict)
    input_includes_cache: bool = False
    output_includes_reasoning: bool = True


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared agent CLI."""

    name: str
    adapter_version: str
    argv: tuple[str, ...]
    version_argv: tuple[str, ...]
    output: Output
    stdin: str = ""
    wire: Wire | None = None
    can_ask: bool = True
    default_model: str | None = None
    credentials_env: tuple[str, ...] = ()
    credentials_files: tuple[str, ...] = ()
    model_aliases: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    endpoint_env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    endpoint_files: Mapping[str, str] = field(default_factory=dict)


def read(path: Path) -> Declaration:
    """Read and check a declaration; raises UsageError that names the file and the key."""
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"The agent's declaration cannot be read: {reason}.", where=str(path), fix=DOCS
        ) from error
    fault = first_fault("agent", told)
    if fault:
        raise _wrong(path, fault.pointer.strip("/").replace("/", "."), fault.reason)
    for key, text in _templates(told):
        for name in PLACEHOLDER.findall(text):
            if name not in PLACEHOLDERS:
                reason = str(
                    unknown("placeholder", f"{{{name}}}", [f"{{{known}}}" for known in PLACEHOLDERS])
                )
                raise _wrong(path, key, reason)
    if not any("{prompt}" in text for key, text in _templates(told)):
        raise _wrong(
            path, "argv", "neither `argv` nor `stdin` has {prompt}: the agent would not get its task"
        )
    return _declaration(told)


def _wrong(path: Path, key: str, reason: str) -> UsageError:
    place = f"{path}, key `{key}`" if key else str(path)
    return UsageError(f"The agent's declaration is wrong: {reason.rstrip('.')}.", where=place, fix=DOCS)


def _templates(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the keys whose braces are placeholders; a file's may be its own."""
    for index, text in enumerate(told["argv"]):
        yield f"argv.{index}", text
    yield "stdin", told.get("stdin", "")
    for table in ("env", "endpoint_env"):
        for name, text in told.get(table, {}).items():
            yield f"{table}.{name}", text


def _declaration(told: Mapping[str, Any]) -> Declaration:
    lists = ("argv", "version_argv", "credentials_env", "credentials_files")
    plain: dict[str, Any] = {
        key: tuple(value) if key in lists else value for key, value in told.items() if key != "output"
    }
    return Declaration(**plain, output=_output(told["output"]))


def _output(told: Mapping[str, Any]) -> Output:
    usage = dict(told.get("usage", {}))
    flags = {
        key: usage.pop(key) for key in ("input_includes_cache", "output_includes_reasoning") if key in usage
    }
    named = ("text", "error", "model", "turns", "tool_calls")
    return Output(
        format=cast(Format, told["format"]),
        file=told.get("file"),
        id=_steps(told.get("id", "")),
        end=_match(told["end"]) if "end" in told else None,
        failed=_match(told["failed"]) if "failed" in told else None,
        rules={name: _rule(told[name]) for name in named if name in told},
        usage={name: _rule(rule) for name, rule in usage.items()},
        **flags,
    )


def _rule(told: Mapping[str, Any]) -> Rule:
    return Rule(_steps(told.get("path", "")), _match(told.get("where", {})), told.get("take", "last"))


def _match(told: Mapping[str, Any]) -> Match:
    return Match(tuple((_steps(path), value) for path, value in told.items()))


def _steps(path: str) -> Steps:
    return tuple(path.split(".")) if path else ()
