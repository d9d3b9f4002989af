"""Whether a results file is the one that was hashed before, told without reading it, as git's index tells it.

A file counts as the same when size, both times, inode and device are. The
time of change cannot be set by hand, so an edit that puts the other time back
is seen. A file that had just been written when it was read is read again: a
second change within one tick of the clock would leave no trace.
"""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
from msgspec import Struct

from mmbench.report.store import Store

_ENTRY = "seen"
SETTLED_NS = 3_000_000_000
"""How long a file must have been left alone: more than a tick of the coarsest file systems."""


class Stamp(Struct, frozen=True, array_like=True):
    """What the file system says of a file."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    device: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """Return the stamp of a file; OSError when there is none."""
        found = path.stat()
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)

    @property
    def settled(self) -> bool:
        """Tell whether the file has been left alone for a while."""
        return time.time_ns() - max(self.modified_ns, self.changed_ns) > SETTLED_NS


class Mark(Struct, frozen=True, array_like=True):
    """A file as it was when it was hashed."""

    stamp: Stamp
    sha256: str


_MARKS = msgspec.msgpack.Decoder(dict[str, Mark])


class Seen:
    """The files of the build before, by name; `keep` leaves those of this one."""

    def __init__(self, store: Store, fingerprint: str) -> None:
        self._store, self._fingerprint = store, fingerprint
        data = store.read(_ENTRY, fingerprint)
        self._before: dict[str, Mark] = {} if data is None else _MARKS.decode(data)
        self._now: dict[str, Mark] = {}

    def sha256(self, name: str, stamp: Stamp) -> str | None:
        """Return the hash of a file that is the one that was read before."""
        mark = self._before.get(name)
        if mark is None or mark.stamp != stamp:
            return None
        self._now[name] = mark
        return mark.sha256

    def note(self, path: Path, stamp: Stamp, sha256: str) -> None:
        """Remember a file that was read after the stamp was taken, unless it may have changed meanwhile."""
        if stamp.settled and Stamp.of(path) == stamp:
            self._now[path.name] = Mark(stamp, sha256)

    def keep(self) -> None:
        """Leave the files of this build to the next."""
        if self._now != self._before:
            self._store.write(_ENTRY, self._fingerprint, msgspec.msgpack.encode(self._now))
