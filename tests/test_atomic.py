"""A file is whole or not there."""

from __future__ import annotations

import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mmbench import atomic
from mmbench.errors import PrerequisiteError


def test_folders_are_made_and_old_bytes_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.json"
    for data in (b"one", b"two"):
        atomic.write(path, data)
        assert path.read_bytes() == data
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


def test_writers_of_one_path_do_not_disturb_each_other(tmp_path: Path) -> None:
    many = 8
    start, path = threading.Barrier(many), tmp_path / "same"

    def write(_: int) -> None:
        start.wait()
        atomic.write(path, b"same bytes " * 10_000)

    with ThreadPoolExecutor(many) as executor:
        for _ in range(10):
            list(executor.map(write, range(many)))
            assert path.read_bytes() == b"same bytes " * 10_000
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_fails_leaves_the_old_file_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept"
    atomic.write(path, b"old")

    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(PrerequisiteError, match="No space left"):
        atomic.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_kill_left_is_swept(tmp_path: Path) -> None:
    atomic.write(tmp_path / "kept", b"x")
    (tmp_path / ".kept.abc.part").write_bytes(b"ha")
    atomic.sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    atomic.sweep(tmp_path / "none")
