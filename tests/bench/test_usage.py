from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.usage import MAX_KEPT, Usage, UsageReader

JSON = "application/json; charset=utf-8"
STREAM = "text/event-stream"


def read(kind: str, *pieces: bytes) -> Usage:
    reader = UsageReader(kind)
    for piece in pieces:
        reader.feed(piece)
    return reader.finish()


def event(**value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


CHAT = json.dumps({"model": "m", "usage": {"prompt_tokens": 1234, "completion_tokens": 56}}).encode()
EVENTS = (
    event(model="m", choices=[{"delta": {"content": "a"}}], usage=None)
    + event(choices=[], usage={"prompt_tokens": 1234, "completion_tokens": 56})
    + b"data: [DONE]\n\n"
)


@given(st.sampled_from([(JSON, CHAT), (STREAM, EVENTS)]), st.lists(st.integers(0, len(EVENTS)), max_size=8))
def test_usage_is_found_however_the_bytes_are_cut(sample: tuple[str, bytes], cuts: list[int]) -> None:
    kind, data = sample
    edges = [0, *sorted(cuts), len(data)]
    pieces = [data[start:end] for start, end in zip(edges, edges[1:], strict=False)]
    assert read(kind, *pieces) == Usage(1234, 56, None, "m")


def test_the_last_usage_of_a_stream_counts_once() -> None:
    growing = [event(usage={"prompt_tokens": 9, "completion_tokens": n}) for n in (1, 2, 3)]
    assert read(STREAM, *growing) == Usage(9, 3)


def test_a_stream_that_ends_in_the_middle_keeps_what_it_had() -> None:
    assert read(STREAM, EVENTS[:100]) == Usage(model="m")


def test_a_sound_is_paid_by_its_seconds_or_by_tokens() -> None:
    by_time = json.dumps({"text": "hi", "usage": {"type": "duration", "seconds": 9}}).encode()
    assert read(JSON, by_time) == Usage(sound_seconds=9)
    by_token = json.dumps({"usage": {"type": "tokens", "input_tokens": 14, "output_tokens": 3}}).encode()
    assert read(JSON, by_token) == Usage(14, 3)


def test_nothing_is_made_up() -> None:
    odd = [
        {},
        {"usage": None},
        {"usage": {"prompt_tokens": "12"}},
        {"usage": {"prompt_tokens": -1}},
        {"usage": 5},
    ]
    odd += [{"usage": {"prompt_tokens": True}}]
    assert not any(read(JSON, json.dumps(value).encode()).known for value in odd)


@given(st.binary(max_size=200), st.sampled_from([JSON, STREAM, ""]))
def test_wild_bytes_are_no_usage_and_no_crash(data: bytes, kind: str) -> None:
    assert not read(kind, data).known


def test_memory_is_bounded() -> None:
    reader = UsageReader(JSON)
    for _ in range(3):
        reader.feed(b"x" * (MAX_KEPT // 2))
    assert reader.finish() == Usage()
