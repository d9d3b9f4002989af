"""What words of the command line are read as, and what is refused."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import pytest

from mmbench.cli_words import amount, count, key, names, port, seed


def test_names_are_read_once_each_without_blanks() -> None:
    assert names(" b, a,b,,") == ("b", "a")


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [(count, "12", 12), (seed, "0", 0), (port, "0", 0), (amount, "0.5", 0.5), (amount, "30", 30.0)],
)
def test_numbers_are_read(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (names, ","),
        (names, ""),
        *((seed, text) for text in ("-5", "1.5", "x", "")),
        *((port, text) for text in ("65536", "-1", "x")),
        *((count, text) for text in ("0", "-1", "1.5", "x", "")),
        *((amount, text) for text in ("0", "-1", "nan", "inf", "1e9", "x", "")),
    ],
)
def test_what_cannot_be_meant_is_refused(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        read(text)


def test_a_key_is_a_text_or_stands_in_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMBENCH_TEST_KEY", "kept from sight")
    assert key("plain") == "plain"
    assert key("env:MMBENCH_TEST_KEY") == "kept from sight"
    monkeypatch.setenv("MMBENCH_TEST_KEY", "")
    for text in ("env:MMBENCH_TEST_KEY", "env:MMBENCH_TEST_NO_KEY", "env:"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not set or empty"):
            key(text)
