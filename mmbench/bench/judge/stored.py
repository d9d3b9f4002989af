"""Recorded sessions as the judge's own commands read them: attempts, and the cases they were attempts at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mmbench import jsontext, ledger
from mmbench.case import Case
from mmbench.errors import DataError, unknown
from mmbench.layout import Project
from mmbench.records import Attempt, Session, TrialKey


@dataclass(frozen=True, slots=True)
class Stored:
    """One session on disk."""

    project: Project
    session: Session

    def case(self, name: str) -> Case:
        """Return a case as it was when the session began; DataError when it was not kept."""
        digest = str(self.session.header["cases"][name])
        path = self.project.case_file(digest)
        if not path.is_file():
            raise DataError(
                f"The case {name} of {self.session.id} was not kept.",
                where=f"results/cases/{digest}.json",
                fix="Restore the file from git.",
            )
        return Case(jsontext.loads(path.read_bytes()), path.name)

    def attempt(self, key: TrialKey, number: int | None = None) -> Attempt:
        """Return an attempt at a trial, the newest unless told otherwise; DataError when there is none."""
        trial = self.session.trials.get(key)
        found = [one for one in trial.attempts if number in (None, one.number)] if trial else []
        if not found:
            raise DataError(
                f"{self.session.id} has no attempt at {'/'.join(map(str, key))}.", where=self.session.id
            )
        return found[-1]

    def graded(self) -> Iterator[tuple[TrialKey, Attempt]]:
        """Yield the newest attempt of every trial that counts."""
        for trial in self.session.trials.values():
            last = trial.last
            if trial.voided is None and last is not None and last.graded and last.checks is not None:
                yield trial.key, last


def load(project: Project, name: str) -> Stored:
    """Load a session by its id or by the path of its results file; UsageError for an unknown one."""
    path = Path(name) if name.endswith(".jsonl") else project.ledger(name)
    if not path.is_file():
        known = [file.stem for file in ledger.ledgers(project.results)]
        raise unknown("session", name, known, fix="Give an id, or the path of a results file.")
    return Stored(project, ledger.load(path))
