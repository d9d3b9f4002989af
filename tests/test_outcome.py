"""When an agent's tokens are in doubt."""

from __future__ import annotations

import pytest

from mmbench.outcome import disputed


@pytest.mark.parametrize(
    ("total", "by_calls", "doubt"),
    [
        (100, 95, False),
        (100, 94, True),
        (100, 106, True),
        (0, 0, False),
        (0, 5, True),
        (None, 5, False),
        (5, None, False),
    ],
)
def test_tokens_are_in_doubt_beyond_five_percent(
    total: int | None, by_calls: int | None, doubt: bool
) -> None:
    assert disputed(total, by_calls) == doubt
