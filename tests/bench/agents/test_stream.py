"""Reading whatever an agent CLI printed."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.agents import stream
from mmbench.outcome import Usage

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
PATHS = st.lists(st.text(max_size=3) | st.integers(-3, 3), max_size=3)


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_reads_json_lines_and_counts_the_others():
    found = stream.events(b'{"type":"a"}\nnotice\n\n[1]\n{"type":"b"}\r\n')
    assert [event["type"] for event in found.objects] == ["a", "b"]
    assert found.other_lines == 2 and not found.torn


def test_tells_a_torn_end():
    found = stream.events(b'{"type":"a"}\n{"type":"b","te')
    assert [event["type"] for event in found.objects] == ["a"] and found.torn


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029", "\x0b", "\x0c", "\r"])
def test_splits_on_the_line_feed_alone(separator):
    raw = b'{"type":"a","text":"x' + separator.encode() + b'y"}\n'
    assert len(stream.events(raw).objects) == 1


@pytest.mark.parametrize(
    "noise",
    ["\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x1bP1$r\x1b\\", "\x1b[2J", "\x00", "\x1b7"],
)
def test_strips_what_a_terminal_swallows(noise):
    raw = noise.encode() + b'{"type":' + noise.encode() + b'"a"}' + noise.encode() + b"\n"
    assert [event["type"] for event in stream.events(raw).objects] == ["a"]
    assert stream.plain(f"a{noise}b") == "ab"


def test_strips_escapes_that_json_carried():
    (event,) = stream.events(lines({"text": "a\x1b[31mb\x00c\tä\n"})).objects
    assert stream.text_at(event, "text") == "abc\tä\n"


def test_replaces_lone_surrogates():
    (event,) = stream.events(b'{"text":"x\\ud800y"}\n').objects
    text = stream.text_at(event, "text")
    assert text == "x\ufffdy" and text.encode()


def test_reads_a_line_of_megabytes():
    text = "x" * 5_000_000
    (event,) = stream.events(lines({"text": text})).objects
    assert stream.text_at(event, "text") == text


@pytest.mark.parametrize(
    "raw", [b'{"a":NaN}', b'{"a":Infinity}', b"{" * 100_000, b'{"a":' * 100_000, b"\xff\xfe{"]
)
def test_refuses_what_is_no_json(raw):
    assert stream.events(raw).objects == ()
    assert stream.document(raw) == {}


def test_reads_a_document():
    assert stream.document(b'\x1b[0m {"a": 1}\n') == {"a": 1}
    assert stream.document(b"[1]") == {}


@given(st.binary(max_size=400))
def test_never_raises_on_bytes(raw):
    found = stream.events(raw)
    assert all(isinstance(event, dict) for event in found.objects)
    stream.tail(raw).encode()
    stream.document(raw)


@given(JSON, PATHS)
def test_never_raises_on_paths(value, path):
    stream.text_at(value, *path).encode()
    stream.as_text(stream.dig(value, *path)).encode()
    stream.list_at(value, *path)
    count = stream.count_at(value, *path)
    amount = stream.amount_at(value, *path)
    assert count is None or (type(count) is int and count >= 0)
    assert amount is None or (math.isfinite(amount) and amount >= 0)


@pytest.mark.parametrize("value", [True, -1, 1.5, "7", None, 2**60, 1e300, [], math.inf, math.nan])
def test_takes_only_counts_for_counts(value):
    assert stream.count_at({"n": value}, "n") is None


def test_takes_whole_floats_for_counts():
    assert stream.count_at({"n": 7.0}, "n") == 7


@pytest.mark.parametrize("value", [True, -0.1, "7", None, math.inf, math.nan, 10**400])
def test_takes_only_amounts_for_amounts(value):
    assert stream.amount_at({"n": value}, "n") is None


def test_adds_what_is_known():
    assert stream.plus(1, None, 2) == 3
    assert stream.plus(None, None) is None
    assert stream.minus(None, 1) is None
    assert stream.minus(5, None) == 5
    assert stream.minus(5, 7) == 0
    assert stream.costs([0.1, 0.2]) == pytest.approx(0.3)
    assert stream.costs([0.1, None]) is None
    assert stream.costs([]) is None


def test_builds_the_normal_form():
    found = stream.usage(uncached=700, cache_read=300, cache_write=70, output_total=50)
    assert found == Usage(1070, 700, 300, 70, 50)
    assert stream.usage(uncached=None, cache_read=300).input_total is None


def test_adds_usages():
    one = stream.usage(uncached=1, cache_read=2, output_total=3, cost_usd=0.5)
    two = stream.usage(uncached=10, cache_read=20, output_total=30, reasoning=4, cost_usd=1.0)
    assert stream.added([one, two]) == Usage(33, 11, 22, None, 33, 4, 1.5)
    assert stream.added([]) == Usage()


def test_a_total_stands_beside_what_the_calls_add_up_to():
    total, calls = stream.usage(uncached=10, output_total=3), stream.usage(uncached=5, output_total=3)
    assert stream.beside(total, calls) == Usage(10, 10, None, None, 3, input_by_calls=5)
    assert stream.beside(total, Usage()) == total
    assert stream.beside(Usage(), calls) == calls


def test_reduces_tool_values_to_text():
    assert stream.as_text("a\x00b") == "ab"
    assert stream.as_text([{"text": "a"}, {"text": "b"}]) == "a\nb"
    assert stream.as_text({"k": [1]}) == '{"k": [1]}'
    assert stream.as_text(None) == ""
