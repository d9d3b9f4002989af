"""Qwen Code's event stream, reduced to the normal form.

`system/init`, one `assistant` per content block, `user` for tool results, then
`result`. A reply of two blocks comes as two events: the first says no tokens,
the last has those of the whole. An API error comes as a text as well. The model
in the stream is the requested one; the usage record, written at the end, names
the one that was served and tells the thoughts apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from mmbench.bench.agents import transcript
from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.failures import classify
from mmbench.bench.agents.settle import Seen, settle
from mmbench.bench.agents.stream import (
    Json,
    added,
    beside,
    count_at,
    dig,
    events,
    list_at,
    minus,
    plain,
    plus,
    text_at,
    usage,
)
from mmbench.outcome import Failure, Outcome, Step, Usage

KNOWN: Final = frozenset({"system", "assistant", "user", "result"})
WRAPPER: Final = re.compile(r"^\[API Error: (.*?)\](?:\n.*)?$", re.S)
NAMED: Final = (
    ("no_answer", re.compile(r"ended with empty response", re.I)),
    ("max_turns", re.compile(r"\bmax(?:imum)?\b.{0,20}\b(?:turns|tool.?calls)|wall.?(?:clock|time)", re.I)),
    ("refusal", re.compile(r"content.?filter|\brefusal\b", re.I)),
)


def parse(raw: RawRun) -> Outcome:
    """Reduce a run of Qwen Code."""
    objects = tuple(_once(events(raw.stdout).objects))
    end = next((event for event in objects if event.get("type") == "result"), None)
    steps = transcript.joined(step for event in objects if _own(event) for step in _steps(event))
    failure = _failure(end, transcript.answer(steps))
    served = _served(raw.extras.get("usage", b""))
    said = [model for event in objects if (model := text_at(event, "message", "model"))]
    told = count_at(end, "num_turns")
    seen = Seen(
        final_text="" if failure else transcript.answer(steps),
        usage=beside(_whole(end, served) if end else Usage(), added(_calls(objects))),
        model=_busiest(served) or (said[-1] if said else None),
        turns=transcript.turns(steps) if told is None else told,
        tool_calls=sum(step.kind == "tool_call" for event in objects for step in _steps(event)),
        failure=failure,
        recognised=any(_known(event) for event in objects),
        finished=end is not None,
        steps=steps,
    )
    return settle(seen, raw)


def _known(event: Json) -> bool:
    return event.get("type") in KNOWN and "uuid" in event


def _once(objects: tuple[Json, ...]) -> Iterator[Json]:
    """Yield each event once: its `uuid` tells a repeated line from a repeated message."""
    done: set[str] = set()
    for event in objects:
        key = text_at(event, "uuid")
        if not key or key not in done:
            done.add(key)
            yield event


def _own(event: Json) -> bool:
    """Tell the agent's events from those of the agents it started."""
    return event.get("parent_tool_use_id") is None


def _steps(event: Json) -> Iterator[Step]:
    if event.get("type") not in ("assistant", "user"):
        return
    for block in list_at(event, "message", "content"):
        kind = text_at(block, "type")
        if kind == "text" and event["type"] == "assistant":
            yield transcript.message(text_at(block, "text"))
        elif kind == "tool_use":
            yield transcript.call(text_at(block, "name"), dig(block, "input"))
        elif kind == "tool_result":
            yield transcript.result(dig(block, "content"))


def _served(record: bytes) -> dict[str, Json]:
    """Return the tokens by served model from the usage record of a run."""
    lines = events(record).objects
    models = dig(lines[-1], "models") if lines else None
    return {plain(name): told for name, told in models.items()} if isinstance(models, dict) else {}


def _busiest(served: dict[str, Json]) -> str | None:
    return max(served, key=lambda name: count_at(served[name], "totalTokens") or 0) if served else None


def _whole(end: Json, served: dict[str, Json]) -> Usage:
    """Return the run's tokens, with the thoughts that only the record tells."""
    total = _usage(dig(end, "usage"))
    thoughts = plus(*(count_at(told, "thoughtsTokens") for told in served.values()))
    return total if total == Usage() else replace(total, reasoning=thoughts)


def _calls(objects: tuple[Json, ...]) -> Iterator[Usage]:
    """Yield the tokens of each reply of a stream that was cut."""
    for event in objects:
        if event.get("type") == "assistant":
            yield _usage(dig(event, "message", "usage"))


def _usage(told: Json) -> Usage:
    """Read tokens: the input includes the cached ones, the output the thoughts, which are not told apart."""
    cached = count_at(told, "cache_read_input_tokens")
    counted = usage(
        uncached=minus(count_at(told, "input_tokens"), cached),
        cache_read=cached,
        output_total=count_at(told, "output_tokens"),
    )
    return transcript.reported(counted)


def _failure(end: Json | None, said: str) -> Failure | None:
    """Find what went wrong: the result's error, or in a cut stream an API error as the last text."""
    if end is None:
        match = WRAPPER.match(said)
        return classify(match[1]) if match else None
    if end.get("is_error") is not True:
        return None
    message = text_at(end, "error", "message") or text_at(end, "result") or text_at(end, "subtype")
    error = WRAPPER.sub(r"\1", message)
    named = next((kind for kind, words in NAMED if words.search(error)), None)
    return Failure(named, error) if named else classify(error)
