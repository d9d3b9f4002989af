"""Records of calls are read whatever agents did to them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmbench.bench.shim import CALL, MAX_ARGUMENT, MAX_RECORD, read_calls


def record(*fields: str | bytes) -> bytes:
    return b"".join((field if isinstance(field, bytes) else field.encode()) + b"\0" for field in fields)


GOOD_END = ("end", "1700000000000000000", "1500000000", "0", "")


def test_records_in_order_of_their_start(tmp_path: Path) -> None:
    for name, start in (("1.0", "1700000002000000000"), ("2.0", "1700000001000000000")):
        (tmp_path / name).write_bytes(record(CALL, "5", "/w", "1", name, "end", start, "1500000000", "0", ""))
    first, second = read_calls(tmp_path)
    assert (first.argv, second.argv) == (("2.0",), ("1.0",))
    assert first.started_at == 1700000001.0 and first.duration_s == 1.5


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (record(CALL), "its record is cut"),
        (record(CALL, "5", "/w", "3", "a"), "its record is cut"),
        (record(CALL, "5", "/w", "-1"), "its record is cut"),
        (record(CALL, "5", "/w", "9" * 5000), "its record is cut"),
        (record(CALL, "5", "/w", "1", "a"), "no end"),
        (record(CALL, "5", "/w", "1", "a", "end", "x", "1", "0", ""), "no end"),
        (record(CALL, "5", "/w", "1", "a", "end", "1", "1", "0", "", "more"), "no end"),
        (record(CALL, "5", "/w", "1", "a", *GOOD_END), ""),
    ],
)
def test_cut_and_forged_records(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "1.0").write_bytes(content)
    (call,) = read_calls(tmp_path)
    assert call.reason.startswith(reason) and bool(call.reason) == bool(reason)
    assert not call.failed


@given(
    st.one_of(
        st.binary(max_size=200), st.lists(st.binary(max_size=9), max_size=12).map(lambda f: record(CALL, *f))
    )
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_break_the_reader(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "1.0").write_bytes(content)
    for call in read_calls(tmp_path):
        "".join(call.argv).encode()  # free of lone surrogates
        assert call.started_at >= 0 and (call.duration_s is None or call.duration_s >= 0)


@pytest.mark.parametrize("moment", [-5, 2**40])
def test_a_record_of_any_time_has_a_date(tmp_path: Path, moment: int) -> None:
    path = tmp_path / "1.0"
    path.write_bytes(record(CALL))
    os.utime(path, (moment, moment))
    (call,) = read_calls(tmp_path)
    assert 0 <= call.started_at <= 1e10


def test_hostile_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(record(CALL, "5", "/w", "1", "stolen", *GOOD_END))
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "link").symlink_to(outside)
    (logs / "device").symlink_to("/dev/zero")
    (logs / "folder").mkdir()
    os.mkfifo(logs / "pipe")
    (logs / "junk").write_bytes(b"not a record")
    with (logs / "hole").open("wb") as stream:
        stream.write(record(CALL, "5", "/w", "1"))
        stream.truncate(1 << 40)
    (logs / "good").write_bytes(record(CALL, "5", "/w", "1", "a" * 100_000, *GOOD_END))
    calls = read_calls(logs)
    assert sorted(len("".join(call.argv)) for call in calls) == [0, MAX_ARGUMENT]
    assert not any("stolen" in call.argv for call in calls)


@pytest.mark.parametrize("replaced", ["link", "file", "nothing"])
def test_a_replaced_folder_is_not_followed(tmp_path: Path, replaced: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "1.0").write_bytes(record(CALL, "5", "/w", "0", *GOOD_END))
    logs = tmp_path / "logs"
    if replaced == "link":
        logs.symlink_to("real")
    elif replaced == "file":
        logs.touch()
    assert read_calls(logs) == []


def test_number_and_size_of_records_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mmbench.bench.shim.MAX_CALLS", 20)
    for number in range(30):
        (tmp_path / f"{number}").write_bytes(record(CALL, "5", "/w", "1", "a", *GOOD_END))
    assert len(read_calls(tmp_path)) == 20
    monkeypatch.setattr("mmbench.bench.shim.MAX_TOTAL", 200)
    assert 0 < len(read_calls(tmp_path)) < 20
    assert MAX_RECORD < 1 << 24
