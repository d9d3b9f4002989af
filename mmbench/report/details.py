"""The full lines of one trial, read again from its ledger for the page that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import msgspec

from mmbench.records import TrialKey
from mmbench.report.model import Session, Trial

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Detail:
    """Everything that is recorded about the newest attempt at a trial."""

    trial: Trial
    attempt: Line | None
    checks: Line | None
    verdict: Line | None
    transcript: bytes
    """The three lines as they are in the ledger, as one JSON object."""


class Reader:
    """Reads details of one session, its file opened once."""

    def __init__(self, session: Session) -> None:
        self._stream = session.path.open("rb")
        self._last: dict[TrialKey, Detail] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def read(self, trial: Trial) -> Detail:
        """Read the lines that the trial's spans point at; both arms of a pair are asked for again at once."""
        if trial.key not in self._last:
            if len(self._last) >= _LAST:
                del self._last[next(iter(self._last))]
            self._last[trial.key] = self._read(trial)
        return self._last[trial.key]

    def _read(self, trial: Trial) -> Detail:
        raw: dict[str, bytes] = {}
        lines: dict[str, Line] = {}
        for span in trial.spans:
            self._stream.seek(span.start)
            data = self._stream.read(span.end - span.start)
            line: Line = msgspec.json.decode(data)
            lines[line["kind"]] = line
            raw[line["kind"]] = data
        parts = b",".join(b'"%b":%b' % (name.encode(), raw.get(name, b"null")) for name in _PARTS)
        attempt, checks, verdict = (lines.get(name) for name in _PARTS)
        return Detail(trial, attempt, checks, verdict, b"{%b}\n" % parts)


_LAST = 4
"""Trials that are held, those of one case and run."""
_PARTS = ("trial", "checks", "verdict")
