"""A results file before its first line: under another name, so that a session that was killed then never began."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from pathlib import Path

TRIES = 100
PAUSE_S = 0.01


def place(path: Path) -> Path:
    """Return where a results file lies until its first line is whole."""
    return path.with_name(f".{path.name}.part")


def begin(path: Path) -> int:
    """Make and lock the file of a session that begins, and return its descriptor; OSError when it cannot be made.

    Until it is locked, another bench that begins may take it for one that a kill left
    and sweep it away.
    """
    for _ in range(TRIES):
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(place(path), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            if _held(descriptor):
                return descriptor
            os.close(descriptor)
        time.sleep(PAUSE_S)
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place(path)))


def sweep(folder: Path) -> None:
    """Remove what sessions left that were killed before their first line; one under way holds its lock."""
    for path in folder.glob(".*.jsonl.part"):
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            continue  # it has just got its own name, or was swept away
        try:
            if _held(descriptor):
                path.unlink(missing_ok=True)
        finally:
            os.close(descriptor)


def _held(descriptor: int) -> bool:
    """Lock a file, and tell whether it is ours: locked by nobody else and not taken away."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return os.fstat(descriptor).st_nlink > 0
