"""How numbers are written: points, ratios, times, sizes; an unknown one is a dash, never 0."""

from __future__ import annotations

NONE = "–"
MINUS = "\u2212"
GAP = "\u00a0"
"""A space that keeps a number and its unit on one line."""


def number(value: float | None, digits: int = 1) -> str:
    """Write a number with a real minus sign; a rounded zero has none."""
    if value is None:
        return NONE
    text = f"{abs(value):,.{digits}f}"
    zero = not text.strip("0.,")
    return f"{MINUS}{text}" if value < 0 and not zero else text


def points(value: float | None) -> str:
    """Write correctness, 0..100."""
    return number(value)


def signed(value: float | None, digits: int = 1) -> str:
    """Write a difference with its sign."""
    text = number(value, digits)
    return text if value is None or text.startswith(MINUS) or not text.strip("0.,") else f"+{text}"


def interval(low: float | None, high: float | None) -> str:
    """Write the interval of a difference."""
    return "" if low is None or high is None else f"{signed(low)}{GAP}…{GAP}{signed(high)}"


def times(value: float | None) -> str:
    """Write a ratio, for example 1.25×."""
    return NONE if value is None else f"{value:.2f}×"


def times_interval(low: float | None, high: float | None) -> str:
    """Write the interval of a ratio."""
    return "" if low is None or high is None else f"{low:.2f}{GAP}…{GAP}{high:.2f}×"


def share(value: float | None) -> str:
    """Write a share 0..1 as a percentage."""
    return NONE if value is None else f"{100 * value:.0f}{GAP}%"


def seconds(value: float | None) -> str:
    """Write a duration."""
    if value is None:
        return NONE
    if value < 100:
        return f"{value:.1f}{GAP}s"
    return (
        f"{int(value // 60)}{GAP}min {int(value % 60):02d}{GAP}s"
        if value < 3600
        else f"{value / 3600:.1f}{GAP}h"
    )


def count(value: float | None) -> str:
    """Write tokens and other large counts with three figures."""
    if value is None:
        return NONE
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return (
                f"{_three(value / size)}{GAP}{unit}"
                if value < 999.5 * size
                else f"{value / size:,.0f}{GAP}{unit}"
            )
    return f"{value:.0f}"


def _three(value: float) -> str:
    return f"{value:#.3g}".rstrip(".")


def money(value: float | None) -> str:
    """Write US dollars."""
    if value is None:
        return NONE
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${_three(value)}"


def size(value: float) -> str:
    """Write bytes."""
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= limit:
            return f"{value / limit:.1f}{GAP}{unit}"
    return f"{value:.0f}{GAP}B"


def day(stamp: str | None) -> str:
    """Write the day of a UTC time stamp."""
    return NONE if stamp is None else stamp[:10]


def minute(stamp: str | None) -> str:
    """Write a UTC time stamp to the minute."""
    return NONE if stamp is None else f"{stamp[:10]} {stamp[11:16]} UTC"


def sign(value: float | None) -> str:
    """Name the direction of a difference for the style sheet: up, down or flat."""
    if value is None or abs(value) < 0.05:
        return "flat"
    return "up" if value > 0 else "down"
