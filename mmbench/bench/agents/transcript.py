"""The steps of a run as parsers gather them, and what follows from their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mmbench.bench.agents.stream import as_text, plain, text_at
from mmbench.outcome import Step, Usage

COMMAND_KEYS = ("command", "cmd")


def message(text: str) -> Step:
    """Build the step of something the agent said."""
    return Step("message", plain(text))


def call(name: str, arguments: Any) -> Step:
    """Build the step of a tool call: its shell command where there is one, else its arguments as JSON."""
    command = next((text for key in COMMAND_KEYS if (text := text_at(arguments, key))), None)
    return Step("tool_call", command or as_text(arguments), plain(name) or None)


def result(text: Any, name: str = "") -> Step:
    """Build the step of what a tool gave back."""
    return Step("tool_result", as_text(text), plain(name) or None)


def joined(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Put messages that follow each other, as deltas do, into one; drop empty ones."""
    merged: list[Step] = []
    for step in steps:
        if step.kind == "message" and merged and merged[-1].kind == "message":
            merged[-1] = replace(merged[-1], text=merged[-1].text + step.text)
        elif step.kind != "message" or step.text:
            merged.append(step)
    return tuple(merged)


def answer(steps: Iterable[Step]) -> str:
    """Return what was said after the last tool call: text before one is no answer."""
    texts: list[str] = []
    for step in steps:
        if step.kind == "message":
            texts.append(step.text)
        else:
            texts.clear()
    return "".join(texts).strip()


def turns(steps: Iterable[Step]) -> int:
    """Count the model's replies: each begins at the start or after a tool's result."""
    count, replying = 0, False
    for step in steps:
        if step.kind == "tool_result":
            replying = False
        elif not replying:
            count, replying = count + 1, True
    return count


def calls(steps: Iterable[Step]) -> int:
    """Count the tool calls."""
    return sum(step.kind == "tool_call" for step in steps)


def reported(usage: Usage) -> Usage:
    """Take a report of no token at all for none: a model call cannot cost nothing."""
    counts = (usage.input_total, usage.output_total)
    return Usage(cost_usd=usage.cost_usd or None) if not any(counts) else usage
