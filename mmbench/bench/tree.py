"""A tree of files on disk: copied in, looked at afterwards without trust, removed whatever its modes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mmbench import jsontext

Kind = Literal["file", "directory", "symlink", "other"]
Change = Literal["added", "modified", "deleted"]
HASH_LIMIT = 512 << 20
"""Larger files are told by their size only: hashing them would take longer than the agent."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one `lstat` says of an entry, enough to see any change of its content.

    The inode change time cannot be set by a program, so an unchanged mark is
    an unchanged file.
    """

    kind: Kind
    size: int
    mode: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    target: str | None = None
    """Where a symbolic link points, as written."""


@dataclass(frozen=True, slots=True)
class TreeChange:
    """One entry that is not as it was."""

    path: str
    change: Change
    kind: Kind
    size: int
    sha256: str | None


def kind_of(mode: int) -> Kind:
    """Return the kind of an entry from its mode."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "symlink" if stat.S_ISLNK(mode) else "other"


def walk(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield (relative path, lstat) of every entry below a folder, never following a link.

    Folders that cannot be read are yielded, their contents are not.
    """
    pending = [""]
    while pending:
        prefix = pending.pop()
        try:
            entries = sorted(os.scandir(root / prefix), key=lambda entry: os.fsencode(entry.name))
        except OSError:
            continue
        for entry in entries:
            path = f"{prefix}{entry.name}"
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                pending.append(f"{path}/")


def marks(root: Path) -> dict[str, Mark]:
    """Return the mark of every entry below a folder by relative path."""
    return {
        path: Mark(
            kind_of(status.st_mode),
            status.st_size,
            stat.S_IMODE(status.st_mode),
            status.st_mtime_ns,
            status.st_ctime_ns,
            status.st_ino,
            _target(root / path) if stat.S_ISLNK(status.st_mode) else None,
        )
        for path, status in walk(root)
    }


def _target(link: Path) -> str | None:
    try:
        return str(link.readlink())
    except OSError:
        return None


def copy(source: Path, target: Path) -> None:
    """Copy a tree plainly, with times and modes; every file becomes the owner's to write."""
    shutil.copytree(source, target, symlinks=True)


def disk_usage(root: Path, enough: int) -> int:
    """Return the bytes that a tree's blocks take, stopping once over `enough`."""
    used = 0
    for _, status in walk(root):
        used += status.st_blocks * 512
        if used > enough:
            break
    return used


def changes(root: Path, before: Mapping[str, Mark], after: Mapping[str, Mark]) -> list[TreeChange]:
    """Compare two looks at a tree, by path; contents of new and changed files are hashed."""
    found = [
        TreeChange(path, "deleted", before[path].kind, before[path].size, None)
        for path in before.keys() - after.keys()
    ]
    for path, mark in after.items():
        old = before.get(path)
        if old is None:
            found.append(_now(root, path, "added", mark))
        elif _differs(old, mark):
            found.append(_now(root, path, "modified", mark))
    return sorted(found, key=lambda change: os.fsencode(change.path))


def touched(before: Mapping[str, Mark], after: Mapping[str, Mark]) -> set[str]:
    """Return the paths that came, went or changed between two looks at a tree, without reading a file."""
    both = before.keys() & after.keys()
    return (before.keys() ^ after.keys()) | {path for path in both if _differs(before[path], after[path])}


def _differs(old: Mark, new: Mark) -> bool:
    if old.kind != new.kind or old.mode != new.mode:
        return True
    # A folder's times and size change with its entries, which are told by themselves.
    return old.kind != "directory" and (old.size, old.mtime_ns, old.ctime_ns, old.inode) != (
        new.size,
        new.mtime_ns,
        new.ctime_ns,
        new.inode,
    )


def _now(root: Path, path: str, change: Change, mark: Mark) -> TreeChange:
    return TreeChange(
        path, change, mark.kind, mark.size, file_hash(root / path) if mark.kind == "file" else None
    )


def file_hash(path: Path) -> str | None:
    """Return the SHA-256 of a regular file; None for anything else, unreadable or too large.

    Opened without following links or blocking, and looked at again once open,
    so that a FIFO or a link put in its place is never read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > HASH_LIMIT:
            return None
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_regular(path: Path, limit: int) -> bytes | None:
    """Read a regular file of at most `limit` bytes that no link leads to; None for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        return file.read(limit) if stat.S_ISREG(status.st_mode) and status.st_size <= limit else None


def digest(after: Mapping[str, Mark], found: list[TreeChange], origin: Mapping[str, str]) -> str:
    """Return one hash of a final tree: paths, kinds and contents.

    `origin` holds the content hashes of the files as they were copied in.
    """
    now = {change.path: change.sha256 for change in found}
    rows = [
        [shown(path), mark.kind, now[path] if path in now else origin.get(path)]
        for path, mark in sorted(after.items(), key=lambda item: os.fsencode(item[0]))
    ]
    return jsontext.digest(rows)


def shown(path: str) -> str:
    """Return a path as text for people and records: bytes that are not UTF-8 as \\xNN."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def remove(root: Path) -> None:
    """Remove a tree whatever modes its folders were given; OSError when something stays.

    A folder without permissions hides its entries from `rmtree`, so every folder
    is opened up first; links are never followed.
    """
    with contextlib.suppress(FileNotFoundError):
        _open_up(root)
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(root)


def _open_up(root: Path) -> None:
    if stat.S_ISDIR(root.lstat().st_mode):
        root.chmod(0o700)
    pending = [root]
    while pending:
        for entry in os.scandir(pending.pop()):
            if entry.is_dir(follow_symlinks=False):
                folder = Path(entry.path)
                if entry.stat(follow_symlinks=False).st_mode & 0o700 != 0o700:
                    folder.chmod(0o700)
                pending.append(folder)
