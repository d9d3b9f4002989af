"""What is kept of earlier builds: whole and by the same code, or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench.errors import PrerequisiteError
from mmbench.report.store import Store, fingerprint


def test_what_was_written_is_read(tmp_path: Path) -> None:
    Store(tmp_path / "new").write("folded/a", "code", b"one\ntwo\n")
    assert Store(tmp_path / "new").read("folded/a", "code") == b"one\ntwo\n"


def test_another_fingerprint_or_name_is_another_entry(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write("a", "code", b"one")
    assert store.read("a", "other code") is None
    (tmp_path / "b").write_bytes((tmp_path / "a").read_bytes())
    assert store.read("b", "code") is None


@pytest.mark.parametrize("size", [0, 10])
def test_no_byte_of_an_entry_can_change_unseen(tmp_path: Path, size: int) -> None:
    store, path = Store(tmp_path), tmp_path / "a"
    store.write("a", "code", b"x" * size)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert store.read("a", "code") is None, place
        path.write_bytes(whole[:place])
        assert store.read("a", "code") is None, place
    path.write_bytes(whole + b"x")
    assert store.read("a", "code") is None


def test_without_a_folder_nothing_is_kept() -> None:
    store = Store(None)
    store.write("a", "code", b"one")
    assert store.read("a", "code") is None


def test_a_folder_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(PrerequisiteError, match="cache cannot be written"):
        Store(tmp_path / "cache").write("a", "code", b"one")


def test_the_fingerprint_is_of_all_code_that_the_report_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    assert fingerprint() == before
    changed = {"report/stats/pairs.py", "soundness.py"}
    read = Path.read_bytes

    def other(path: Path) -> bytes:
        return read(path) + (b"#" if any(str(path).endswith(f"mmbench/{name}") for name in changed) else b"")

    monkeypatch.setattr(Path, "read_bytes", other)
    assert fingerprint.__wrapped__() != before
