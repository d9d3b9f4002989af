"""The folder of the built site: unchanged files stay, files that are no longer made go."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import BinaryIO, Self

from mmbench.errors import PrerequisiteError, UsageError

MARKER = ".mmbench-site"
"""Its first line says that a folder is ours, the others which files are; a new file is named before it is written."""
_TITLE = "mmbench site: files below are replaced or removed by the next build"


class Output:
    """Collects the files of one build, in a `with` block; `finish` removes what earlier ones left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before = _listed(folder)
        self._journal = self._claim()
        self._now: set[str] = set()
        self._folders: set[Path] = set()
        self.changed = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    @property
    def files(self) -> frozenset[str]:
        """Return the files of this build so far."""
        return frozenset(self._now)

    def has(self, path: str) -> bool:
        """Tell whether this build has written a file."""
        return path in self._now

    def holds(self, path: str, sha256: bytes) -> bool:
        """Tell whether an earlier build wrote a file that still has the bytes of this hash."""
        if path not in self._before:
            return False
        try:
            return hashlib.sha256((self.folder / path).read_bytes()).digest() == sha256
        except OSError:
            return False

    def leave(self, path: str) -> None:
        """Make an earlier file one of this build."""
        self._take(path)

    def _take(self, path: str) -> None:
        if path in self._now:
            raise ValueError(f"{path} is made twice")
        self._now.add(path)

    def _claim(self) -> BinaryIO:
        """Mark the folder as ours before anything is written, and return the marker, to write on in it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            marker = (self.folder / MARKER).open("ab", buffering=0)
            if marker.tell() == 0:
                marker.write(f"{_TITLE}\n".encode())
        except OSError as error:
            raise PrerequisiteError(
                f"The folder {self.folder.name} cannot be written: {error.strerror}.",
                fix="Name another folder with --out DIR.",
            ) from error
        return marker

    def write(self, path: str, data: bytes) -> None:
        """Write one file unless it has these bytes already."""
        self._take(path)
        target = self.folder / path
        try:
            if path in self._before and _same(target, data):
                return
            if target.parent not in self._folders:
                target.parent.mkdir(parents=True, exist_ok=True)
                self._folders.add(target.parent)
            if path not in self._before:
                self._journal.write(f"\n{path}".encode())  # whole, even behind a line that was cut
            target.write_bytes(data)
        except OSError as error:
            raise PrerequisiteError(
                f"{path} cannot be written: {error.strerror}.",
                where=self.folder.name,
                fix="Free space, or name another folder with --out DIR.",
            ) from error
        self.changed += 1

    def finish(self) -> int:
        """Remove the files of an earlier build that are no longer made; returns how many."""
        stale = sorted(self._before - self._now - {MARKER})
        for path in stale:
            (self.folder / path).unlink(missing_ok=True)
        for folder in sorted({(self.folder / path).parent for path in stale}, reverse=True):
            _remove_empty(folder, self.folder)
        self.write(MARKER, "\n".join((_TITLE, *sorted(self._now), "")).encode())
        return len(stale)


def _same(target: Path, data: bytes) -> bool:
    try:
        return target.stat().st_size == len(data) and target.read_bytes() == data
    except OSError:
        return False


def _listed(folder: Path) -> set[str]:
    """Return what an earlier build wrote; UsageError when the folder is somebody else's."""
    marker = folder / MARKER
    if marker.is_file():
        return {line for line in marker.read_text().splitlines()[1:] if _inside(line)} | {MARKER}
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            f"{folder.name} is not empty and was not built by mmbench.",
            where=str(folder),
            fix="Name an empty folder with --out DIR.",
        )
    return set()


def _inside(line: str) -> bool:
    return bool(line) and not line.startswith("/") and ".." not in line.split("/")


def _remove_empty(folder: Path, root: Path) -> None:
    while folder != root and folder.is_dir() and _empty(folder):
        folder.rmdir()
        folder = folder.parent


def _empty(folder: Path) -> bool:
    with os.scandir(folder) as entries:
        return next(entries, None) is None
