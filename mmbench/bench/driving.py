"""Drive one session: build the attempts that are due, run them, and write how it ended."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.console import Console

from mmbench import atomic, ledger, records
from mmbench.bench import credentials, primer, staging
from mmbench.bench.agents.base import Agent
from mmbench.bench.arms import Arm
from mmbench.bench.dataset import Dataset
from mmbench.bench.judge.panel import Judge, JudgeFailed
from mmbench.bench.judging import Judging
from mmbench.bench.meter import Meter
from mmbench.bench.mm import Mm
from mmbench.bench.opening import Book
from mmbench.bench.options import Options
from mmbench.bench.plan import Backend
from mmbench.bench.process import Limits
from mmbench.bench.profiles import Profile
from mmbench.bench.programs import Program
from mmbench.bench.progress import Progress
from mmbench.bench.redact import Redactor
from mmbench.bench.room import Kind
from mmbench.bench.runner import Driver, rejudge, run
from mmbench.bench.trial import Setting, TrialSpec
from mmbench.case import Suite
from mmbench.errors import MmbenchError
from mmbench.layout import Project


@dataclass(frozen=True, slots=True)
class Cell:
    """One agent with one profile, found and ready to be planned."""

    agent: Agent
    program: Program | None
    profile: Profile
    backend: Backend
    weights: str | None
    """Digest of the local profile's speech weights."""
    judge: Judge | None = field(default=None, repr=False)
    """None when correctness is that of the checks alone."""

    @property
    def title(self) -> str:
        """Return how the cell is called on the terminal."""
        version = f" {self.program.version}" if self.program else ""
        return f"{self.agent.name}{version} with profile {self.profile.name}"


@dataclass(frozen=True, slots=True)
class Bench:
    """What all cells of one command share."""

    options: Options
    project: Project
    suite: Suite
    every: Suite
    """All its cases with their variants; `suite` has the chosen ones."""
    dataset: Dataset
    mm: Mm
    kind: Kind
    console: Console
    cancel: threading.Event


def drive(shared: Bench, cell: Cell, book: Book, built: Mapping[str, Arm]) -> None:
    """Run every attempt that is due; what is finished is in the ledger, however it ends."""
    options, state = shared.options, book.state
    trials = state.trials.values()
    specs = [_spec(shared, state.id, trial) for trial in trials if _due(options, trial)]
    unjudged = [
        _judged_before(shared, state.id, trial)
        for trial in trials
        if options.only != "retry" and records.needs_verdict(state, trial)
    ]
    atomic.sweep(shared.project.artifacts(state.id))
    with contextlib.ExitStack() as stack:
        metered = any(arm.has_mm for arm in built.values())
        meter = stack.enter_context(Meter(cell.profile)) if metered else None
        name = f"{cell.agent.name} × {cell.profile.name}"
        progress = stack.enter_context(
            Progress(name, len(specs) + len(unjudged), options.stream, shared.console)
        )
        driver = Driver(
            setting(shared, cell, state.id, built, meter),
            book.ledger,
            progress,
            shared.cancel,
            artifacts=shared.project.artifacts(state.id),
            results=shared.project.results,
            judging=_judging(shared, cell, book),
            keep_sandboxes=options.keep_sandboxes,
        )
        executor = stack.enter_context(ThreadPoolExecutor(options.jobs))
        try:
            rejudge(driver, unjudged, executor, options.jobs)
            run(driver, specs, executor, options.jobs)
        except MmbenchError as error:
            # The reason is on its way to the user; a ledger that cannot be written any more must not hide it.
            with contextlib.suppress(MmbenchError):
                _end(book, "judge_failed" if isinstance(error, JudgeFailed) else "error", error.what)
            raise
        _end(book, "interrupted" if shared.cancel.is_set() else "complete", "")


def _end(book: Book, reason: str, message: str) -> None:
    counts = dict(sorted(ledger.load(book.ledger.path).states().items()))
    book.ledger.append("end", {"reason": reason, "message": message, "counts": counts})


def setting(
    shared: Bench, cell: Cell, session: str, built: Mapping[str, Arm], meter: Meter | None
) -> Setting:
    """Return what all attempts of a cell share."""
    return Setting(
        session=session,
        folder=shared.project.sandboxes / session,
        streams=shared.project.streams(session),
        kind=shared.kind,
        agent=cell.agent,
        program=cell.program.place(shared.kind) if cell.program else None,
        agent_binds=cell.program.binds if cell.program else (),
        arms=built,
        profile=cell.profile,
        meter=meter,
        limits=Limits(0),
        host_env=dict(os.environ),
        host_home=Path.home(),
        redactor=redactor(shared, cell),
        model=shared.options.model,
        endpoint=shared.options.endpoint,
    )


def redactor(shared: Bench, cell: Cell) -> Redactor:
    """Return what takes the secrets of this cell out of everything that is written."""
    speech, endpoint = cell.profile.transcription, shared.options.endpoint
    keys = [cell.profile.api_key, *(place.api_key for place in (speech, endpoint) if place)]
    keys += [cell.judge.config.api_key] if cell.judge else []
    folders = {str(shared.project.root): "/project", str(shared.project.state): "/project/.mmbench"}
    return credentials.redactor(
        keys, os.environ, cell.agent.credentials_files, home=Path.home(), folders=folders
    )


def _judging(shared: Bench, cell: Cell, book: Book) -> Judging | None:
    if cell.judge is None:
        return None
    resume = shared.options.resume_command()
    void = shared.options.judge.void_on_failure
    return Judging(cell.judge, book.ledger, shared.project.results, resume, void)


def _due(options: Options, trial: records.Trial) -> bool:
    """Tell whether an attempt is run now; a retry leaves out what was never tried."""
    wanted = options.only is None or (options.only == "retry" and trial.last is not None)
    return wanted and records.needs_run(trial)


def _judged_before(shared: Bench, session: str, trial: records.Trial) -> tuple[TrialSpec, records.Attempt]:
    """Return a recorded attempt that lacks its verdict, with what it was an attempt at."""
    assert trial.last is not None
    return replace(_spec(shared, session, trial), attempt=trial.last.number), trial.last


def _spec(shared: Bench, session: str, trial: records.Trial) -> TrialSpec:
    case = next(case for case in shared.suite.cases if case.id == trial.key.case)
    source, hashes = staging.source_of(shared.dataset, case, shared.project.sandboxes / session / "staged")
    return TrialSpec(
        key=trial.key,
        attempt=len(trial.attempts) + 1,
        position=trial.position,
        case=case,
        prompt=primer.compose(trial.key.arm, case.prompt),
        timeout_s=shared.options.timeout_s or case.timeout_s,
        source=source,
        hashes=hashes,
    )
