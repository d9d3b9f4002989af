"""Files that are told to be the same without being read, and every way in which they are not."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from mmbench.report import load, seen
from mmbench.report.load import Kept
from mmbench.report.seen import Seen, Stamp
from mmbench.report.store import Store
from tests.support import synthetic
from tests.support.synthetic import Plan


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every file for one that has been left alone."""
    monkeypatch.setattr(seen, "SETTLED_NS", -1)


def noted(store: Store, path: Path) -> None:
    marks = Seen(store, "code")
    marks.note(path, Stamp.of(path), "hash")
    marks.keep()


def known(store: Store, path: Path, code: str = "code") -> str | None:
    return Seen(store, code).sha256(path.name, Stamp.of(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "a.jsonl"
    made.write_bytes(b"one\n")
    return made


@pytest.mark.usefixtures("settled")
def test_a_file_that_was_left_alone_is_known(tmp_path: Path, path: Path) -> None:
    store = Store(tmp_path / "cache")
    noted(store, path)
    assert known(store, path) == "hash"
    assert known(store, path, "other code") is None


def rewritten(path: Path) -> None:
    time.sleep(0.02)  # more than a tick of the clock that stamps files
    status = path.stat()
    path.write_bytes(b"two\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replaced(path: Path) -> None:
    other = path.with_name("other")
    shutil.copy2(path, other)
    other.replace(path)


def longer(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"two\n")


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("change", [rewritten, replaced, longer])
def test_a_changed_file_is_not(tmp_path: Path, path: Path, change: object) -> None:
    assert callable(change)
    store = Store(tmp_path / "cache")
    noted(store, path)
    change(path)
    assert known(store, path) is None


def test_a_file_that_was_just_written_is_read_again(tmp_path: Path, path: Path) -> None:
    store = Store(tmp_path / "cache")
    noted(store, path)
    assert known(store, path) is None


@pytest.mark.usefixtures("settled")
def test_a_file_that_changes_while_it_is_read_is_not_noted(tmp_path: Path, path: Path) -> None:
    store, marks = Store(tmp_path / "cache"), Seen(Store(None), "code")
    stamp = Stamp.of(path)
    longer(path)
    marks.note(path, stamp, "hash")
    assert marks.sha256(path.name, stamp) is None
    assert known(store, path) is None


@pytest.mark.usefixtures("settled")
def test_results_that_are_known_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, store = tmp_path / "results", Store(tmp_path / "cache")
    synthetic.tree(results, [Plan("synthetic-a", cases=8)], synthetic.write_fast)

    def read() -> load.Results:
        return load.results(results, kept=Kept(store, "code"))

    before = read()
    trials = before.sessions[0].trials
    (ledger,) = results.glob("*.jsonl")
    bytes_of = Path.read_bytes

    def never(path: Path) -> bytes:
        assert path != ledger, "read again"
        return bytes_of(path)

    monkeypatch.setattr(Path, "read_bytes", never)
    again = read()
    assert again.sessions == before.sessions
    assert again.sessions[0].trials == trials
    shutil.rmtree(tmp_path / "cache" / "folded")
    with pytest.raises(AssertionError, match="read again"):
        read()
