import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.grading.clean import clean_text, fold_text, has_phrase, one_line


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x/\x1b\\link\x1b]8;;\x07 end", "link end"),
        ("\x1b]0;title\x07text", "text"),
        ("\x9b31mred", "red"),
        ("\x1b]unterminated\nnext", "\nnext"),
        ("a\r\nb\rc\td", "a\nb\nc\td"),
        ("a\x00\x08b", "ab"),
        ("1\u200b2\u202e3\ufeff", "123"),
        ("\x1bPq#0\x1b\\x\x1bc", "x"),
        ("\udce9 stays", "\udce9 stays"),
    ],
)
def test_only_what_a_reader_sees_is_kept(raw: str, seen: str) -> None:
    assert clean_text(raw) == seen


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert not [c for c in clean_text(text) if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160]


@pytest.mark.parametrize(
    ("text", "phrase", "there"),
    [
        ("The Attention Is\n All you NEED paper", "attention is all you need", True),
        ("Straße", "STRASSE", True),
        ("ﬁle “x” – y", 'file "x" - y', True),
        ("category", "cat", False),
        ("cat's", "cat", True),
        ("cat_1", "cat", False),
        ("concat cat", "cat", True),
        ("这是地图文件", "地图", True),
        ("C++ code", "c++", True),
        ("Ünïcode", "u\u0308nicode", False),
        ("anything", "", False),
    ],
)
def test_phrases_are_whole_words(text: str, phrase: str, there: bool) -> None:
    assert has_phrase(fold_text(text), fold_text(phrase)) is there


@given(st.text(st.characters()))
def test_a_reason_is_one_line_that_any_encoder_takes(text: str) -> None:
    line = one_line(text)
    line.encode("utf-8")
    assert "\n" not in line
    assert line.isprintable()
