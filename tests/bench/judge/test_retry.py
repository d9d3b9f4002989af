from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.judge.question import AskError
from mmbench.bench.judge.retry import Patience, Stopped, attempts, pause, retry_after
from tests.bench.judge.samples import Waits

RNG = random.Random(7)
NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def failing(*errors: AskError | None) -> Callable[[], str]:
    """Return a call that fails with these errors in turn; None is a success."""
    left = list(errors)

    def once() -> str:
        error = left.pop(0)
        if error is not None:
            raise error
        return "verdict"

    return once


def busy(after: float | None = None) -> AskError:
    return AskError("rate_limit", "slow down", retry_after=after)


def test_a_third_try_is_made_and_not_a_fourth() -> None:
    waits = Waits()
    assert attempts(failing(busy(), busy(), None), Patience(), waits, RNG) == ("verdict", 3)
    assert len(waits.seconds) == 2
    with pytest.raises(AskError) as caught:
        attempts(failing(busy(), busy(), busy(), None), Patience(), waits, RNG)
    assert caught.value.tries == 3


def test_a_lasting_failure_is_not_tried_again() -> None:
    waits = Waits()
    with pytest.raises(AskError) as caught:
        attempts(failing(AskError("auth", "no", lasting=True), None), Patience(), waits, RNG)
    assert (caught.value.tries, waits.seconds) == (1, [])


@given(st.integers(1, 8), st.integers(0, 10_000))
def test_backoff_doubles_within_its_jitter_up_to_a_limit(number: int, seed: int) -> None:
    wait = pause(busy(), number, Patience(tries=99, first_s=2, longest_s=20), random.Random(seed))
    full = min(20, 2 * 2 ** (number - 1))
    assert wait is not None
    assert full / 2 <= wait <= full


def test_jitter_differs_from_client_to_client() -> None:
    waits = {pause(busy(), 1, Patience(), random.Random(seed)) for seed in range(20)}
    assert len(waits) == 20


def test_the_servers_word_is_honoured() -> None:
    assert pause(busy(7), 1, Patience(), RNG) == 7
    assert pause(busy(0), 1, Patience(first_s=4), RNG) != 0


def test_a_server_that_wants_too_long_a_wait_ends_the_tries() -> None:
    assert pause(busy(121), 1, Patience(obey_s=120), RNG) is None


def test_waiting_can_be_broken_off() -> None:
    with pytest.raises(Stopped):
        attempts(failing(busy(), None), Patience(), Waits(stop_at=1), RNG)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        (" 0 ", 0),
        ("Fri, 01 May 2026 12:00:30 GMT", 30),
        ("Fri, 01 May 2026 11:00:00 GMT", 0),
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٧", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOON) == seconds
