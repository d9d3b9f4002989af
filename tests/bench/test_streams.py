"""A captured stream keeps its head and its tail, and counts all of it."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.streams import Captured


@given(st.lists(st.binary(max_size=300), max_size=30), st.integers(2, 200))
def test_captured_keeps_head_and_tail_and_counts_all(chunks: list[bytes], limit: int) -> None:
    captured, whole = Captured(limit), b"".join(chunks)
    for chunk in chunks:
        captured.feed(chunk)
    kept = captured.bytes()
    assert captured.size == len(whole)
    assert captured.truncated == (len(whole) > 0 and kept != whole)
    if not captured.truncated:
        assert kept == whole
    else:
        assert kept.startswith(whole[: limit // 2])
        assert kept.endswith(whole[-1:])


def test_the_hash_is_that_of_the_whole_stream() -> None:
    captured = Captured(10)
    for _ in range(100):
        captured.feed(b"0123456789")
    assert captured.sha256 == hashlib.sha256(b"0123456789" * 100).hexdigest()
    assert b"bytes of output left out" in captured.bytes()
