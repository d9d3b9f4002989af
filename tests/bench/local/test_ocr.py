from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.local.ocr import Word, lines

INVOICE = [
    Word("Item", 40, 100, 130),
    Word("Qty", 300, 103, 131),
    Word("Price", 500, 98, 128),
    Word("Desk", 40, 150, 180),
    Word("2", 300, 152, 178),
    Word("342,775.48", 500, 149, 181),
]


@given(st.permutations(INVOICE))
def test_words_at_one_height_form_a_line_in_whatever_order_they_were_found(words: list[Word]) -> None:
    assert lines(words) == ["Item  Qty  Price", "Desk  2  342,775.48"]


def test_a_slanted_line_is_followed_word_by_word() -> None:
    slanted = [Word(str(n), 100 * n, 100 + 8 * n, 130 + 8 * n) for n in range(6)]
    random.Random(1).shuffle(slanted)
    assert lines(slanted) == ["0  1  2  3  4  5"]


def test_no_words_are_no_lines() -> None:
    assert lines([]) == []
