"""Reading what an agent CLI printed, whatever it printed: nothing here raises on any bytes.

Streams hold invalid UTF-8, NULs, terminal sequences, lone surrogates, half a
line at the end and lines of megabytes. What can be read is read; what cannot
is counted. See `settle` for how a reading becomes an outcome.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from mmbench.outcome import Usage

Json = dict[str, Any]

LARGEST = 2**53
"""A count beyond the integers that JSON readers agree on is not a count."""

TERMINAL = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: titles, links, clipboard
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS, SOS, PM, APC
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[ -/]*[0-~]?"  # the other escapes, and a lone one
)
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")
SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Events:
    """The JSON objects of a stream in order, and how many lines were not one."""

    objects: tuple[Json, ...] = ()
    other_lines: int = 0
    """Lines that hold anything else: notices, stack traces."""
    torn: bool = False
    """The last line begins an object and does not end it: the stream was cut."""

    def of(self, kind: str, key: str = "type") -> Iterator[Json]:
        """Yield the events of one kind."""
        return (event for event in self.objects if event.get(key) == kind)


def plain(text: str) -> str:
    """Strip terminal sequences and control characters, and replace lone surrogates.

    Line feeds, tabs and carriage returns stay.
    """
    return SURROGATE.sub("\ufffd", CONTROL.sub("", TERMINAL.sub("", text)))


def decode(raw: bytes) -> str:
    """Decode bytes as UTF-8 where they are, and strip what `plain` strips."""
    return plain(raw.decode("utf-8", "replace"))


def tail(raw: bytes, limit: int = 2000) -> str:
    """Return the last characters of a stream, readable, for a message."""
    return decode(raw[-4 * limit :]).strip()[-limit:]


def events(raw: bytes) -> Events:
    """Read JSON lines; split on the line feed alone, as U+0085 and U+2028 stand inside strings."""
    objects: list[Json] = []
    others, torn = 0, False
    for line in raw.split(b"\n"):
        text = _json_text(line)
        if not text:
            continue
        value = parse(text)
        torn = value is None and text.startswith("{")
        if isinstance(value, dict):
            objects.append(value)
        else:
            others += 1
    return Events(tuple(objects), others, torn)


def _json_text(line: bytes) -> str:
    """Return a line without what a terminal would swallow; escapes inside JSON strings are text and stay."""
    text = line.decode("utf-8", "replace")
    if "\x1b" in text:
        text = TERMINAL.sub("", text)
    return text.replace("\x00", "").strip()


def parse(text: str) -> Any:
    """Parse one JSON value; None for what is none, NaN and Infinity among it."""
    try:
        return json.loads(text, parse_constant=_refuse, strict=False)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def document(raw: bytes) -> Json:
    """Read a file that is one JSON object; empty for anything else."""
    value = parse(_json_text(raw))
    return value if isinstance(value, dict) else {}


def dig(value: Any, *path: str | int) -> Any:
    """Follow keys and indices into JSON; None where the way ends."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
    return value


def text_at(value: Any, *path: str | int) -> str:
    """Return the text at a path, plain; empty where there is none."""
    found = dig(value, *path)
    return plain(found) if isinstance(found, str) else ""


def as_text(value: Any) -> str:
    """Reduce what a tool was given or gave back to plain text: a text, text parts, or the JSON itself."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list) and value and all(isinstance(dig(part, "text"), str) for part in value):
        return plain("\n".join(part["text"] for part in value))
    try:
        return "" if value is None else plain(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return ""


def count_at(value: Any, *path: str | int) -> int | None:
    """Return the count at a path; None for anything but a whole number from 0."""
    found = dig(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        return None
    return int(found) if 0 <= found < LARGEST and found == int(found) else None


def amount_at(value: Any, *path: str | int) -> float | None:
    """Return the amount of money at a path; None for anything but a finite number from 0."""
    found = dig(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    try:
        amount = float(found)
    except OverflowError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None


def list_at(value: Any, *path: str | int) -> list[Any]:
    """Return the list at a path; empty for anything else."""
    found = dig(value, *path)
    return found if isinstance(found, list) else []


def plus(*counts: int | None) -> int | None:
    """Add what is known; None when nothing is."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def minus(count: int | None, part: int | None) -> int | None:
    """Take a part from a count; None when the count is unknown, and the count when the part is."""
    return None if count is None else max(0, count - (part or 0))


def costs(amounts: Iterable[float | None]) -> float | None:
    """Add amounts of money; None when one of them is unknown or there is none."""
    known = list(amounts)
    return None if not known or None in known else math.fsum(amount for amount in known if amount is not None)


def usage(
    *,
    uncached: int | None,
    cache_read: int | None = None,
    cache_write: int | None = None,
    output_total: int | None = None,
    reasoning: int | None = None,
    cost_usd: float | None = None,
) -> Usage:
    """Build the normal form from parts that do not overlap; `output_total` includes `reasoning`."""
    return Usage(
        input_total=None if uncached is None else plus(uncached, cache_read, cache_write),
        input_uncached=uncached,
        cache_read=cache_read,
        cache_write=cache_write,
        output_total=output_total,
        reasoning=reasoning,
        cost_usd=cost_usd,
    )


def beside(total: Usage, calls: Usage) -> Usage:
    """Return an agent's own total with what its calls add up to; the sum of the calls when it has no total.

    Agents have counted a call once per content block, or twice in the total:
    who reads the record can see whether the two agree.
    """
    return calls if total == Usage() else replace(total, input_by_calls=calls.input_total)


def added(calls: Iterable[Usage]) -> Usage:
    """Sum the usage of single model calls, each counted once by whoever lists them."""
    listed = list(calls)
    return Usage(
        input_total=plus(*(call.input_total for call in listed)),
        input_uncached=plus(*(call.input_uncached for call in listed)),
        cache_read=plus(*(call.cache_read for call in listed)),
        cache_write=plus(*(call.cache_write for call in listed)),
        output_total=plus(*(call.output_total for call in listed)),
        reasoning=plus(*(call.reasoning for call in listed)),
        cost_usd=costs(call.cost_usd for call in listed),
    )
