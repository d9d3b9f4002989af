"""Look at a tree that an untrusted program left behind, without being led astray.

Nothing is opened before `lstat` has shown a regular file under a size cap, no
link is followed out of the tree, and what its owner may not read is not read,
so that root and any other user see the same.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mmbench.bench.grading.base import CheckFailedToRun, FileFact, FileKind, Refused

MAX_ENTRIES = 100_000
MAX_DEPTH = 64
MAX_HASHED = 2 << 30
_CHUNK = 1 << 20
_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)


def survey(root: Path, *, hashes: bool = False) -> dict[str, FileFact]:
    """Return what is in a tree by relative POSIX path, sorted; links are not followed.

    Hashes of regular files are taken on request. Raises Refused when the tree
    has more entries or levels than any honest one.
    """
    facts: dict[str, FileFact] = {}
    for path, entry in _walk(root, "", 0):
        if len(facts) >= MAX_ENTRIES:
            raise Refused(f"The tree holds more than {MAX_ENTRIES:,} entries.")
        facts[path] = _fact(entry)
    if hashes:
        return {path: _with_hash(root, path, fact) for path, fact in sorted(facts.items())}
    return dict(sorted(facts.items()))


def open_regular(root: Path, relative: str, cap: int) -> int:
    """Open a regular file of the tree for reading and return its descriptor.

    Raises Refused, with the reason, for anything that is missing, not a
    regular file, over `cap` bytes, closed to its owner or outside the tree.
    """
    try:
        real = _inside(root, relative)
        status = real.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise Refused(f"{relative} is a {_kind_name(status.st_mode)}, not a file.")
        if status.st_size > cap:
            raise Refused(f"{relative} has {status.st_size:,} bytes, over the limit of {cap:,}.")
        return os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise _explain(error, relative) from error


def read_regular(root: Path, relative: str, cap: int) -> bytes:
    """Return the bytes of a regular file of the tree; raises Refused as `open_regular` does."""
    with os.fdopen(open_regular(root, relative, cap), "rb") as file:
        return file.read(cap)


def sha256_regular(root: Path, relative: str, cap: int = MAX_HASHED) -> str:
    """Return the SHA-256 of a regular file of the tree; raises Refused as `open_regular` does."""
    digest = hashlib.sha256()
    with os.fdopen(open_regular(root, relative, cap), "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def real_path(root: Path, relative: str, cap: int) -> Path:
    """Return the real path of a regular file of the tree, for a parser that wants a path."""
    os.close(open_regular(root, relative, cap))
    return _inside(root, relative)


def _walk(root: Path, prefix: str, depth: int) -> Iterator[tuple[str, os.DirEntry[str]]]:
    if depth > MAX_DEPTH:
        raise Refused(f"The tree is more than {MAX_DEPTH} folders deep.")
    folder = root / prefix
    if not _is_open(folder.lstat().st_mode, folder=True):
        return
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise _explain(error, prefix or ".") from error
    for entry in entries:
        path = f"{prefix}/{entry.name}" if prefix else entry.name
        yield path, entry
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(root, path, depth + 1)


def _fact(entry: os.DirEntry[str]) -> FileFact:
    status = entry.stat(follow_symlinks=False)
    kind = kind_of(status.st_mode)
    return FileFact(
        kind=kind,
        size=status.st_size if kind == "file" else 0,
        mode=stat.S_IMODE(status.st_mode),
        mtime_ns=status.st_mtime_ns,
        target=str(Path(entry.path).readlink()) if kind == "symlink" else None,
        ctime_ns=status.st_ctime_ns,
        inode=status.st_ino,
    )


def _with_hash(root: Path, path: str, fact: FileFact) -> FileFact:
    if fact.kind != "file":
        return fact
    try:
        digest = sha256_regular(root, path)
    except Refused:
        return fact
    return replace(fact, sha256=digest)


def kind_of(mode: int) -> FileKind:
    """Return the kind of entry that an `st_mode` stands for."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "symlink" if stat.S_ISLNK(mode) else "other"


def _kind_name(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISFIFO(mode):
        return "named pipe"
    return "device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "special file"


def _inside(root: Path, relative: str) -> Path:
    """Resolve the links of a path; raises Refused when it leaves the tree or is closed to its owner."""
    top = Path(os.path.realpath(root))
    real = Path(os.path.realpath(top / relative, strict=True))
    if not real.is_relative_to(top):
        raise Refused(f"{relative} leads out of the tree.")
    for parent in real.relative_to(top).parents:
        if not (top / parent).lstat().st_mode & stat.S_IXUSR:
            raise Refused(f"{relative} is in a folder that its owner may not enter.")
    if not _is_open(real.lstat().st_mode, folder=False):
        raise Refused(f"{relative} may not be read by its owner.")
    return real


def _is_open(mode: int, *, folder: bool) -> bool:
    wanted = stat.S_IRUSR | (stat.S_IXUSR if folder else 0)
    return mode & wanted == wanted


def _explain(error: OSError | ValueError, relative: str) -> Exception:
    if isinstance(error, ValueError) or error.errno in _MISSING:
        return Refused(f"{relative} does not exist.")
    if isinstance(error, PermissionError):
        return Refused(f"{relative} may not be read by its owner.")
    return CheckFailedToRun(f"{relative} could not be looked at: {error.strerror}")
