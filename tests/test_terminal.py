"""What others wrote cannot drive a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mmbench.terminal import counted, visible


def test_what_a_terminal_would_act_upon_is_written_out() -> None:
    assert visible("a\x1b[31mred\x9b0m\x07\r\n\tñ\u202e\x7f") == (
        "a\\x1b[31mred\\x9b0m\\x07\\r\n\tñ\\u202e\\x7f"
    )


@given(st.text())
def test_every_character_that_is_left_can_be_seen_and_encoded(text: str) -> None:
    assert all(char.isprintable() or char in "\n\t" for char in visible(text))
    visible(text).encode()


def test_a_noun_agrees_with_its_number() -> None:
    assert [counted(n, "case") for n in (0, 1, 2)] == ["0 cases", "1 case", "2 cases"]
