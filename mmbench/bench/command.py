"""The `bench` and `check` commands: from options to finished sessions and an exit code."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
import signal
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console

from mmbench import case as cases
from mmbench import ledger, records, variants
from mmbench.bench import (
    agents,
    arms,
    clean,
    hub,
    opening,
    plan,
    preflight,
    probing,
    profiles,
    programs,
    sandbox,
    saying,
    session,
)
from mmbench.bench import dataset as datasets
from mmbench.bench import mm as treatment
from mmbench.bench.agents.base import Agent
from mmbench.bench.arms import Arm
from mmbench.bench.driving import Bench, Cell, drive, redactor, setting
from mmbench.bench.estimate import estimate
from mmbench.bench.judge import config as judges
from mmbench.bench.judge.panel import Judge
from mmbench.bench.meter import Meter
from mmbench.bench.opening import Book
from mmbench.bench.options import Options, command
from mmbench.bench.plan import Backend, Plan
from mmbench.bench.process import Limits
from mmbench.bench.profiles import Profile
from mmbench.bench.room import best_kind
from mmbench.bench.session import Subject
from mmbench.errors import Interrupted, UsageError
from mmbench.layout import Project
from mmbench.records import Session


def bench(options: Options, project: Project, console: Console) -> int:
    """Run every cell and return the exit code: 0 all graded, 1 something is not."""
    graded = True
    with interruptible() as cancel:
        shared = _prepare(options, project, console, cancel)
        for cell in _cells(shared):
            graded = _run_cell(shared, cell) and graded
            if cancel.is_set():
                raise Interrupted(
                    "Interrupted; what was finished is in the results.",
                    fix="Add --resume to the same command to go on.",
                )
    return 0 if graded else 1


def check(options: Options, project: Project, console: Console) -> int:
    """Run the preflight of every cell and print its plan; nothing is benchmarked."""
    with interruptible() as cancel:
        shared = _prepare(options, project, console, cancel)
        for cell in _cells(shared):
            drawn = _plan(shared, cell, options.seed or 0)
            _say_plan(shared, cell, drawn)
            with sandbox.session_folder(project.sandboxes / f"check-{secrets.token_hex(4)}") as folder:
                _preflight(shared, cell, _arms(shared, drawn.arms, folder), folder)
                _require_going_on(cancel)
    console.print("Everything is in place: `nox -s bench` with the same arguments runs it.")
    return 0


def _require_going_on(cancel: threading.Event) -> None:
    """Raise Interrupted when the user has stopped it before there is anything to keep."""
    if cancel.is_set():
        raise Interrupted("Interrupted before the first trial.", fix="Type the same command again.")


def _prepare(options: Options, project: Project, console: Console, cancel: threading.Event) -> Bench:
    """Load and find everything that does not depend on the cell."""
    named = options.suite
    suite = (
        hub.suite(named, project.datasets) if hub.is_hub(named) else cases.load_suite(project.cases, named)
    )
    every, suite = variants.expand(suite), variants.choose(suite, options.cases, also=options.variants)
    for name in options.agents:
        agents.load(name)
    mm = treatment.locate(project.state)
    preflight.writable_results(project.results)
    with console.status("Making the dataset ready") if console.is_terminal else contextlib.nullcontext():
        dataset = datasets.resolve(suite.dataset, project.datasets)
    for case in suite.cases:
        dataset.subtree(case.dataset)
    sandbox.sweep(project.sandboxes)
    kind = options.sandbox or best_kind()
    if hub.is_hub(named):
        preflight.foreign_programs(suite, kind, solving="oracle" in options.agents)
    return Bench(options, project, suite, every, dataset, mm, kind, console, cancel)


def _cells(shared: Bench) -> Iterator[Cell]:
    """Yield the cells of a sweep; each profile is served once for all its agents."""
    found = [(agents.load(name), name) for name in shared.options.agents]
    located = [
        (agent, programs.find(agent, shared.project) if agent.executable else None, _judge(shared, agent))
        for agent, _ in found
    ]
    for name in shared.options.profiles:
        with _served(shared, name) as (profile, backend, weights):
            for agent, program, judge in located:
                yield Cell(agent, program, profile, backend, weights, judge)


def _judge(shared: Bench, agent: Agent) -> Judge | None:
    """Return the judge of an agent's sessions; PrerequisiteError when it is on and has no key."""
    config = judges.settle(shared.options.judge, os.environ, reference=agent.reference)
    return Judge.of(config) if config else None


@contextlib.contextmanager
def _served(shared: Bench, name: str) -> Iterator[tuple[Profile, Backend, str | None]]:
    """Resolve a profile; the local one is started, and stopped at the end."""
    adhoc = shared.options.adhoc
    profile = profiles.resolve(
        name,
        mm=shared.mm.executable,
        model=adhoc.get("model"),
        base_url=adhoc.get("base_url"),
        api_key=adhoc.get("api_key"),
    )
    if profile.kind != "local":
        yield profile, Backend(frozenset({"ocr", "speech", "vision"}), {}), None
        return
    from mmbench.bench import local

    weights = local.find_weights(shared.project.state / "models", shared.options.weights)
    with local.serve(weights) as server:
        able = {"ocr": server.ocr, "speech": server.speech}
        unable = "the local profile reads text, it does not see what a picture shows"
        reasons = {"vision": unable, "speech": server.reason, "ocr": server.reason}
        backend = Backend(frozenset(name for name, has in able.items() if has), reasons)
        digest = weights.digest if isinstance(weights, local.Weights) else None
        yield profiles.local(server.base_url, server.key, local.MODEL), backend, digest


def _plan(shared: Bench, cell: Cell, seed: int) -> Plan:
    options = shared.options
    solving = cell.agent.name == "oracle"
    drawn = plan.make(
        shared.suite,
        cell.backend,
        arms=options.arms,
        runs=options.runs,
        seed=seed,
        reference=solving,
        can_ask=agents.can_ask(cell.agent),
    )
    if not drawn.schedule:
        reasons = "; ".join(f"{left.case}: {left.reason}" for left in drawn.excluded)
        raise UsageError(
            f"No trial is left to run ({reasons}).", fix="Choose other cases or another profile."
        )
    return drawn


def _arms(shared: Bench, names: tuple[str, ...], folder: Path) -> dict[str, Arm]:
    return arms.build(names, folder, shared.mm, shared.kind, os.environ.get("PATH", os.defpath))


def _preflight(shared: Bench, cell: Cell, built: Mapping[str, Arm], folder: Path) -> None:
    """Run the checks and say what holds; the first that fails raises."""
    say = shared.console
    saying.passed(say, preflight.writable_results(shared.project.results))
    saying.passed(
        say, preflight.free_space(shared.project.sandboxes, shared.dataset.size, shared.options.jobs)
    )
    saying.passed(say, preflight.sandbox_kind(shared.kind))
    saying.passed(say, preflight.judge(cell.judge))
    saying.passed(say, preflight.profile(cell.profile))
    for result in preflight.arms(built.values(), folder, shared.kind, os.environ):
        saying.passed(say, result)
    if not cell.agent.reference:
        with Meter(cell.profile) as meter:
            for result in probing.prove(setting(shared, cell, folder.name, built, meter), shared.cancel):
                saying.passed(say, result)


def _say_plan(shared: Bench, cell: Cell, drawn: Plan) -> None:
    names = (cell.agent.name, cell.profile.name)
    expected = estimate(shared.project.results, *names, len(drawn.schedule), shared.options.jobs)
    saying.plan(shared.console, cell.title, drawn, expected)


def _run_cell(shared: Bench, cell: Cell) -> bool:
    """Run or continue one session; return whether every scheduled trial is graded."""
    unfinished = _unfinished(shared, cell)
    name = unfinished.id if unfinished else session.new_id(cell.agent.name, cell.profile.name)
    if unfinished is not None and unfinished.finished:
        shared.console.print(f"{name} is finished: there is nothing to resume.", style="bold")
        return _all_graded(unfinished)
    if unfinished is not None:
        shared = _with_its_cases(shared, unfinished)
    keep = shared.options.keep_sandboxes
    with sandbox.session_folder(shared.project.sandboxes / name, keep=keep) as folder:
        book, built = _open(shared, cell, unfinished, name, folder)
        with book.ledger:
            drive(shared, cell, book, built)
    final = ledger.load(shared.project.ledger(name))
    if shared.options.auto_clean and final.finished:
        clean.after_session(shared.project, name)
    saying.summary(shared.console, final, shared.project.ledger(name))
    return _all_graded(final)


def _all_graded(final: Session) -> bool:
    return all(records.state(final, trial) == "completed" for trial in final.trials.values())


def _unfinished(shared: Bench, cell: Cell) -> Session | None:
    if not shared.options.resume:
        return None
    return opening.newest(shared.project, cell.agent.name, cell.profile.name)


def _open(
    shared: Bench, cell: Cell, unfinished: Session | None, name: str, folder: Path
) -> tuple[Book, dict[str, Arm]]:
    """Open the results file; a new one only once the preflight has passed."""
    if unfinished is not None:
        session.require_same_subject(unfinished.header, _subject(shared, cell))
        shared.console.print(f"Continuing {name}", style="bold")
        built = _ready(shared, cell, tuple(unfinished.header["plan"]["arms"]), folder)
        parts = _parts(shared, cell)
        return opening.resume(shared.project, unfinished, parts, redactor(shared, cell)), built
    seed = shared.options.seed if shared.options.seed is not None else secrets.randbelow(1 << 31)
    drawn = _plan(shared, cell, seed)
    _say_plan(shared, cell, drawn)
    built = _ready(shared, cell, drawn.arms, folder)
    for case in shared.suite.cases:
        if case.id in drawn.cases:
            opening.store_case(shared.project, case.digest, case.document)
    return opening.create(shared.project, _header(shared, cell, name, drawn), redactor(shared, cell)), built


def _with_its_cases(shared: Bench, unfinished: Session) -> Bench:
    """Take the cases that a session has, variants too, whichever are named now; UsageError when one has changed."""
    opening.require_same_cases(unfinished, {case.id: case.digest for case in shared.every.cases})
    known = {case.id for case in shared.every.cases}
    its_own = [name for name in unfinished.header["method"]["parts"]["cases"] if name in known]
    return dataclasses.replace(shared, suite=shared.every.select(its_own))


def _ready(shared: Bench, cell: Cell, names: tuple[str, ...], folder: Path) -> dict[str, Arm]:
    """Build the arms and prove that they and all else are as they must be, where an agent will run."""
    built = _arms(shared, names, folder)
    if not shared.options.skip_preflight and shared.options.only != "rejudge":
        _preflight(shared, cell, built, folder)
    _require_going_on(shared.cancel)
    return built


def _parts(shared: Bench, cell: Cell) -> dict[str, Any]:
    """Return the parts of the method."""
    return session.method_parts(
        shared.suite,
        shared.dataset,
        arms=shared.options.arms,
        limits=Limits(0),
        timeout_s=shared.options.timeout_s,
        kind=shared.kind,
        judge=cell.judge.config.parts() if cell.judge else judges.OFF,
    )


def _header(shared: Bench, cell: Cell, name: str, drawn: Plan) -> dict[str, Any]:
    return session.header(
        name,
        _subject(shared, cell),
        reference=cell.agent.reference,
        parts=_parts(shared, cell),
        plan=drawn,
        suite=shared.suite,
        dataset=shared.dataset,
        preflight="skipped" if shared.options.skip_preflight else "passed",
        command=command(shared.options, drawn.seed, cell.agent.name, cell.profile.name),
        root=shared.project.root,
    )


def _subject(shared: Bench, cell: Cell) -> Subject:
    endpoint = shared.options.endpoint
    agent: Agent = cell.agent
    return Subject(
        agent=agent.name,
        agent_version=cell.program.version if cell.program else None,
        adapter=agent.adapter_version,
        model=endpoint.model if endpoint else shared.options.model,
        profile=cell.profile,
        backend=cell.backend,
        weights=cell.weights,
        mm=shared.mm,
    )


@contextlib.contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a request to stop, and the second into an immediate end.

    So do the signals of `kill` and of a terminal that is closed, unless that one is
    ignored (nohup): no agent may go on alone, at the user's expense.
    """
    cancel = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    numbers = [signal.SIGINT, signal.SIGTERM]
    numbers += [signal.SIGHUP] if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN else []
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
