"""What Hermes leaves, reduced to the normal form.

Its standard output is the answer, or an error that looks like one, with exit
code 0. The usage file tells them apart; the session database has the transcript,
and the tokens of a run that was killed before it wrote the file. The model it
names is the requested one: a fallback behind the endpoint does not show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mmbench.bench.agents import transcript
from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.database import Row, rows
from mmbench.bench.agents.failures import classify
from mmbench.bench.agents.settle import Seen, settle
from mmbench.bench.agents.stream import (
    Json,
    added,
    amount_at,
    beside,
    count_at,
    decode,
    document,
    list_at,
    plus,
    text_at,
    usage,
)
from mmbench.bench.agents.stream import (
    parse as parse_json,
)
from mmbench.outcome import Failure, Outcome, Step, Usage

SESSIONS: Final = (
    "SELECT model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,"
    " estimated_cost_usd, cost_status, api_call_count, tool_call_count FROM sessions"
)
MESSAGES: Final = "SELECT role, content, tool_calls, tool_name, finish_reason FROM messages ORDER BY id"
MAX_TURNS: Final = 90
"""The CLI's own limit of model calls per run."""
NO_REPLY: Final = re.compile(r"^⚠️\s+No reply:")
DECLINED: Final = re.compile(r"^⚠️\s+The model declined to respond")
CUT_OFF: Final = "cut off by a network error"
"""Words of the message with which the CLI asks the model to go on after a broken stream."""


def parse(raw: RawRun) -> Outcome:
    """Reduce a run of Hermes."""
    report = document(raw.extras.get("usage", b""))
    state, log = raw.extras.get("state", b""), raw.extras.get("state-wal", b"")
    sessions, messages = rows(state, log, SESSIONS, MESSAGES)
    steps = transcript.joined(step for row in messages for step in _steps(row))
    said = decode(raw.stdout).strip()
    failure = _failure(report, said, messages) if report else None
    seen = Seen(
        final_text=_answer(said, failure) if report else transcript.answer(steps),
        usage=beside(_usage(report), added(_usage(row) for row in sessions)),
        model=text_at(report, "model") or next((text_at(row, "model") for row in sessions), "") or None,
        turns=_sum(sessions, "api_call_count") if sessions else count_at(report, "api_calls"),
        tool_calls=_sum(sessions, "tool_call_count"),
        failure=failure,
        recognised="completed" in report or bool(sessions),
        finished="completed" in report,
        steps=steps,
    )
    return settle(seen, raw)


def _sum(sessions: list[Row], column: str) -> int | None:
    return plus(*(count_at(row, column) for row in sessions))


def _usage(told: Json | Row) -> Usage:
    """Read tokens: the input leaves the cached ones out, the output includes the reasoning."""
    cost = amount_at(told, "estimated_cost_usd")
    counted = usage(
        uncached=count_at(told, "input_tokens"),
        cache_read=count_at(told, "cache_read_tokens"),
        cache_write=count_at(told, "cache_write_tokens"),
        output_total=count_at(told, "output_tokens"),
        reasoning=count_at(told, "reasoning_tokens"),
        cost_usd=None if text_at(told, "cost_status") in ("", "unknown") else cost,
    )
    return transcript.reported(counted)


def _answer(said: str, failure: Failure | None) -> str:
    return "" if failure or NO_REPLY.match(said) else said


def _failure(report: Json, said: str, messages: list[Row]) -> Failure | None:
    """Find what went wrong; what stands on standard output is then its description."""
    if DECLINED.match(said):
        return Failure("refusal", said)
    if report.get("failed") is True:
        return classify(text_at(report, "failure") or said)
    if report.get("completed") is True:
        return None
    if any(CUT_OFF in text_at(row, "content") for row in messages if text_at(row, "role") == "user"):
        return Failure("server_error", "The endpoint broke its streams off.")
    if (count_at(report, "api_calls") or 0) >= MAX_TURNS:
        return Failure("max_turns", said)
    return Failure("crash", f"The run ended before its end. {said}".strip())


def _steps(row: Row) -> Iterator[Step]:
    """Yield the steps of a message; the prompt is none."""
    role, text = text_at(row, "role"), text_at(row, "content")
    if role == "tool":
        yield transcript.result(text, text_at(row, "tool_name"))
    elif role == "assistant":
        yield transcript.message("" if text == "(empty)" else text)
        for call in list_at({"calls": parse_json(text_at(row, "tool_calls"))}, "calls"):
            arguments = text_at(call, "function", "arguments")
            yield transcript.call(text_at(call, "function", "name"), parse_json(arguments) or arguments)
