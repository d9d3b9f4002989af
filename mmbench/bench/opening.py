"""Which results file a cell writes to: the newest unfinished one, or a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench import atomic, jsontext, ledger, records
from mmbench.bench import session
from mmbench.bench.redact import Redactor
from mmbench.errors import DataError, UsageError
from mmbench.layout import Project
from mmbench.ledger import Ledger
from mmbench.records import Session


@dataclass(frozen=True, slots=True)
class Book:
    """An open ledger and what it says so far."""

    ledger: Ledger
    state: Session


def newest(project: Project, agent: str, profile: str) -> Session | None:
    """Return the newest session of a cell, finished or not; None when there is none."""
    for path in sorted(project.results.glob(f"*-{agent}-{profile}-*.jsonl"), reverse=True):
        state = _folded(path)
        if state is None or state.header["cell"] != {"agent": agent, "profile": profile}:
            continue
        return state
    return None


def _folded(path: Path) -> Session | None:
    """Fold a results file as far as it is whole; None when it was killed before its first line was."""
    lines, _ = ledger.split(path.read_bytes())
    if not lines:
        return None
    try:
        return records.fold(ledger.parse_line(line, path) for line in lines)
    except (records.FoldError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path.name} cannot be continued: {error if isinstance(error, records.FoldError) else repr(error)}.",
            where=path.name,
            fix="Run `nox -s validate` to see every fault; leave --resume out to start a new session.",
        ) from error


def resume(project: Project, state: Session, parts: Mapping[str, Any], redactor: Redactor) -> Book:
    """Open a session to go on with it; UsageError when its method is not today's."""
    session.require_same_method(state.header, parts)
    book, now = Ledger.open(project.ledger(state.id), redact=redactor.record)
    return Book(book, now)


def create(project: Project, header: Mapping[str, Any], redactor: Redactor) -> Book:
    """Start a results file with its session line."""
    book = Ledger.create(project.ledger(str(header["session"])), redact=redactor.record)
    line = book.append("session", header)
    return Book(book, records.fold([line]))


def require_same_cases(state: Session, digests: Mapping[str, str]) -> None:
    """Refuse to go on when a case of the session is gone or is another one now."""
    for name, digest in state.header["cases"].items():
        if digests.get(name) != digest:
            raise UsageError(
                f"Session {state.id} cannot be continued: its case '{name}' "
                + ("has changed." if name in digests else "is not in the suite."),
                fix="Start a new session by leaving --resume out, or check out the version that made it.",
            )


def store_case(project: Project, digest: str, document: Mapping[str, Any]) -> None:
    """Keep a case as it is now beside the results, so that the report needs nothing else."""
    path, data = project.case_file(digest), jsontext.canonical(document) + b"\n"
    if not path.is_file() or path.read_bytes() != data:
        atomic.write(path, data)
