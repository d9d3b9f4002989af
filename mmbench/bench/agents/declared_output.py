"""What a declared agent CLI left, read by the rules of its declaration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.declaration import Declaration, Match, Output, Rule, Steps
from mmbench.bench.agents.failures import classify
from mmbench.bench.agents.settle import Seen, settle
from mmbench.bench.agents.stream import (
    Json,
    amount_at,
    as_text,
    count_at,
    decode,
    document,
    events,
    plus,
    tail,
)
from mmbench.bench.agents.transcript import message, reported
from mmbench.outcome import Failure, Outcome, Step, Usage


def parse(declaration: Declaration, raw: RawRun) -> Outcome:
    """Reduce a run of a declared CLI."""
    output = declaration.output
    data = raw.extras.get("output", b"") if output.file else raw.stdout
    seen = _seen_text(data, raw) if output.format == "text" else _seen_events(output, data, raw)
    return settle(seen, raw, declaration.model_aliases)


def _seen_text(data: bytes, raw: RawRun) -> Seen:
    """Take all of it as the answer; only the exit code tells whether it is one."""
    text = decode(data).strip()
    done = raw.ended == "exit" and raw.exit_code == 0
    return Seen(
        final_text=text,
        failure=None if done or raw.ended != "exit" else _exit_failure(raw, text),
        recognised=done or bool(text),
        finished=done,
        steps=_said(text),
    )


def _exit_failure(raw: RawRun, text: str = "") -> Failure:
    """Judge a non-zero exit code by what was written beside it."""
    words = tail(raw.stderr) or text[-500:]
    told = classify(words)
    if told.kind != "unknown":
        return told
    return Failure("crash", f"The program ended with exit code {raw.exit_code}. {words}".strip())


def _seen_events(output: Output, data: bytes, raw: RawRun) -> Seen:
    objects = _objects(output, data)
    end = any(fits(output.end, event) for event in objects) if output.end else bool(objects)
    failure = _failure(output, objects)
    if failure is None and end and raw.exit_code not in (0, None):
        failure = _exit_failure(raw)
    text = _text(output, objects, "text").strip()
    return Seen(
        final_text="" if failure else text,
        usage=_usage(output, objects),
        model=_text(output, objects, "model") or None,
        turns=_count(output.rules.get("turns"), objects),
        tool_calls=_count(output.rules.get("tool_calls"), objects),
        failure=failure,
        recognised=end or any(_known(output, event) for event in objects),
        finished=end,
        steps=_said(text),
    )


def _said(text: str) -> tuple[Step, ...]:
    return (message(text),) if text else ()


def _objects(output: Output, data: bytes) -> list[Json]:
    """List the events, each once where they have names."""
    if output.format == "json":
        value = document(data)
        return [value] if value else []
    kept: list[Json] = []
    done: set[str] = set()
    for event in events(data).objects:
        name = next((as_text(value) for value in found(event, output.id)), "") if output.id else ""
        if not name or name not in done:
            done.add(name)
            kept.append(event)
    return kept


def _known(output: Output, event: Json) -> bool:
    """Tell an event that a rule looks for from any other JSON."""
    return any(
        True for rule in (*output.rules.values(), *output.usage.values()) for _ in _values(rule, [event])
    )


def _failure(output: Output, objects: list[Json]) -> Failure | None:
    """Find what the output says went wrong: an error that it names, or an event that means one."""
    failed = output.failed is not None and any(fits(output.failed, event) for event in objects)
    if output.failed is not None and not failed:
        return None
    error = _text(output, objects, "error")
    if error or failed:
        return classify(error or "The output says that the run failed.")
    return None


def _text(output: Output, objects: list[Json], name: str) -> str:
    rule = output.rules.get(name)
    if rule is None:
        return ""
    texts = [text for value in _values(rule, objects) if (text := as_text(value))]
    if rule.take == "join":
        return "".join(texts)
    return "" if not texts else texts[0] if rule.take == "first" else texts[-1]


def _count(rule: Rule | None, objects: list[Json]) -> int | None:
    """Take a count: of events, or out of them; None for what is not told."""
    if rule is None:
        return None
    values = list(_values(rule, objects))
    if rule.take == "count":
        return len(values) if objects else None
    counts = [count for value in values if (count := count_at(value)) is not None]
    return plus(*counts) if rule.take == "sum" else _one(counts, rule)


def _amount(rule: Rule | None, objects: list[Json]) -> float | None:
    amounts = [] if rule is None else [amount_at(value) for value in _values(rule, objects)]
    known = [amount for amount in amounts if amount is not None]
    if rule is None or not known:
        return None
    return sum(known) if rule.take == "sum" else _one(known, rule)


def _one(values: list[Any], rule: Rule) -> Any:
    return None if not values else values[0] if rule.take == "first" else values[-1]


def _usage(output: Output, objects: list[Json]) -> Usage:
    """Bring the declared figures to the normal form; a part that is not told leaves the rest known."""
    told = {name: _count(output.usage.get(name), objects) for name in output.usage if name != "cost_usd"}
    taken, read, write = told.get("input"), told.get("cache_read"), told.get("cache_write")
    if not output.input_includes_cache:
        uncached, total = taken, None if taken is None else plus(taken, read, write)
    else:
        total = taken
        uncached = None if taken is None or read is None else max(0, taken - read - (write or 0))
    replied, reasoning = told.get("output"), told.get("reasoning")
    return reported(
        Usage(
            input_total=total,
            input_uncached=uncached,
            cache_read=read,
            cache_write=write,
            output_total=replied
            if output.output_includes_reasoning or replied is None
            else plus(replied, reasoning),
            reasoning=reasoning,
            cost_usd=_amount(output.usage.get("cost_usd"), objects),
        )
    )


def _values(rule: Rule, objects: Iterable[Json]) -> Iterator[Any]:
    for event in objects:
        if fits(rule.where, event):
            yield from found(event, rule.path)


def fits(match: Match, event: Json) -> bool:
    """Tell whether an event has every value of a match at its place; True is not 1."""
    return all(
        any(
            value == wanted and isinstance(value, bool) == isinstance(wanted, bool)
            for value in found(event, path)
        )
        for path, wanted in match.values
    )


def found(value: Any, path: Steps) -> Iterator[Any]:
    """Yield what stands at a path: keys, indices, and `*` for every item; nothing where the way ends."""
    if not path:
        yield value
        return
    head, rest = path[0], path[1:]
    if head == "*":
        items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        for item in items:
            yield from found(item, rest)
    elif isinstance(value, dict) and head in value:
        yield from found(value[head], rest)
    elif isinstance(value, list) and head.lstrip("-").isdecimal() and -len(value) <= int(head) < len(value):
        yield from found(value[int(head)], rest)
