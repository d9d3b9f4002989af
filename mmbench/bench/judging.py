"""Verdicts in a session: ask the judge about what the ledger holds, and write down what it says."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mmbench.bench.judge.panel import Judge, JudgeFailed, Stopped
from mmbench.case import Case
from mmbench.ledger import Ledger
from mmbench.records import Line


@dataclass(frozen=True, slots=True)
class Judging:
    """The judge of a session, and where its verdicts go."""

    judge: Judge = field(repr=False)
    ledger: Ledger
    results: Path
    resume: str
    """The command that asks again for what a broken judge left open."""
    void_on_failure: bool = False

    def ask(
        self, case: Case, trial: Line, checks: Line, cancel: threading.Event, before: Line | None = None
    ) -> dict[str, Any] | None:
        """Return the fields of a verdict on a recorded attempt; None when the user stops the waiting.

        `before` is the verdict that it has, if any: what was good of it is not asked again.
        """
        try:
            return self.judge.verdict(case, trial, checks, self.results, cancel.wait, before=before)
        except Stopped:
            return None

    def record(self, verdict: dict[str, Any]) -> Line:
        """Write a verdict; a failed one voids its whole run where that was asked for."""
        line = self.ledger.append("verdict", verdict)
        if line["status"] == "failed" and self.void_on_failure:
            why = f"The judge failed on {line['case']} ({line['arm']})."
            self.ledger.append("void", {"run": line["run"], "case": None, "arm": None, "why": why})
        return line

    def require(self, verdict: Line | None) -> None:
        """Raise JudgeFailed for a failed verdict, with the command that goes on."""
        if verdict is not None and verdict["status"] == "failed":
            asked = f"{verdict['case']} ({verdict['arm']}, run {verdict['run']})"
            raise JudgeFailed(
                f"The judge failed on {asked}: {verdict['error'].rstrip('.')}.",
                fix=f"Nothing is lost. Once the judge works again, run: {self.resume}",
            )
