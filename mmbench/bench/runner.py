"""Run the trials of a session and write the ledger: the driver alone writes.

Each trial is a row of steps (run, record, grade, record, judge, record). A lane takes
one pair of arms after the other; steps run in an executor, records are written
here, in the order in which they come, each on the disk before the next step.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from mmbench.bench import artifacts, plan, tree
from mmbench.bench.grade import grade
from mmbench.bench.judging import Judging
from mmbench.bench.trial import Executed, Setting, TrialSpec, execute
from mmbench.bench.trial_record import no_run
from mmbench.errors import MmbenchError, PrerequisiteError, refused
from mmbench.ledger import Ledger, utc_now
from mmbench.outcome import Failure, Outcome
from mmbench.records import Attempt, Line

WAKE_S = 0.2
Step = Callable[[], Any]
Steps = Generator[Step, Any, None]


class Progress(Protocol):
    """Who is told what happens; calls come from the driver only."""

    def started(self, spec: TrialSpec) -> None:
        """Tell that an attempt begins."""

    def finished(
        self, spec: TrialSpec, record: Line, checks: Line | None, verdict: Line | None = None
    ) -> None:
        """Tell what an attempt came to."""

    def tee(self, spec: TrialSpec) -> Callable[[bytes], None] | None:
        """Return who wants the agent's output while it runs, if anybody."""


@dataclass(frozen=True, slots=True)
class Driver:
    """What running a session needs besides its trials."""

    setting: Setting
    ledger: Ledger
    progress: Progress
    cancel: threading.Event
    artifacts: Path
    results: Path
    judging: Judging | None = None
    """Who is asked for verdicts, None when the checks alone count."""
    keep_sandboxes: bool = False
    halted: threading.Event = field(default_factory=threading.Event)
    """Set once something failed for good: what is under way ends, nothing new starts."""


def run(driver: Driver, specs: Sequence[TrialSpec], executor: Executor, jobs: int) -> None:
    """Run trials, `jobs` pairs at a time; the arms of a pair next to each other.

    Raises PrerequisiteError when a step says that nothing more can be run; what
    is finished by then is in the ledger.
    """
    _drive(driver, _lanes(driver, specs), executor, jobs)


def rejudge(
    driver: Driver, attempts: Sequence[tuple[TrialSpec, Attempt]], executor: Executor, jobs: int
) -> None:
    """Ask the judge again about recorded attempts, `jobs` at a time, without running an agent.

    Raises JudgeFailed when the judge is still broken.
    """
    _drive(driver, (_judged_again(driver, *attempt) for attempt in attempts), executor, jobs)


def _drive(driver: Driver, waiting: Iterator[Steps], executor: Executor, jobs: int) -> None:
    running: dict[Future[Any], Steps] = {}
    failure: MmbenchError | None = None
    while True:
        while len(running) < jobs and failure is None and not driver.cancel.is_set():
            lane = next(waiting, None)
            if lane is None:
                break
            if (first := next(lane, None)) is not None:
                running[executor.submit(first)] = lane
        if not running:
            break
        done, _ = wait(running, timeout=WAKE_S, return_when=FIRST_COMPLETED)
        for future in done:
            lane = running.pop(future)
            try:
                step = lane.send(future.result())
            except StopIteration:
                continue
            except (MmbenchError, OSError) as error:
                failure = failure or _explained(error)
                driver.halted.set()
                lane.close()
                continue
            running[executor.submit(step)] = lane
    if failure is not None:
        raise failure


def _explained(error: MmbenchError | OSError) -> MmbenchError:
    """Return why nothing more can be run."""
    if isinstance(error, MmbenchError):
        return error
    return refused(error, fix="Mend that, then run the same command with --resume; nothing is lost.")


def _lanes(driver: Driver, specs: Sequence[TrialSpec]) -> Iterator[Steps]:
    by_key = {spec.key: spec for spec in specs}
    for pair in plan.pairs([spec.key for spec in specs]):
        yield _lane(driver, [by_key[key] for key in pair])


def _lane(driver: Driver, specs: Sequence[TrialSpec]) -> Steps:
    for spec in specs:
        if driver.cancel.is_set() or driver.halted.is_set():
            return
        yield from _trial(driver, spec)


def _trial(driver: Driver, spec: TrialSpec) -> Steps:
    """Run, record, grade and judge one attempt; its sandbox is gone before the judge is asked."""
    driver.progress.started(spec)
    tee = driver.progress.tee(spec)
    executed: Executed = yield lambda: _execute(driver, spec, tee)
    try:
        record = driver.ledger.append("trial", executed.record)
        checks = yield lambda: grade(spec, executed, driver.setting.kind, judged=driver.judging is not None)
        if checks is not None:
            checks = driver.ledger.append("checks", checks)
    finally:
        if executed.sandbox is not None and not driver.keep_sandboxes:
            executed.sandbox.remove()
    yield from _verdict(driver, spec, record, checks)


def _judged_again(driver: Driver, spec: TrialSpec, attempt: Attempt) -> Steps:
    if not driver.halted.is_set():
        driver.progress.started(spec)
        yield from _verdict(driver, spec, attempt.trial, attempt.checks, attempt.verdict)


def _verdict(
    driver: Driver, spec: TrialSpec, record: Line, checks: Line | None, before: Line | None = None
) -> Steps:
    """Ask for a verdict where one is due and write it down; JudgeFailed once it is in the ledger."""
    judging, verdict = driver.judging, None
    if judging is not None and checks is not None and checks["checkpoint_score"] is not None:
        fields = yield partial(judging.ask, spec.case, record, checks, driver.cancel, before)
        verdict = None if fields is None else judging.record(fields)
    driver.progress.finished(spec, record, checks, verdict)
    if judging is not None:
        judging.require(verdict)


def _execute(driver: Driver, spec: TrialSpec, tee: Callable[[bytes], None] | None) -> Executed:
    """Run an attempt; a failure of the harness is a record too, not a lost trial."""
    started = utc_now()
    try:
        executed = execute(driver.setting, spec, driver.cancel, tee)
        executed.record["artifacts"] = artifacts.keep(
            spec, executed, driver.artifacts, driver.results, driver.setting.redactor
        )
    except PrerequisiteError:
        tree.remove(driver.setting.folder / spec.name)
        raise
    except Exception as error:
        tree.remove(driver.setting.folder / spec.name)
        kind = "setup" if isinstance(error, OSError) else "harness"
        outcome = Outcome("infra_error", failure=Failure(kind, f"{type(error).__name__}: {error}"))
        return Executed(no_run(spec, started, outcome), "", None)
    return executed
