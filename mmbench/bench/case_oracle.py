"""What the reference agent reaches on cases: by a session run for it, or by the newest one on record."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from mmbench import ledger, records
from mmbench.bench import command
from mmbench.bench.case_tests import Points
from mmbench.bench.options import Options
from mmbench.case import Suite
from mmbench.layout import Project
from mmbench.records import Session


def play(project: Project, options: Options, suite: Suite, console: Console) -> Points:
    """Run the oracle over a suite's cases, as any agent is run, into a results folder that is then gone."""
    with tempfile.TemporaryDirectory(prefix="mmbench-oracle-") as folder:
        aside = replace(project, results=Path(folder) / "results")
        aside.results.mkdir()
        command.bench(options, aside, console)
        (path,) = ledger.ledgers(aside.results)
        return points(ledger.load(path), suite)


def on_record(project: Project, suite: Suite) -> tuple[str, Points] | None:
    """Return the newest session of the oracle that knows cases of this suite as they are, and its figures."""
    for path in sorted(project.results.glob("*-oracle-*.jsonl"), reverse=True):
        session = ledger.load(path)
        if found := points(session, suite):
            return session.id, found
    return None


def points(session: Session, suite: Suite) -> Points:
    """Return correctness by case and arm, the worst of all runs; None where a run has no grade."""
    same = {case.id for case in suite.cases if session.header["cases"].get(case.id) == case.digest}
    found: dict[tuple[str, str], float | None] = {}
    for (case, arm), value in _reached(session):
        if case in same:
            before = found.get((case, arm), value)
            found[case, arm] = None if value is None or before is None else min(value, before)
    return found


def _reached(session: Session) -> Iterator[tuple[tuple[str, str], float | None]]:
    for key, trial in session.trials.items():
        graded = records.state(session, trial) == "completed" and trial.last is not None
        yield (key.case, key.arm), trial.last.correctness if graded and trial.last else None
