"""What a fault cost: trials that were reported and are gone, trials that were run again though they were done."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mmbench import ledger, validation
from mmbench.records import Session, Trial, TrialKey

REPORTED = re.compile(r" +\d+/\d+  (\S+) +(without_mm|with_mm) +run (\d+) ")


@dataclass(frozen=True, slots=True)
class Cost:
    """One fault, how often it was tried, and what it cost."""

    fault: str
    tries: int = 0
    lost: int = 0
    doubled: int = 0
    verified: int = 0
    """Tries after which the ledger verifies and the session is complete."""
    skipped: str = ""

    @property
    def fine(self) -> bool:
        """Tell whether nothing was lost."""
        return self.lost == self.doubled == 0 and self.verified == self.tries

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.fault,
            self.tries + other.tries,
            self.lost + other.lost,
            self.doubled + other.doubled,
            self.verified + other.verified,
        )

    def __str__(self) -> str:
        if self.skipped:
            return f"{self.fault:<44} not tried: {self.skipped}"
        figures = f"{self.tries:>6} {self.lost:>6} {self.doubled:>8} {self.verified:>9}"
        return f"{self.fault:<44} {figures}" + ("" if self.fine else "   <-- WRONG")


HEAD = f"{'fault':<44} {'tries':>6} {'lost':>6} {'doubled':>8} {'verified':>9}"


def reported(output: str) -> set[TrialKey]:
    """Return the trials that a bench told as finished."""
    return {TrialKey(case, arm, int(run)) for case, arm, run in REPORTED.findall(output)}


def whole(trial: Trial) -> int:
    """Count the attempts of a trial that were graded: one is enough."""
    return sum(attempt.graded and attempt.correctness is not None for attempt in trial.attempts)


def kept(session: Session) -> set[TrialKey]:
    """Return the trials that have a graded attempt."""
    return {key for key, trial in session.trials.items() if whole(trial)}


def explain(path: Path | None, output: str) -> str:
    """Return what is known of a session that did not come out whole: its faults, its states, the last words."""
    if path is None or not path.is_file():
        found = "no results file"
    else:
        faults = validation.ledger_faults(path)
        found = "; ".join(map(str, faults)) if faults else _endings(ledger.load(path))
    return f"  {found}\n" + "".join(f"    | {line}\n" for line in output.splitlines()[-20:])


def _endings(session: Session) -> str:
    states = ", ".join(f"{count} {state}" for state, count in session.states().items() if count)
    unfinished = [
        f"{trial.key} {','.join(str(attempt.trial['status']) for attempt in trial.attempts) or 'not tried'}"
        for trial in session.trials.values()
        if not whole(trial)
    ]
    return "; ".join([states, *unfinished])


def count(fault: str, path: Path | None, told: set[TrialKey], *, complete: bool = True) -> Cost:
    """Look at a ledger after a fault and its repair; `told` are the trials reported before the fault."""
    if path is None or not path.is_file():
        return Cost(fault, 1, lost=len(told))
    verified = not validation.ledger_faults(path)
    if not verified:
        return Cost(fault, 1, lost=len(told))
    session = ledger.load(path)
    done = session.states()["completed"] == len(session.trials) if complete else True
    doubled = sum(whole(trial) > 1 for trial in session.trials.values())
    return Cost(fault, 1, len(told - kept(session)), doubled, int(done))
