"""A tree of files on disk: copied in, looked at afterwards without trust, removed whatever its modes."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Literal

from mmbench import jsontext
from mmbench.layout import inside

Kind = Literal["file", "directory", "symlink", "other"]
Change = Literal["added", "modified", "deleted"]
HASH_LIMIT = 512 << 20
"""Larger files are told by their size only: hashing them would take longer than the agent."""
HASH_TOTAL = 8 << 30
"""What is hashed of one tree: files full of holes take no disk, however many and large they are."""
DEEPEST = 8
"""Levels below a tree's root at which things are removed; names of full length still make a path there."""


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
    """Compare two looks at a tree, by path; contents of new and changed files are hashed, up to HASH_TOTAL."""
    found = [
        TreeChange(path, "deleted", before[path].kind, before[path].size, None)
        for path in before.keys() - after.keys()
    ]
    left = HASH_TOTAL
    for path, mark in after.items():
        old = before.get(path)
        if old is not None and not _differs(old, mark):
            continue
        digest = None
        if mark.kind == "file" and mark.size <= min(left, HASH_LIMIT):
            left -= mark.size
            digest = file_hash(root / path)
        change: Change = "added" if old is None else "modified"
        found.append(TreeChange(path, change, mark.kind, mark.size, digest))
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


def file_hash(path: Path) -> str | None:
    """Return the SHA-256 of a regular file; None for anything else, unreadable or too large."""
    file = _opened(path, HASH_LIMIT)
    if file is None:
        return None
    with file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_regular(root: Path, path: str, limit: int) -> bytes | None:
    """Read a regular file of at most `limit` bytes below a folder; None for anything else.

    The file itself may be no link, and no folder on the way may lead out of `root`:
    what an agent made must not make the harness read a file of the user's.
    """
    place = root / path
    if not inside(place.parent, root):
        return None
    file = _opened(place, limit)
    if file is None:
        return None
    with file:
        return file.read(limit)


def _opened(path: Path, limit: int) -> BufferedReader | None:
    """Open a regular file of at most `limit` bytes.

    Opened without following links or blocking, and looked at again once open,
    so that a FIFO, a folder or a link put in its place is never read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_size <= limit:
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    return None


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
    """Remove a tree whatever modes its folders were given and however deep it is; OSError when something stays.

    Every folder is opened up before it is looked into, links are never followed. What
    lies deep is first brought to the top: nothing can be done at a path longer than
    the system takes, which an agent reaches by changing folder.
    """
    if root.is_symlink():
        root.unlink()
    folders: list[Path] = []
    pending = [(root, 0)] if root.exists() else []
    while pending:
        folder, depth = pending.pop()
        folders.append(folder)
        folder.chmod(0o700)
        with os.scandir(folder) as entries:
            found = list(entries)
        for entry in found:
            path = folder / entry.name
            if not entry.is_dir(follow_symlinks=False):
                path.unlink()
            elif depth < DEEPEST:
                pending.append((path, depth + 1))
            else:
                path.chmod(0o700)  # or it could not be moved
                pending.append((path.rename(root / uuid.uuid4().hex), 1))
    for folder in reversed(folders):
        folder.rmdir()
