"""Pages and files on their way into the site, and groups of them that need no making again.

A group names everything its files follow from in one key. When the key is
that of an earlier build and every file of the group still has the bytes that
it was given, the group is counted, checked and left alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from mmbench.report import artifacts
from mmbench.report.output import Output
from mmbench.report.publish.budget import Budget
from mmbench.report.publish.links import Links
from mmbench.report.render import File, Page, Renderer
from mmbench.report.store import Store

_ENTRY = "groups"


class Look(Struct, frozen=True, array_like=True):
    """A kept file that a group shows or misses, and what there was of it."""

    stored: str | None
    sha256: str | None
    state: str


Item = Page | File | Look


@dataclass(frozen=True, slots=True)
class Group:
    """Pages and files that are made together or not at all."""

    name: str
    """Unique in a site."""
    key: str
    """Changes whenever one of them would; what is looked at beside the records is asked again each time."""
    make: Callable[[], Iterable[Item]]


class Made(Struct, frozen=True, array_like=True):
    """One file as it was written."""

    path: str
    size: int
    sha256: bytes


class Record(Struct, frozen=True):
    """A group as it was written."""

    key: str
    files: list[Made]
    targets: dict[str, str]
    """What its pages point at, and a page that does."""
    looks: list[Look]


Records = dict[str, Record]
_RECORDS = msgspec.msgpack.Decoder(Records)


class Groups:
    """The groups of the build before; `keep` leaves those of this one."""

    def __init__(self, store: Store, fingerprint: str) -> None:
        self._store, self._fingerprint = store, fingerprint
        data = store.read(_ENTRY, fingerprint)
        self._before: Records = {} if data is None else _RECORDS.decode(data)
        self._now: Records = {}

    def known(self, group: Group) -> Record | None:
        """Return what was written for a group with this key."""
        found = self._before.get(group.name)
        return found if found is not None and found.key == group.key else None

    def add(self, name: str, record: Record) -> None:
        """Remember a group of this build."""
        self._now[name] = record

    def keep(self) -> None:
        """Leave the groups of this build to the next."""
        if self._now != self._before:
            self._store.write(_ENTRY, self._fingerprint, msgspec.msgpack.encode(self._now))


class Assembly:
    """Takes pages, files and groups, writes what differs, and accounts for all of it."""

    def __init__(self, output: Output, renderer: Renderer, groups: Groups, results: Path) -> None:
        self.output, self.links, self.budget = output, Links(), Budget()
        self.pages: list[str] = []
        self._renderer, self._groups, self._results = renderer, groups, results

    def add(self, item: Item | Group) -> None:
        """Take in one item."""
        if isinstance(item, Group):
            self._group(item)
        elif not isinstance(item, Look):
            for file in self._files(item):
                self._file(file)

    def _again(self, file: File) -> bool:
        """Tell whether it is one file of several trials that is written already."""
        return file.path.startswith("artifacts/") and self.output.has(file.path)

    def _files(self, item: Page | File) -> Iterable[File]:
        return [item] if isinstance(item, File) else self._renderer.files(item)

    def _file(self, file: File) -> Mapping[str, str]:
        """Write one file; returns what it points at."""
        self.output.write(file.path, file.data)
        self.budget.add(file.path, len(file.data))
        if not file.path.endswith(".html"):
            return {}
        self.pages.append(file.path)
        return self.links.add(file.path, file.data.decode())

    def _group(self, group: Group) -> None:
        known = self._groups.known(group)
        record = known if known is not None and self._stands(known) else None
        if record is None:
            record = self._make(group)
        else:
            self._take(record)
        self._groups.add(group.name, record)

    def _stands(self, record: Record) -> bool:
        """Tell whether every file is as it was written, and what lies beside the records as it was seen."""
        return all(self._seen(look) for look in record.looks) and all(
            self.output.holds(made.path, made.sha256) for made in record.files
        )

    def _seen(self, look: Look) -> bool:
        return artifacts.state(self._results, look.stored, look.sha256) == look.state

    def _take(self, record: Record) -> None:
        for made in record.files:
            self.output.leave(made.path)
            self.budget.add(made.path, made.size)
            if made.path.endswith(".html"):
                self.pages.append(made.path)
        self.links.take(record.targets)

    def _make(self, group: Group) -> Record:
        record = Record(group.key, [], {}, [])
        for item in group.make():
            if isinstance(item, Look):
                record.looks.append(item)
                continue
            for file in self._files(item):
                if self._again(file):
                    continue
                for target, page in self._file(file).items():
                    record.targets.setdefault(target, page)
                record.files.append(Made(file.path, len(file.data), hashlib.sha256(file.data).digest()))
        return record
