"""Codex's JSON lines: `thread.started`, `turn.started`, `item.*`, `turn.completed` or `turn.failed`.

Traps: items of type `error` and "Reconnecting" events stand in good runs; the
usage of `turn.completed` is the thread's running total; a killed run prints no
usage at all, but the session's own log has it. That log names the model that
was asked for; which one the endpoint served, Codex does not tell.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any, Final

from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.failures import classify
from mmbench.bench.agents.settle import Seen, settle
from mmbench.bench.agents.stream import (
    Events,
    Json,
    added,
    as_text,
    beside,
    count_at,
    dig,
    events,
    minus,
    text_at,
    usage,
)
from mmbench.outcome import Failure, Outcome, Step, Usage

ROLLOUT: Final = "rollout"
"""The name of the extra that holds the session's own log."""

NOT_TOOLS: Final = frozenset({"", "agent_message", "error", "plan", "reasoning", "todo_list"})


def parse(raw: RawRun) -> Outcome:
    """Reduce a run of Codex."""
    stream = events(raw.stdout)
    log = events(raw.extras.get(ROLLOUT, b""))
    ends = [event for event in stream.objects if event.get("type") in ("turn.completed", "turn.failed")]
    end = ends[-1] if ends else None
    texts = [text_at(item, "text") for item in _items(stream) if item.get("type") == "agent_message"]
    seen = Seen(
        final_text=next((text for text in reversed(texts) if text.strip()), ""),
        usage=_usage(stream, log),
        model=next((text_at(event, "payload", "model") for event in log.of("turn_context")), "") or None,
        turns=sum(1 for _ in log.of("token_usage_record")) if log.objects else None,
        tool_calls=len(_tools(stream)),
        failure=_failure(stream, end, raw),
        recognised=any(_known(event) for event in stream.objects),
        finished=end is not None,
        steps=tuple(_steps(stream)),
    )
    return settle(seen, raw)


def _known(event: Json) -> bool:
    return text_at(event, "type").split(".")[0] in ("thread", "turn", "item")


def _items(stream: Events) -> Iterator[Json]:
    """Yield the finished items."""
    for event in stream.of("item.completed"):
        item = event.get("item")
        if isinstance(item, dict):
            yield item


def _tools(stream: Events) -> set[str]:
    """Gather the ids of tool calls, those cut while they ran among them."""
    found = set()
    for event in stream.objects:
        if event.get("type") in ("item.started", "item.completed"):
            item = event.get("item")
            if text_at(item, "type") not in NOT_TOOLS:
                found.add(text_at(item, "id"))
    return found


def _usage(stream: Events, log: Events) -> Usage:
    """Take the stream's last running total; without one, add the calls of the session's own log.

    The log's own totals start again at 0 after a context overflow.
    """
    totals = [event.get("usage") for event in stream.of("turn.completed")]
    payloads = [event.get("payload") for event in log.of("token_usage_record")]
    calls = {text_at(payload, "response_id") or str(n): payload for n, payload in enumerate(payloads)}
    called = added(_normal(dig(payload, "usage")) for payload in calls.values())
    return beside(_normal(totals[-1]) if totals else Usage(), called)


def _normal(told: Any) -> Usage:
    """Turn the CLI's figures around: cached tokens are a part of its input."""
    read = count_at(told, "cached_input_tokens")
    write = count_at(told, "cache_write_input_tokens")
    return usage(
        uncached=minus(minus(count_at(told, "input_tokens"), read), write),
        cache_read=read,
        cache_write=write,
        output_total=count_at(told, "output_tokens"),
        reasoning=count_at(told, "reasoning_output_tokens"),
    )


def _failure(stream: Events, end: Json | None, raw: RawRun) -> Failure | None:
    """Read the failure off the end; without an end, the last error event of a run that failed tells."""
    if end is not None:
        failed = end.get("type") == "turn.failed"
        return classify(text_at(end, "error", "message") or "turn failed") if failed else None
    errors = [text_at(event, "message") for event in stream.of("error")]
    return classify(errors[-1]) if errors and raw.exit_code not in (0, None) else None


def _steps(stream: Events) -> Iterator[Step]:
    for item in _items(stream):
        kind = text_at(item, "type")
        if kind == "agent_message":
            yield Step("message", text_at(item, "text"))
        elif kind == "command_execution":
            yield Step("tool_call", _command(text_at(item, "command")), kind)
            yield Step("tool_result", text_at(item, "aggregated_output"), kind)
        elif kind not in NOT_TOOLS:
            yield Step("tool_call", as_text(item), kind)


def _command(line: str) -> str:
    """Take a command out of the shell that runs it."""
    try:
        words = shlex.split(line)
    except ValueError:
        return line
    return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else line
