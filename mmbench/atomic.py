"""Files that are whole or not there: written under another name, on the disk, then given their own.

And what one process at a time may do.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mmbench.errors import PrerequisiteError

SUFFIX = ".part"


def write(path: Path, data: bytes) -> None:
    """Write a file that nobody sees half; writers of one path at the same time do not disturb each other.

    PrerequisiteError when the folder cannot be written; what a kill leaves is a
    hidden file that `sweep` removes.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, data)
    except OSError as error:
        raise PrerequisiteError(
            f"{path.name} cannot be written: {error.strerror}.",
            where=str(path.parent),
            fix="Free space or make the folder writable, then run the same command again.",
        ) from error


def _write(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=SUFFIX, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time do something; others wait for it. The file that is locked stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def sweep(folder: Path) -> None:
    """Remove what killed writers left in a folder; call it while nobody else writes there."""
    for partial in folder.glob(f".*{SUFFIX}"):
        partial.unlink(missing_ok=True)
