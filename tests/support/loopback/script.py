"""The nouns of the loopback server: what it is told to do, what it was asked, what it served."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

Wire = Literal["anthropic", "openai-chat", "openai-responses", "gemini"]
Mode = Literal[
    "ok", "401", "403", "404", "429", "500", "529", "quota", "overflow", "refusal", "hang", "cut", "slow"
]
MODES: tuple[Mode, ...] = Mode.__args__  # type: ignore[attr-defined]

FINAL = "The work is done. The last command printed: <<<{result}>>>"


@dataclass(frozen=True, slots=True)
class CallUsage:
    """Tokens of one model call; each wire reports the parts that exist in it.

    Distinct numbers, so that a figure in the wrong field is seen.
    """

    uncached: int = 700
    cache_read: int = 300
    cache_write: int = 70
    """Only the Anthropic wire has cache writes."""
    visible: int = 43
    reasoning: int = 7
    """The Anthropic wire does not tell reasoning apart: there it is part of the output."""


@dataclass(frozen=True, slots=True)
class UsageServed:
    """One completed model call, in the normal form of `mmbench.outcome.Usage`."""

    wire: Wire
    model: str
    input_uncached: int
    cache_read: int
    cache_write: int
    output_total: int
    reasoning: int
    side: bool = False
    """True when the request offered no tools: a title, a router, a summary."""

    @property
    def input_total(self) -> int:
        """Return the whole input, cached parts included."""
        return self.input_uncached + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Script:
    """What the model does: one shell command per turn, then the final text."""

    commands: tuple[str, ...] = ()
    obeys: re.Pattern[str] | None = None
    """Finds a command in the prompt, as its first group: it is run instead of `commands`."""
    final: str = FINAL
    """`{result}` is replaced by the output of the last command."""
    preamble: str = ""
    """Text that accompanies each tool call."""
    mode: Mode = "ok"
    fail_after: int = 0
    """Good calls (that offer tools) before the mode applies."""
    fail_times: int | None = None
    """How many calls the mode applies to; None for all that follow."""
    retry_after: int | None = None
    served_model: str | None = None
    """The model the server says it is; None for the requested one."""
    usage: CallUsage = field(default_factory=CallUsage)
    chunk: int = 40
    delay_s: float = 0.2
    """Pause between chunks in mode `slow`."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in; `wire` is None for probes."""

    n: int
    at: float
    method: str
    path: str
    wire: Wire | None = None
    model: str | None = None
    stream: bool = False
    api_key: str = ""
    user_agent: str = ""
    tools: tuple[str, ...] = ()
    system: str = ""
    user_texts: tuple[str, ...] = ()
    """Every text of every user message, in order, undecorated."""
    tool_results: tuple[str, ...] = ()
    mode: Mode = "ok"
    """The mode that was applied to it."""
    body: Any = None


def total(served: Iterable[UsageServed], *, side: bool = True) -> UsageServed:
    """Sum what was served, with or without the calls that offered no tools."""
    calls = [call for call in served if side or not call.side]
    if not calls:
        raise ValueError("nothing was served")
    names = ("input_uncached", "cache_read", "cache_write", "output_total", "reasoning")
    sums = {name: sum(getattr(call, name) for call in calls) for name in names}
    return UsageServed(wire=calls[0].wire, model=calls[-1].model, **sums)
