"""Text of others, made visible."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.report.text import excerpt, visible, weight


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("red \x1b[31m", "red ‹ESC›[31m"),
        ("a\x00b", "a‹NUL›b"),
        ("\u202etxt.exe", "‹U+202E›txt.exe"),
        ("a\u2066b\u2069", "a‹U+2066›b‹U+2069›"),
        ("next\u0085line\u2028", "next‹U+0085›line‹U+2028›"),
        ("zero\u200bwidth\ufeff", "zero‹U+200B›width‹U+FEFF›"),
        ("lone \ud800", "lone \ufffd"),
        ("tag \U000e0041", "tag ‹U+E0041›"),
        ("win\r\ndows\rx", "win\ndows‹CR›x"),
        ("👩\u200d💻 می\u200cخواهم", "👩\u200d💻 می\u200cخواهم"),
        ("ad\u200dmin", "ad‹U+200D›min"),
    ],
)
def test_what_hides_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters()))
def test_nothing_that_moves_text_is_left(text: str) -> None:
    shown = visible(text)
    shown.encode()
    bad = [c for c in shown if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert bad == []
    assert not any(unicodedata.bidirectional(c) in ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI") for c in shown)


def test_an_excerpt_keeps_head_and_tail() -> None:
    assert excerpt("short", 10) == ("short", 0)
    text, cut = excerpt("a" * 50 + "b" * 50, 10)
    assert cut == 90
    assert text.startswith("aaaaa\n") and text.endswith("\nbbbbb") and "90 characters" in text


@given(st.text(st.characters(), max_size=3000), st.integers(20, 2000))
def test_an_excerpt_keeps_its_limit_on_the_page(text: str, limit: int) -> None:
    shown, cut = excerpt(text, limit)
    assert cut == 0 or weight(shown) <= limit + 60
    assert cut > 0 or shown == text
    assert cut == 0 or weight(text) > limit
