"""The append-only, hash-chained results file of one session.

One JSON object per line, UTF-8, ended by a newline; each line but the first
carries the SHA-256 of the line before. One locked writer per file, one write
and one fsync per record, so that a record that was reported is on the disk.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mmbench import jsontext, records, schema, unborn
from mmbench.errors import DataError, PrerequisiteError, UsageError, unknown
from mmbench.layout import Project, is_name, shown
from mmbench.records import FoldError, Session

Redact = Callable[[Mapping[str, Any]], dict[str, Any]]
"""What takes secrets out of a record before it is written."""


@dataclass(frozen=True, slots=True)
class RawLine:
    """One complete line of a ledger as bytes, without its newline."""

    number: int
    """From 0."""
    data: bytes

    @property
    def sha256(self) -> str:
        """Return the hash that the next line must carry."""
        return jsontext.sha256(self.data)


def stamp(moment: datetime) -> str:
    """Return a moment in UTC as records write it, with milliseconds."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc_now() -> str:
    """Return the time as records write it."""
    return stamp(datetime.now(UTC))


def split(data: bytes) -> tuple[list[RawLine], bytes]:
    """Split a file's bytes at newlines only; the second value is a torn last line."""
    *whole, tail = data.split(b"\n")
    return [RawLine(number, line) for number, line in enumerate(whole)], tail


def parse_line(line: RawLine, path: Path) -> dict[str, Any]:
    """Read one line as a JSON object; DataError names the file and the line."""
    try:
        value = jsontext.loads(line.data)
    except (ValueError, RecursionError) as error:
        hint = (
            " It is a git merge marker." if line.data.startswith((b"<<<<<<<", b"=======", b">>>>>>>")) else ""
        )
        raise _bad(path, line.number, f"it is not a JSON object ({error}).{hint}") from error
    if not isinstance(value, dict):
        raise _bad(path, line.number, "it is not a JSON object")
    return value


def _bad(path: Path, number: int, reason: str) -> DataError:
    return DataError(
        f"Line {number + 1} of {path.name} is damaged: {reason}",
        where=f"{path.name}:{number + 1}",
        fix=f"Restore the file (git checkout -- {shown(path)}); earlier lines are intact.",
    )


def read(path: Path) -> tuple[list[dict[str, Any]], list[RawLine], bytes]:
    """Read a ledger: its values, its raw lines and a torn tail (b"" when whole)."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path.name} cannot be read: {error.strerror}.", where=path.name) from error
    lines, tail = split(data)
    return [parse_line(line, path) for line in lines], lines, tail


def chain_fault(values: list[dict[str, Any]], lines: list[RawLine]) -> FoldError | None:
    """Return the first line whose number or `prev` does not follow from the line before."""
    previous: str | None = None
    for value, line in zip(values, lines, strict=True):
        if value.get("seq") != line.number:
            return FoldError(line.number, f"seq is {value.get('seq')!r}, expected {line.number}")
        if value.get("prev") != previous:
            return FoldError(line.number, "prev is not the hash of the line before")
        previous = line.sha256
    return None


def chained(path: Path) -> tuple[list[dict[str, Any]], list[RawLine]]:
    """Read a file and check its chain; DataError says the first bad line."""
    values, lines, _ = read(path)
    broken = chain_fault(values, lines)
    if broken is not None:
        raise _bad(path, broken.line, broken.reason)
    return values, lines


def load(path: Path) -> Session:
    """Read, check the chain of and fold a ledger; DataError says the first bad line."""
    values, lines = chained(path)
    try:
        session = records.fold(values)
    except FoldError as error:
        raise _bad(path, error.line, error.reason) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path.name} does not have the fields of a ledger ({error!r}).",
            where=path.name,
            fix="Run `nox -s validate` to see every fault.",
        ) from error
    session.head = lines[-1].sha256
    return session


class Ledger:
    """The one writer of a results file, from `create` or `open` to `close`."""

    def __init__(self, path: Path, descriptor: int, clock: Callable[[], str], redact: Redact) -> None:
        self.path = path
        self._descriptor = descriptor
        self._clock = clock
        self._redact = redact
        self._seq = 0
        self._prev: str | None = None
        self._broken = False
        self._unnamed = False
        """Whether its first line is still to come: until then it lies under another name."""

    @classmethod
    def create(cls, path: Path, clock: Callable[[], str] = utc_now, redact: Redact = dict) -> Self:
        """Start a new results file, which appears with its first record; UsageError when it is there."""
        if path.exists():
            raise UsageError(f"{path.name} exists already.", fix="Add --resume to continue it.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            unborn.sweep(path.parent)
            descriptor = unborn.begin(path)
        except OSError as error:
            raise _unwritable(path, error) from error
        ledger = cls(path, descriptor, clock, redact)
        ledger._unnamed = True
        return ledger

    @classmethod
    def open(
        cls, path: Path, clock: Callable[[], str] = utc_now, redact: Redact = dict
    ) -> tuple[Self, Session]:
        """Continue a results file: lock it, repair a torn last line, check its chain, fold it."""
        ledger = cls._continued(path, clock, redact)
        try:
            session = load(path)
        except BaseException:
            ledger.close()
            raise
        ledger._seq, ledger._prev = session.lines, session.head
        return ledger, session

    @classmethod
    def reopen(cls, path: Path, clock: Callable[[], str] = utc_now, redact: Redact = dict) -> Self:
        """Continue a chained file that is no session: lock it, repair a torn last line, check its chain."""
        ledger = cls._continued(path, clock, redact)
        try:
            _, lines = chained(path)
        except BaseException:
            ledger.close()
            raise
        ledger._seq, ledger._prev = len(lines), lines[-1].sha256 if lines else None
        return ledger

    @classmethod
    def _continued(cls, path: Path, clock: Callable[[], str], redact: Redact) -> Self:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise _unwritable(path, error) from error
        _lock(descriptor, path)
        try:
            _repair(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, clock, redact)

    def append(self, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Write one record durably and return it; it is validated before and on the disk after."""
        if self._broken:
            raise PrerequisiteError(f"{self.path.name} could not be written before.", where=self.path.name)
        head = {"kind": kind, "v": records.VERSION, "seq": self._seq, "at": self._clock(), "prev": self._prev}
        record = jsontext.clean(self._redact(head | dict(fields)))
        fault = schema.first_fault(f"record.{kind}", record)
        if fault is not None:
            raise DataError(
                f"A {kind} record is invalid at {fault.pointer}: {fault.reason}.", where=self.path.name
            )
        data = jsontext.dumps(record).encode()
        self._write(data + b"\n")
        if self._unnamed:
            self._take_name()
            self._unnamed = False
        self._seq, self._prev = self._seq + 1, jsontext.sha256(data)
        return dict(record)

    def _write(self, data: bytes) -> None:
        """Write whole or not at all: what a failed write left is cut off again."""
        size = os.fstat(self._descriptor).st_size
        try:
            _write_whole(self._descriptor, data)
            os.fsync(self._descriptor)
        except OSError as error:
            self._undo(size)
            raise _failed(self.path, error) from error

    def _take_name(self) -> None:
        """Give the file its own name, durably, now that its first line is whole."""
        try:
            unborn.place(self.path).rename(self.path)
            _sync_folder(self.path.parent)
        except OSError as error:
            raise _failed(self.path, error) from error

    def _undo(self, size: int) -> None:
        try:
            os.ftruncate(self._descriptor, size)
        except OSError:
            # The torn tail stays; the next `open` repairs it, this writer must not go on behind it.
            self._broken = True

    def close(self) -> None:
        """Release the lock and the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _failed(path: Path, error: OSError) -> PrerequisiteError:
    return PrerequisiteError(
        f"{path.name} cannot be written: {error.strerror}.",
        where=path.name,
        fix="Free space or fix the folder, then run the same command with --resume; nothing is lost.",
    )


def _write_whole(descriptor: int, data: bytes) -> None:
    if os.write(descriptor, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise UsageError(
            f"Another bench is writing {path.name}.",
            where=path.name,
            fix="Wait for it to end, or start a session of its own by leaving --resume out.",
        ) from error


def _repair(descriptor: int) -> None:
    """Cut a torn last line, or end it when only its newline is missing."""
    size = os.fstat(descriptor).st_size
    data = os.pread(descriptor, size, 0) if size else b""
    if not data or data.endswith(b"\n"):
        return
    start = data.rfind(b"\n") + 1
    tail = data[start:]
    try:
        whole = isinstance(jsontext.loads(tail), dict)
    except (ValueError, RecursionError):
        whole = False
    if whole:
        os.write(descriptor, b"\n")
    else:
        os.ftruncate(descriptor, start)
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Make a new file's name durable, not only its bytes."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unwritable(path: Path, error: OSError) -> PrerequisiteError:
    return PrerequisiteError(
        f"The results file {path.name} cannot be opened for writing: {error.strerror}.",
        where=str(path.parent),
        fix="Make the folder writable or name another with --results DIR.",
    )


def of_session(where: Project, name: str) -> Path:
    """Return the results file of a session; UsageError names the nearest of an unknown one."""
    path = where.ledger(name)
    if not is_name(name) or not path.is_file():
        raise unknown("session", name, [found.stem for found in ledgers(where.results)])
    return path


def ledgers(folder: Path) -> Iterator[Path]:
    """Yield the results files of a folder by name."""
    yield from sorted(folder.glob("*.jsonl"))
