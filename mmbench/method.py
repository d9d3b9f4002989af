"""What a session's method is, and what differs between two, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mmbench.records import Line

Parts = Mapping[str, Any]

TITLES = {
    "suite": "suite",
    "cases": "cases",
    "dataset": "dataset",
    "primer": "primer",
    "arms": "arms",
    "limits": "limits",
    "checks": "version of the checks",
    "scoring": "version of the scoring",
    "judge": "judge",
    "sandbox": "kind of sandbox",
    "legacy": "older store",
}
SHORT = 12
ABSENT = "nothing"


def show(header: Line) -> str:
    """Describe the method of a session, one part a line."""
    method = header["method"]
    lines = [f"method {method['hash']}"]
    for name, value in method["parts"].items():
        lines += [f"  {TITLES.get(name, name)}: {_shown(value)}"]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items()) or ABSENT
    if isinstance(value, list | tuple):
        return ", ".join(_shown(item) for item in value) or ABSENT
    if value is None:
        return ABSENT
    text = str(value)
    return f"{text[:SHORT]}…" if len(text) == 64 and text.isalnum() else text


def differences(one: Parts, other: Parts) -> list[str]:
    """Say in words which parts of two methods differ; empty when none does."""
    found: list[str] = []
    for name in dict.fromkeys([*one, *other]):
        before, after = one.get(name), other.get(name)
        if before != after:
            title = TITLES.get(name, name)
            if isinstance(before, Mapping) and isinstance(after, Mapping):
                found += _inside(title, before, after)
            else:
                found.append(_change(title, before, after))
    return found


def _inside(title: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """Compare two tables entry by entry; contents that are only hashes are named, not shown."""
    for what, names in (
        ("only in the first", [key for key in one if key not in other]),
        ("only in the second", [key for key in other if key not in one]),
    ):
        if names:
            yield f"{title}: {what}: {_listed(names)}"
    changed = [key for key in one if key in other and one[key] != other[key]]
    hashes = [key for key in changed if _is_hash(one[key]) and _is_hash(other[key])]
    if hashes:
        yield f"{title}: other content in {_listed(hashes)}"
    yield from (_change(f"{title}: {key}", one[key], other[key]) for key in changed if key not in hashes)


def _listed(names: list[str]) -> str:
    rest = len(names) - 8
    return ", ".join(names[:8]) + (f" and {rest} more" if rest > 0 else "")


def _change(title: str, one: Any, other: Any) -> str:
    return f"{title}: {_shown(one)} in the first, {_shown(other)} in the second"


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64


def compared(one: Line, other: Line) -> str:
    """Say what differs between the methods of two sessions."""
    names = f"{one['session']} and {other['session']}"
    if one["method"]["hash"] == other["method"]["hash"]:
        return f"{names} have the same method ({one['method']['hash'][:SHORT]}…): they can be compared."
    found = differences(one["method"]["parts"], other["method"]["parts"])
    return "\n".join(
        [f"{names} have different methods and are never ranked together:", *(f"  {f}" for f in found)]
    )
