"""The ledger keeps every record that it reported, and finds every change."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench import ledger
from mmbench.errors import DataError, PrerequisiteError, UsageError
from mmbench.ledger import Ledger
from tests.support import sessions


def swapped(lines: list[bytes], old: bytes, new: bytes) -> list[bytes]:
    return [*lines[:2], lines[2].replace(old, new), *lines[3:]]


@pytest.fixture
def book_path(tmp_path: Path) -> Path:
    path = tmp_path / "s1.jsonl"
    sessions.write(path, sessions.keys(), done=3)
    return path


def test_lines_are_numbered_and_chained(book_path: Path) -> None:
    values, lines, tail = ledger.read(book_path)
    assert tail == b""
    assert [value["seq"] for value in values] == list(range(7))
    assert values[0]["prev"] is None
    assert [value["prev"] for value in values[1:]] == [line.sha256 for line in lines[:-1]]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("an edited score", lambda lines: swapped(lines, b'"correctness":100.0', b'"correctness":99.0')),
        ("a dropped line", lambda lines: [*lines[:2], *lines[3:]]),
        ("two swapped lines", lambda lines: [lines[0], lines[3], lines[2], lines[1], *lines[4:]]),
        ("a doubled line", lambda lines: [*lines[:3], lines[2], *lines[3:]]),
        ("a merge marker", lambda lines: [*lines[:2], b"<<<<<<< HEAD", *lines[2:]]),
        ("a line of NaN", lambda lines: swapped(lines, b'"correctness":100.0', b'"correctness":NaN')),
    ],
)  # fmt: skip
def test_a_changed_file_is_refused_with_its_line(book_path: Path, name: str, change: object) -> None:
    lines = book_path.read_bytes().split(b"\n")[:-1]
    changed = change(lines)  # type: ignore[operator]
    assert changed != lines, name
    book_path.write_bytes(b"\n".join(changed) + b"\n")
    with pytest.raises(DataError, match=r"Line \d+ of s1\.jsonl is damaged"):
        ledger.load(book_path)


def test_a_torn_line_at_every_byte_loses_no_earlier_one(book_path: Path, tmp_path: Path) -> None:
    data = book_path.read_bytes()
    start = data.rstrip(b"\n").rfind(b"\n") + 1
    torn = tmp_path / "torn.jsonl"
    for cut in range(start, len(data)):
        torn.write_bytes(data[:cut])
        book, state = Ledger.open(torn)
        with book:
            whole = cut == len(data) - 1  # only the newline is missing
            assert state.lines == (7 if whole else 6)
            book.append("end", {"reason": "complete", "message": "", "counts": {}})
        assert ledger.load(torn).lines == state.lines + 1


def test_a_second_writer_is_refused(book_path: Path) -> None:
    book, _ = Ledger.open(book_path)
    with book, pytest.raises(UsageError, match="Another bench is writing"):
        Ledger.open(book_path)


def test_a_writer_in_another_process_is_refused(book_path: Path) -> None:
    code = (
        f"from mmbench.ledger import Ledger; from pathlib import Path; Ledger.open(Path({str(book_path)!r}))"
    )
    book, _ = Ledger.open(book_path)
    with book:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Another bench is writing" in done.stderr


def test_an_existing_file_is_not_written_over(book_path: Path) -> None:
    with pytest.raises(UsageError, match="--resume"):
        Ledger.create(book_path)


def test_an_invalid_record_is_refused_and_nothing_is_written(book_path: Path) -> None:
    before = book_path.read_bytes()
    book, _ = Ledger.open(book_path)
    with book:
        with pytest.raises(DataError, match="/counts"):
            book.append("end", {"reason": "complete", "message": "", "counts": {"completed": -1}})
        with pytest.raises(DataError, match="nonsense"):
            book.append("end", {"reason": "complete", "message": "", "counts": {}, "nonsense": 1})
    assert book_path.read_bytes() == before


def test_a_full_disk_leaves_the_file_as_it_was(book_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = book_path.read_bytes()
    book, _ = Ledger.open(book_path)
    with book:
        with monkeypatch.context() as patched:
            real = ledger.os.write
            patched.setattr(ledger.os, "write", lambda fd, data: real(fd, data[:10]))
            with pytest.raises(PrerequisiteError, match="No space left"):
                book.append("end", {"reason": "complete", "message": "", "counts": {}})
        assert book_path.read_bytes() == before
        book.append("end", {"reason": "complete", "message": "", "counts": {}})
    assert ledger.load(book_path).lines == 8


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PrerequisiteError, match="--results"):
        Ledger.create(tmp_path / "file" / "s1.jsonl")


@given(st.text(alphabet=st.characters(blacklist_categories=()), max_size=200))
def test_any_text_survives_as_strict_json_on_one_line(text: str) -> None:
    import tempfile

    schedule = sessions.keys(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s1.jsonl"
        with Ledger.create(path) as book:
            book.append("session", sessions.header(schedule))
            book.append("trial", sessions.trial(schedule[0], text=text))
        lines = path.read_bytes().split(b"\n")
        assert len(lines) == 3
        value = json.loads(lines[1].decode("utf-8"))
        stored = value["outcome"]["final_text"]["text"]
    assert len(stored) == len(text)
    assert stored == "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def test_a_disk_that_fails_while_the_file_gets_its_name_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(folder: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(folder))

    monkeypatch.setattr("mmbench.ledger._sync_folder", fail)
    with Ledger.create(tmp_path / "s1.jsonl") as book, pytest.raises(PrerequisiteError, match="Input/output"):
        book.append("session", sessions.header(sessions.keys(), session="s1"))
