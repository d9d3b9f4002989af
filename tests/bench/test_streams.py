"""A captured stream keeps its head and its tail, and counts all of it."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.streams import Captured


@given(st.lists(st.binary(max_size=300), max_size=30), st.integers(2, 200))
def test_head_and_tail_are_kept_to_the_byte_however_the_stream_is_cut(
    chunks: list[bytes], limit: int
) -> None:
    captured, whole = Captured(limit), b"".join(chunks)
    for chunk in chunks:
        captured.feed(chunk)
    head, tail = whole[: limit // 2], whole[-(limit - limit // 2) :]
    lost = len(whole) - limit
    assert captured.size == len(whole)
    assert captured.truncated == (lost > 0)
    cut = head + f"\n[mmbench: {lost} bytes of output left out]\n".encode() + tail
    assert captured.bytes() == (cut if lost > 0 else whole)


def test_the_hash_is_that_of_the_whole_stream() -> None:
    captured = Captured(10)
    for _ in range(100):
        captured.feed(b"0123456789")
    assert captured.sha256 == hashlib.sha256(b"0123456789" * 100).hexdigest()
    assert b"990 bytes of output left out" in captured.bytes()
