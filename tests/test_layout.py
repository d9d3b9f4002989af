"""Ids are safe as file names and in addresses, whatever they are made from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.layout import as_name, is_name


@given(st.text())
def test_any_text_has_a_name(text: str) -> None:
    assert is_name(as_name(text))


@pytest.mark.parametrize(
    ("text", "name"), [("My Cases", "my-cases"), ("mine.2_a", "mine.2_a"), ("../x", "x"), ("ÄÖ", "unknown")]
)
def test_a_name_is_the_nearest_to_its_text(text: str, name: str) -> None:
    assert as_name(text) == name
