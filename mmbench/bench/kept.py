"""Files that must be after a trial what they were before: seen by their stat, proven by their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Stat = tuple[int, int, int, int]
"""Size, modification time, change time (nanoseconds) and inode of a file."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Files with their hashes, and how they looked when these were taken."""

    hashes: Mapping[Path, str] = field(repr=False)
    stats: Mapping[Path, Stat | None] = field(repr=False)

    def changed(self) -> list[str]:
        """List the files that are not what they were, reading only those whose stat moved."""
        moved = [path for path in self.hashes if stat_of(path) != self.stats.get(path)]
        return [str(path) for path in moved if not path.is_file() or sha256(path) != self.hashes[path]]


def keep(paths: Iterable[Path]) -> Kept:
    """Hash files now, to compare with later."""
    return remember({path: sha256(path) for path in paths})


def remember(hashes: Mapping[Path, str]) -> Kept:
    """Look at files whose hashes are known; costs microseconds per file."""
    return Kept(hashes, {path: stat_of(path) for path in hashes})


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def stat_of(path: Path) -> Stat | None:
    """Return what a file looks like from outside, None for one that is gone."""
    try:
        seen = path.stat(follow_symlinks=False)
    except OSError:
        return None
    return (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
