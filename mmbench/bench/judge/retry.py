"""Try again, with patience: backoff that doubles, jitter, and the server's own word on when."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from mmbench.bench.judge.question import AskError

T = TypeVar("T")
Sleep = Callable[[float], object]
"""Wait some seconds; a true result says that the waiting was broken off for good."""


class Stopped(Exception):  # noqa: N818 (the user's wish, not an error)
    """The user wants to stop: nothing is known about the verdict."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long to try; seconds."""

    tries: int = 3
    first_s: float = 1.0
    longest_s: float = 30.0
    obey_s: float = 120.0
    """A server that asks for a longer wait than this is taken to be down."""


def attempts(once: Callable[[], T], patience: Patience, sleep: Sleep, rng: random.Random) -> tuple[T, int]:
    """Call until it succeeds; return the result and the number of tries.

    Raises the last AskError, with its number of tries, and Stopped when waiting is broken off.
    """
    for number in range(1, patience.tries + 1):
        try:
            return once(), number
        except AskError as error:
            wait = pause(error, number, patience, rng)
            if wait is None:
                error.tries = number
                raise
            if sleep(wait):
                raise Stopped from error
    raise AssertionError("patience allows no try")


def pause(error: AskError, number: int, patience: Patience, rng: random.Random) -> float | None:
    """Return the seconds to wait after a failed try, None to give up."""
    if error.lasting or number >= patience.tries:
        return None
    longest = min(patience.longest_s, patience.first_s * 2.0 ** (number - 1))
    backoff = longest * rng.uniform(0.5, 1.0)
    if error.retry_after is None:
        return backoff
    return max(backoff, error.retry_after) if error.retry_after <= patience.obey_s else None


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Read a Retry-After header, seconds or a date, as seconds from now; None when it says nothing."""
    text = (header or "").strip()
    if text.isascii() and text.isdecimal():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
