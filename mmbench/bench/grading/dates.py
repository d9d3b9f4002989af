"""Dates as people and programs write them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905 (reads as what it is)
_YEAR_FIRST = re.compile(r"(\d{4})([-/.:])(\d{1,2})\2(\d{1,2})(?:[t ]\d.*)?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:[t_ -]\d.*|\d{6})?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?:[, ].*)?")
_DAY_NAMED = re.compile(
    r"(?:[a-z]+,? )?(\d{1,2})(?:st|nd|rd|th)?[. -]+(?:of )?([a-z]{3})[a-z]*[., -]+(\d{4})(?:[, ].*)?"
)
_MONTH_NAMED = re.compile(r"(?:[a-z]+, )?([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:[, ].*)?")


def read_dates(text: str) -> frozenset[dt.date]:
    """Return the dates a text may stand for: one, two where day and month may be swapped, or none."""
    return frozenset(_dates(" ".join(text.lower().split())[:60]))


def _dates(text: str) -> Iterator[dt.date]:
    if match := _YEAR_FIRST.fullmatch(text):
        yield from _date(match[1], match[3], match[4])
    elif match := _COMPACT.fullmatch(text):
        yield from _date(match[1], match[2], match[3])
    elif match := _YEAR_LAST.fullmatch(text):
        yield from _date(match[4], match[3], match[1])
        if match[2] == "/":  # the only mark that is used in both orders
            yield from _date(match[4], match[1], match[3])
    elif match := _DAY_NAMED.fullmatch(text):
        yield from _named(match[3], match[2], match[1])
    elif match := _MONTH_NAMED.fullmatch(text):
        yield from _named(match[3], match[1], match[2])


def _named(year: str, month: str, day: str) -> Iterator[dt.date]:
    if month in _MONTHS:
        yield from _date(year, str(_MONTHS.index(month) + 1), day)


def _date(year: str, month: str, day: str) -> Iterator[dt.date]:
    try:
        yield dt.date(int(year), int(month), int(day))
    except ValueError:
        return
