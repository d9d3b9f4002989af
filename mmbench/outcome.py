"""What one attempt at a trial came to, in the one form that every agent is reduced to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Status = Literal[
    "completed",
    "timeout",
    "agent_error",
    "no_answer",
    "infra_error",
    "contaminated",
    "model_fallback",
    "cancelled",
    "skipped",
]
Parse = Literal["ok", "partial", "unknown"]

GRADED: frozenset[Status] = frozenset({"completed", "timeout", "agent_error", "no_answer"})
"""Statuses that are the agent's own doing: they are graded and they count.

The others say nothing about the agent: no score, and run again by resume unless the plan left them out.
"""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of one attempt; None where the agent does not report the figure.

    `input_total = input_uncached + cache_read + cache_write`; `output_total`
    includes `reasoning`. `lower_bound` says that the stream was cut, so the
    true figures are at least these. `input_by_calls` is the input once more,
    added up from the single calls, where the agent tells those beside its total.
    """

    input_total: int | None = None
    input_uncached: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output_total: int | None = None
    reasoning: int | None = None
    cost_usd: float | None = None
    lower_bound: bool = False
    input_by_calls: int | None = None


DISPUTE = 0.05
"""Share by which an agent's total and the sum of its calls may differ before its tokens are in doubt."""


def disputed(total: int | None, by_calls: int | None) -> bool:
    """Tell whether an agent's own total of input tokens is not what its calls add up to."""
    return total is not None and by_calls is not None and abs(total - by_calls) > DISPUTE * max(total, 1)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt is not `completed`: a closed kind and a message for people.

    Kinds of infrastructure: auth, rate_limit, server_error, no_server, dns,
    quota, missing_model, cli_missing, cli_version, argv_limit, setup, disk,
    harness. Kinds of the agent: crash, refusal, rejected_tool, timeout,
    output_limit, disk_limit, process_limit, memory_limit, no_answer,
    context_overflow, max_turns. `unknown` is infrastructure until classified.
    """

    kind: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a transcript: what the agent said, called, or got back."""

    kind: Literal["message", "tool_call", "tool_result"]
    text: str
    name: str | None = None
    """The tool's name, for calls and results where the stream tells it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The normal form of an agent's run."""

    status: Status
    final_text: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    turns: int | None = None
    tool_calls: int | None = None
    failure: Failure | None = None
    parse: Parse = "ok"
    steps: tuple[Step, ...] = ()
    """The transcript in order, as far as the stream shows it."""
