"""What was removed of a session besides its records: results/cleanup/<session>.jsonl.

It lies beside the results, so that the report can tell a file that was removed
from one that got lost. Chained and appended to like a ledger; it holds no path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from mmbench import ledger, schema
from mmbench.errors import DataError
from mmbench.ledger import Ledger, utc_now

Kind = Literal["sandboxes", "streams", "artifacts"]
KINDS: tuple[Kind, ...] = get_args(Kind)
RECORD = "cleanup"
"""Kind of the lines; they never stand in a ledger."""


@dataclass(frozen=True, slots=True)
class Removal:
    """One folder of a session that was removed, was gone already, or could not be removed."""

    at: str
    """UTC."""
    session: str
    what: str
    """One of KINDS."""
    files: int
    bytes: int
    """On the disk."""
    result: str
    """removed, missing or failed."""
    error: str | None


def folder(results: Path) -> Path:
    """Return where the logs lie."""
    return results / "cleanup"


def path_of(results: Path, session: str) -> Path:
    """Return the log of one session."""
    return folder(results) / f"{session}.jsonl"


def logs(results: Path) -> Iterator[Path]:
    """Yield every log by name."""
    yield from ledger.ledgers(folder(results))


def writer(results: Path, session: str, clock: Callable[[], str] = utc_now) -> Ledger:
    """Begin or continue a session's log; PrerequisiteError when it cannot be written."""
    path = path_of(results, session)
    return Ledger.reopen(path, clock) if path.exists() else Ledger.create(path, clock)


def read(results: Path, session: str) -> tuple[Removal, ...]:
    """Read a session's log, oldest first; nothing without one. DataError names the first bad line."""
    path = path_of(results, session)
    if not path.is_file():
        return ()
    values, _ = ledger.chained(path)
    for number, value in enumerate(values, start=1):
        fault = schema.first_fault(f"record.{RECORD}", value)
        if fault is not None:
            raise DataError(
                f"Line {number} of cleanup/{path.name} is damaged at {fault.pointer}: {fault.reason}.",
                where=f"cleanup/{path.name}:{number}",
                fix="Restore the file from git (git checkout -- FILE).",
            )
    return tuple(_removal(value) for value in values)


def _removal(value: Mapping[str, Any]) -> Removal:
    return Removal(**{field.name: value[field.name] for field in fields(Removal)})


def gone(removals: tuple[Removal, ...], what: Kind) -> str | None:
    """Return when something was last removed, None when it never was."""
    times = [removal.at for removal in removals if removal.what == what and removal.result == "removed"]
    return times[-1] if times else None
