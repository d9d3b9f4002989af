"""PATH, built rather than pruned: one folder of links to the host's programs.

Taking folders off PATH either leaves mm reachable or takes other programs
along. Both arms get a folder made by the same call, to which the arm adds its
one `mm`; the listing's hash shows that they are equal but for that.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Binfolder:
    """A folder of links: where it is, how many, and the hash of names and targets."""

    folder: Path
    count: int
    digest: str


def build(
    folder: Path,
    path: str,
    *,
    roots: Sequence[Path],
    extra: Mapping[str, Path] | None = None,
    exclude: Callable[[str, str], bool] = lambda name, real: False,
) -> Binfolder:
    """Link every program that a PATH reaches into a new folder; the first match of a name wins.

    Only programs whose real path lies below one of `roots` are taken, because
    the sandbox shows nothing else; `extra` (name -> target) is added as it is
    and wins; `exclude` is asked with entry name and real path.
    """
    links = {name: str(target) for name, target in (extra or {}).items()}
    inside = tuple(f"{os.path.realpath(root).rstrip('/')}/" for root in roots)
    for name, real in _programs(path):
        if name not in links and real.startswith(inside) and not exclude(name, real):
            links[name] = real
    folder.mkdir(parents=True)
    for name in sorted(links):
        os.symlink(links[name], f"{folder}/{name}")  # noqa: PTH211 (twice as fast as pathlib)
    return Binfolder(folder, len(links), _hash((name, links[name]) for name in links))


def listing(folder: Path, without: Collection[str] = ()) -> str:
    """Hash what a folder holds now, leaving some names out; equal to `Binfolder.digest` when untouched."""
    names = (name for name in os.listdir(folder) if name not in without)  # noqa: PTH208
    return _hash((name, _described(f"{folder}/{name}")) for name in names)


def _programs(path: str) -> Iterator[tuple[str, str]]:
    """Yield entry name and real path of each executable file on a PATH, in the order of PATH."""
    seen: set[str] = set()
    for folder in path.split(os.pathsep):
        real = os.path.realpath(folder)
        if not folder.startswith("/") or real in seen or not os.path.isdir(real):  # noqa: PTH112
            continue
        seen.add(real)
        with os.scandir(real) as entries:
            yield from ((entry.name, target) for entry in entries if (target := _target(entry, real)))


def _target(entry: os.DirEntry[str], folder: str) -> str:
    """Return the real path of an entry that can be executed, or an empty string."""
    try:
        mode = entry.stat().st_mode
    except OSError:  # dangling, a loop of links, or out of reach
        return ""
    if not stat.S_ISREG(mode) or not mode & 0o111:
        return ""
    # Only links can lead elsewhere; resolving every entry would triple the time.
    return os.path.realpath(entry.path) if entry.is_symlink() else f"{folder}/{entry.name}"


def _described(path: str) -> str:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return os.readlink(path)  # noqa: PTH115
    if not stat.S_ISREG(mode):
        return f"mode {mode:o}"
    with open(path, "rb") as stream:  # noqa: PTH123
        return f"mode {mode:o} sha256 {hashlib.file_digest(stream, 'sha256').hexdigest()}"


def _hash(pairs: Iterator[tuple[str, str]]) -> str:
    total = hashlib.sha256()
    for name, target in sorted(pairs):
        total.update(os.fsencode(name) + b"\0" + os.fsencode(target) + b"\0")
    return total.hexdigest()
