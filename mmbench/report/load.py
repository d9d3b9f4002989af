"""From a results folder to sessions: read, check the chain, fold, drop copies.

The fold says the same as `mmbench.records.fold` (a test holds them together),
but keeps of each trial only what the report aggregates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct, structs

from mmbench import jsontext, ledger, records
from mmbench.errors import DataError, unknown
from mmbench.layout import shown
from mmbench.records import FoldError, State
from mmbench.report import lines
from mmbench.report.fold import Fold, Folded
from mmbench.report.memo import Memo
from mmbench.report.model import Case, Results, Session, Span, Trial
from mmbench.report.seen import Seen, Stamp
from mmbench.report.store import Store

_CASE: msgspec.json.Decoder[Case] = msgspec.json.Decoder(Case)


class _Read(NamedTuple):
    session: Session
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """Where sessions that were folded before are kept, and what they are folded by."""

    store: Store = field(default_factory=lambda: Store(None))
    code: str = ""


def results(
    folder: Path, only: Sequence[str] = (), kept: Kept | None = None, memo: Memo | None = None
) -> Results:
    """Read a results folder; DataError names the first bad file and line.

    A file whose bytes are those of an entry in `kept` was checked line by
    line when that entry was made.
    """
    kept = kept or Kept()
    seen = Seen(kept.store, kept.code)
    warnings: list[str] = []
    found: dict[str, Session] = {}
    for path in ledger.ledgers(folder) if folder.is_dir() else ():
        read = _ledger(path, kept, seen)
        if read is None:
            warnings.append(f"{path.name} holds no complete line; it is left out.")
            continue
        warnings += read.warnings
        _add(found, read.session, warnings)
    seen.keep()
    chosen = _chosen(found, only)
    sessions = tuple(sorted(chosen, key=lambda session: session.order))
    cases = dict(_cases(folder, sessions, warnings))
    return Results(folder, sessions, cases, tuple(warnings), memo or Memo(), _beside(folder))


def _beside(folder: Path) -> str:
    """Hash the logs of clean-ups and the figures on judges."""
    made = hashlib.sha256()
    for path in sorted([*folder.glob("cleanup/*"), *folder.glob("judge/*")]):
        if path.is_file():
            data = path.read_bytes()
            made.update(f"\n{path.relative_to(folder)} {len(data)}\n".encode() + data)
    return made.hexdigest()


def _add(found: dict[str, Session], session: Session, warnings: list[str]) -> None:
    """Count identical copies once, stop at differing ones."""
    other = found.setdefault(session.id, session)
    if other is session:
        return
    if other.digest != session.digest:
        raise DataError(
            f"{other.path.name} and {session.path.name} are different files of one session, {session.id}.",
            where=session.path.name,
            fix="Remove the copy that is not in git (git status shows it).",
        )
    warnings.append(f"{session.path.name} is a copy of {other.path.name}; it counts once.")


def _chosen(found: dict[str, Session], only: Sequence[str]) -> list[Session]:
    for name in only:
        if name not in found:
            raise unknown("session", name, found)
    return [session for name, session in found.items() if not only or name in only]


def split(data: bytes) -> Iterator[Span]:
    """Yield the complete lines of a file, without their newlines."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield Span(start, end)
        start = end + 1


def _ledger(path: Path, kept: Kept, seen: Seen) -> _Read | None:
    """Read one file; None when it has no complete line yet."""
    try:
        stamp = Stamp.of(path)
        known = _known(path, kept, seen.sha256(path.name, stamp))
        if known is not None:
            return known
        data = path.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        seen.note(path, stamp, digest)
    except OSError as error:
        raise DataError(f"{path.name} cannot be read: {error.strerror}.", where=path.name) from error
    return _known(path, kept, digest) or _folded(path, kept, data, digest)


def _known(path: Path, kept: Kept, digest: str | None) -> _Read | None:
    """Return what is kept of the bytes with this hash."""
    data = kept.store.read(*_entry(path, kept, digest)) if digest else None
    return None if data is None else _session(path, _STORED.decode(data))


def _entry(path: Path, kept: Kept, digest: str) -> tuple[str, str]:
    return f"folded/{path.stem}", f"{kept.code} {digest}"


def _folded(path: Path, kept: Kept, data: bytes, digest: str) -> _Read | None:
    spans = list(split(data))
    if not spans:
        return None
    folded = _fold(path, data, spans)
    stored = structs.asdict(folded) | {"trials": _ENCODER.encode(folded.trials)}
    kept.store.write(*_entry(path, kept, digest), _ENCODER.encode(stored))
    return _session(path, folded)


class _Stored(Struct, frozen=True):
    """`Folded` as it is read back: trials wait until somebody asks."""

    digest: str
    head: str
    torn: int
    header: lines.SessionLine
    voids: tuple[lines.VoidLine, ...]
    ends: tuple[lines.EndLine, ...]
    tally: dict[State, int]
    trials: bytes


_ENCODER = msgspec.msgpack.Encoder()
_STORED = msgspec.msgpack.Decoder(_Stored)
_TRIALS = msgspec.msgpack.Decoder(tuple[Trial, ...])


def _session(path: Path, folded: Folded | _Stored) -> _Read:
    trials = folded.trials
    source = (lambda: _TRIALS.decode(trials)) if isinstance(trials, bytes) else (lambda: trials)
    made = Session(
        path, folded.digest, folded.head, folded.header, folded.voids, folded.ends, folded.tally, source
    )
    warning = f"{path.name} ends in a torn line of {folded.torn} bytes, which is left out."
    return _Read(made, (warning,) if folded.torn else ())


def _fold(path: Path, data: bytes, spans: Sequence[Span]) -> Folded:
    prev: str | None = None
    fold: Fold | None = None
    for number, span in enumerate(spans):
        raw = data[span.start : span.end]
        line = _decode(path, number, raw)
        if line.seq != number or line.prev != prev:
            reason = f"seq is {line.seq}, expected {number}" if line.seq != number else _CHAIN
            raise _bad(path, number, reason)
        try:
            if fold is None:
                fold = Fold(line)
            else:
                fold.add(line, span)
        except FoldError as error:
            raise _bad(path, number, error.reason) from error
        prev = hashlib.sha256(raw).hexdigest()
    assert fold is not None and prev is not None  # there is at least one line
    end = spans[-1].end + 1
    return fold.folded(hashlib.sha256(data[:end]).hexdigest(), prev, len(data) - end)


_CHAIN = "prev is not the hash of the line before"


def _decode(path: Path, number: int, raw: bytes) -> lines.Line:
    try:
        return lines.decode(raw)
    except ValueError as error:
        try:
            value = jsontext.loads(raw)
        except (ValueError, RecursionError) as broken:
            marker = raw.startswith((b"<<<<<<<", b"=======", b">>>>>>>"))
            hint = ". It is a git merge marker" if marker else ""
            raise _bad(path, number, f"it is not a JSON object ({broken}){hint}") from error
        if isinstance(value, dict) and isinstance(value.get("v"), int) and value["v"] > records.VERSION:
            reason = f"record version {value['v']} is newer than {records.VERSION}, which this kit reads"
            raise _bad(path, number, reason) from error
        raise _bad(path, number, str(error)) from error


def _bad(path: Path, number: int, reason: str) -> DataError:
    name = shown(path)
    return DataError(
        f"Line {number + 1} of {path.name} is damaged: {reason}.",
        where=f"{name}:{number + 1}",
        fix=f"Restore the file (git checkout -- {name}), or see every fault with `nox -s validate`.",
    )


def _cases(folder: Path, sessions: Sequence[Session], warnings: list[str]) -> Iterator[tuple[str, Case]]:
    """Read every case that a session ran, checked against its hash."""
    named = {digest: name for session in sessions for name, digest in session.header.cases.items()}
    missing = []
    for digest in sorted(named):
        path = folder / "cases" / f"{digest}.json"
        if not path.is_file():
            missing.append(named[digest])
            continue
        yield digest, _case(path, digest)
    if missing:
        warnings.append(f"results/cases does not hold the content of {', '.join(sorted(set(missing)))}.")


def _case(path: Path, digest: str) -> Case:
    where = f"cases/{path.name}"
    try:
        data = path.read_bytes()
        case = _CASE.decode(data)
        same = jsontext.digest(jsontext.loads(data)) == digest
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(
            f"{where} is not a case ({error}).", where=where, fix="Restore the file from git."
        ) from error
    if not same:
        raise DataError(
            f"The content of {where} is not what its name says.",
            where=where,
            fix="Restore the file from git.",
        )
    return case
