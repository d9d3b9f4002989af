"""Remove what sessions left beside their records: sandboxes, raw streams, artifacts.

Records and scores stay. Nothing is removed while a session is under way. What
was removed is written down beside the session's results (`mmbench.cleanup`), or
in `.mmbench/clean.log.jsonl` when the results folder does not hold the session.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench import cleanup, jsontext, ledger
from mmbench.bench import tree
from mmbench.cleanup import KINDS, Kind
from mmbench.errors import UsageError
from mmbench.layout import Project, is_name

LOG = "clean.log.jsonl"
DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Item:
    """One folder of one session."""

    kind: Kind
    session: str
    path: Path
    files: int
    bytes: int
    newest: float
    """Seconds since the epoch of its newest entry."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items are meant; all of what is given must hold."""

    sessions: Collection[str] = ()
    """All when empty."""
    kinds: Collection[Kind] = KINDS
    older_than_days: float | None = None
    larger_than_mb: float | None = None

    def means(self, item: Item, now: float) -> bool:
        """Tell whether an item is meant."""
        return (
            item.kind in self.kinds
            and (not self.sessions or item.session in self.sessions)
            and (self.older_than_days is None or now - item.newest > self.older_than_days * DAY_S)
            and (self.larger_than_mb is None or item.bytes > self.larger_than_mb * 1e6)
        )


def found(where: Project, wanted: Wanted, now: float | None = None) -> list[Item]:
    """Return the items that are there and meant, by session and kind."""
    moment = time.time() if now is None else now
    items = (item for kind in KINDS for item in _items(_place(where, kind), kind))
    return sorted(
        (item for item in items if wanted.means(item, moment)), key=lambda i: (i.session, KINDS.index(i.kind))
    )


def _place(where: Project, kind: Kind) -> Path:
    return {
        "sandboxes": where.sandboxes,
        "streams": where.streams("x").parent,
        "artifacts": where.artifacts("x").parent,
    }[kind]


def _items(place: Path, kind: Kind) -> Iterator[Item]:
    for path in sorted(place.iterdir()) if place.is_dir() else []:
        if path.is_symlink() or not path.is_dir():
            continue
        looks = [status for _, status in tree.walk(path)]
        yield Item(
            kind,
            path.name,
            path,
            files=len(looks),
            bytes=sum(status.st_blocks * 512 for status in looks),
            newest=max([status.st_mtime for status in looks], default=path.lstat().st_mtime),
        )


@contextlib.contextmanager
def _none_active(where: Project, sessions: Collection[str]) -> Iterator[None]:
    """Look at every session's lock, and hold those of the named ones; UsageError when one is under way."""
    locks = [*where.sandboxes.glob("*/lock"), *ledger.ledgers(where.results)]
    with contextlib.ExitStack() as stack:
        for path in locks:
            if _name(path) in sessions:
                stack.enter_context(_locked(path))
            else:
                with _locked(path):
                    pass  # held no longer: there may be more of them than a process can hold open
        yield


def _name(lock: Path) -> str:
    return lock.stem if lock.suffix else lock.parent.name


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        yield  # its session has ended since it was listed
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise UsageError(
            f"Session {_name(path)} is under way: nothing is removed.", fix="Wait for it to end, or stop it."
        ) from error
    finally:
        os.close(descriptor)


def remove(where: Project, items: Sequence[Item]) -> list[dict[str, Any]]:
    """Remove items and log each; one that cannot be removed is logged as failed and can be tried again."""
    with _none_active(where, {item.session for item in items}):
        return [_removed(where, item) for item in items]


def _removed(where: Project, item: Item) -> dict[str, Any]:
    """Remove one folder; its log is opened before, so that nothing goes unrecorded."""
    with _log(where, item.session) as note:
        error = None
        there = item.path.is_dir()
        try:
            tree.remove(item.path)
        except OSError as failure:
            error = failure.strerror or type(failure).__name__
        line = {
            "session": item.session,
            "what": item.kind,
            "files": item.files,
            "bytes": item.bytes,
            "result": "failed" if error else "removed" if there else "missing",
            "error": error,
        }
        note(line)
    return line


@contextlib.contextmanager
def _log(where: Project, session: str) -> Iterator[Callable[[dict[str, Any]], object]]:
    """Open the log of a session: beside its results, or on this machine when they are elsewhere."""
    if is_name(session) and where.ledger(session).is_file():
        with cleanup.writer(where.results, session) as book:
            yield lambda line: book.append(cleanup.RECORD, line)
        return
    where.state.mkdir(parents=True, exist_ok=True)
    with (where.state / LOG).open("ab") as file:
        yield lambda line: file.write(jsontext.dumps({"at": ledger.utc_now()} | line).encode() + b"\n")


def after_session(where: Project, session: str) -> list[dict[str, Any]]:
    """Remove a finished session's sandboxes and raw streams; its artifacts are part of the results."""
    wanted = Wanted(sessions=(session,), kinds=("sandboxes", "streams"))
    return [_removed(where, item) for item in found(where, wanted)]


def said(items: Sequence[Item]) -> str:
    """List items for people, with the sum."""
    rows = [f"{i.session}  {i.kind:<10} {i.files:>6} entries {i.bytes / 1e6:>10.1f} MB" for i in items]
    total = sum(item.bytes for item in items)
    return "\n".join([*rows, f"{len(items)} folders, {total / 1e6:.1f} MB"])
