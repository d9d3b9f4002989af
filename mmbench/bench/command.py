"""The `bench` and `check` commands: from options to finished sessions and an exit code."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.text import Text

from mmbench import case as cases
from mmbench import jsontext, ledger, records
from mmbench.bench import agents, arms, plan, preflight, primer, profiles, sandbox, session, tree
from mmbench.bench import dataset as datasets
from mmbench.bench import mm as treatment
from mmbench.bench.agents.base import Agent
from mmbench.bench.arms import Arm
from mmbench.bench.dataset import Dataset
from mmbench.bench.meter import Meter
from mmbench.bench.options import Options, command
from mmbench.bench.plan import Backend, Plan
from mmbench.bench.preflight import Passed
from mmbench.bench.process import Limits
from mmbench.bench.profiles import Profile
from mmbench.bench.progress import Progress
from mmbench.bench.room import Bind, Kind, best_kind
from mmbench.bench.runner import Driver, run
from mmbench.bench.session import Subject
from mmbench.bench.trial import Setting, TrialSpec
from mmbench.case import Suite
from mmbench.errors import Interrupted, MmbenchError, UsageError
from mmbench.layout import Project
from mmbench.ledger import Ledger
from mmbench.records import Session, TrialKey

JUDGE_OFF = {"mode": "off"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One agent with one profile, ready to be planned."""

    agent: Agent
    version: str | None
    program: Path | None
    binds: tuple[Bind, ...]
    profile: Profile
    backend: Backend
    weights: str | None


@dataclass(frozen=True, slots=True)
class Bench:
    """What all cells of one command share."""

    options: Options
    project: Project
    suite: Suite
    dataset: Dataset
    mm: treatment.Mm
    kind: Kind
    console: Console
    cancel: threading.Event


def bench(options: Options, project: Project, console: Console) -> int:
    """Run every cell and return the exit code: 0 all graded, 1 something is not."""
    with _interruptible() as cancel:
        shared = _prepare(options, project, console, cancel)
        clean = True
        for profile_name in options.profiles:
            with _served(shared, profile_name) as (profile, backend, weights):
                for agent_name in options.agents:
                    cell = _cell(shared, agent_name, profile, backend, weights)
                    clean = _run_cell(shared, cell) and clean
                    if cancel.is_set():
                        raise Interrupted(
                            "Interrupted; what was finished is in the results.",
                            fix="Add --resume to the same command to go on.",
                        )
    return 0 if clean else 1


def check(options: Options, project: Project, console: Console) -> int:
    """Run the preflight of every cell and print its plan; nothing is benchmarked."""
    with _interruptible() as cancel:
        shared = _prepare(options, project, console, cancel)
        for profile_name in options.profiles:
            with _served(shared, profile_name) as (profile, backend, weights):
                for agent_name in options.agents:
                    cell = _cell(shared, agent_name, profile, backend, weights)
                    drawn = _plan(shared, cell, options.seed or 0)
                    with _session_folder(
                        project.sandboxes / f"check-{secrets.token_hex(4)}", keep=False
                    ) as folder:
                        _preflight(shared, _arms(shared, drawn, folder), folder)
                    _print_plan(shared, cell, drawn)
    return 0


def _prepare(options: Options, project: Project, console: Console, cancel: threading.Event) -> Bench:
    suite = cases.load_suite(project.cases, options.suite)
    if options.cases:
        suite = suite.select(options.cases)
    for name in options.agents:
        agents.load(name)
    mm = treatment.locate(project.state)
    with console.status("Making the dataset ready") if console.is_terminal else contextlib.nullcontext():
        dataset = datasets.resolve(suite.dataset, project.datasets)
    sandbox.sweep(project.sandboxes)
    return Bench(options, project, suite, dataset, mm, options.sandbox or best_kind(), console, cancel)


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
        reasons = {
            "vision": "the local profile reads text, it does not see what a picture shows",
            "speech": server.reason,
            "ocr": server.reason,
        }
        backend = Backend(frozenset(name for name, has in able.items() if has), reasons)
        digest = weights.digest if isinstance(weights, local.Weights) else None
        yield profiles.local(server.base_url, local.MODEL), backend, digest


def _cell(shared: Bench, name: str, profile: Profile, backend: Backend, weights: str | None) -> Cell:
    """Find an agent's program and version; PrerequisiteError when it is not there."""
    agent = agents.load(name)
    if not agent.executable:
        return Cell(agent, None, None, (), profile, backend, weights)
    from mmbench.bench import programs

    found = programs.find(agent, shared.project)
    return Cell(agent, found.version, found.path, found.binds, profile, backend, weights)


def _plan(shared: Bench, cell: Cell, seed: int) -> Plan:
    options = shared.options
    drawn = plan.make(
        shared.suite,
        cell.backend,
        arms=options.arms,
        runs=options.runs,
        seed=seed,
        reference=cell.agent.name == "oracle",
    )
    if not drawn.schedule:
        reasons = "; ".join(f"{left.case}: {left.reason}" for left in drawn.excluded)
        raise UsageError(
            f"No trial is left to run ({reasons}).", fix="Choose other cases or another profile."
        )
    return drawn


def _arms(shared: Bench, drawn: Plan, folder: Path) -> dict[str, Arm]:
    return arms.build(drawn.arms, folder, shared.mm, shared.kind, os.environ.get("PATH", os.defpath))


def _preflight(shared: Bench, built: Mapping[str, Arm], folder: Path) -> None:
    """Run the checks and print them; the first that fails raises."""
    largest = max(sum(1 for _ in shared.dataset.hashes), 1) and shared.dataset.size
    _print_passed(shared.console, preflight.writable_results(shared.project.results))
    _print_passed(
        shared.console, preflight.free_space(shared.project.sandboxes, largest, shared.options.jobs)
    )
    _print_passed(shared.console, preflight.sandbox_kind(shared.kind))
    for passed in preflight.arms(built.values(), folder, shared.kind, os.environ):
        _print_passed(shared.console, passed)


def _print_passed(console: Console, passed: Passed) -> None:
    mark = Text("! " if passed.warning else "✓ ", style="yellow" if passed.warning else "green")
    console.print(mark + Text(f"{passed.what:<18} ") + Text(passed.detail, style="dim"), soft_wrap=True)


def _print_plan(shared: Bench, cell: Cell, drawn: Plan) -> None:
    console = shared.console
    version = f" {cell.version}" if cell.version else ""
    console.print(
        Text(f"\n{cell.agent.name}{version} with profile {cell.profile.name}: ", style="bold")
        + Text(
            f"{len(drawn.schedule)} trials: {len(drawn.cases)} cases × {drawn.runs} × {', '.join(drawn.arms)}"
        )
    )
    for left in drawn.excluded:
        scope = f"{left.case} ({left.arm})" if left.arm else left.case
        console.print(Text(f"  not run: {scope}: {left.reason}", style="dim"), soft_wrap=True)


def _run_cell(shared: Bench, cell: Cell) -> bool:
    """Run or continue one session; return whether every scheduled trial is graded."""
    parts = session.method_parts(
        shared.suite,
        shared.dataset,
        arms=shared.options.arms,
        limits=Limits(0),
        timeout_s=shared.options.timeout_s,
        kind=shared.kind,
        judge=JUDGE_OFF,
    )
    with _open_ledger(shared, cell, parts) as (book, state):
        folder = shared.project.sandboxes / state.id
        with _session_folder(folder, keep=shared.options.keep_sandboxes):
            built = _arms(shared, _stored_plan(state), folder)
            if not shared.options.skip_preflight and state.lines == 1:
                _preflight(shared, built, folder)
            _run_session(shared, cell, book, state, built)
    final = ledger.load(book.path)
    _print_summary(shared, final)
    return all(records.state(final, trial) == "completed" for trial in final.trials.values())


def _run_session(shared: Bench, cell: Cell, book: Ledger, state: Session, built: Mapping[str, Arm]) -> None:
    options = shared.options
    specs = [_spec(shared, key, trial) for key, trial in state.trials.items() if records.needs_run(trial)]
    metered = any(arm.has_mm for arm in built.values())
    with contextlib.ExitStack() as stack:
        meter = stack.enter_context(Meter(cell.profile)) if metered else None
        setting = Setting(
            session=state.id,
            folder=shared.project.sandboxes / state.id,
            streams=shared.project.streams(state.id),
            kind=shared.kind,
            agent=cell.agent,
            program=cell.program,
            agent_binds=cell.binds,
            arms=built,
            profile=cell.profile,
            meter=meter,
            limits=Limits(0),
            host_env=dict(os.environ),
            host_home=Path.home(),
            model=options.model,
            endpoint=options.endpoint,
        )
        name = f"{cell.agent.name} × {cell.profile.name}"
        progress = stack.enter_context(Progress(name, len(specs), options.stream, shared.console))
        driver = Driver(
            setting,
            book,
            progress,
            shared.cancel,
            artifacts=shared.project.artifacts(state.id),
            results=shared.project.results,
            keep_sandboxes=options.keep_sandboxes,
        )
        executor = stack.enter_context(ThreadPoolExecutor(options.jobs))
        _run_to_end(driver, specs, executor, options.jobs)


def _run_to_end(driver: Driver, specs: Sequence[TrialSpec], executor: ThreadPoolExecutor, jobs: int) -> None:
    """Run the trials and write the `end` line, whatever the end is."""
    try:
        run(driver, specs, executor, jobs)
    except MmbenchError as error:
        with contextlib.suppress(MmbenchError):
            _end(driver, "error", error.what)
        raise
    interrupted = driver.cancel.is_set()
    _end(driver, "interrupted" if interrupted else "complete", "")


def _end(driver: Driver, reason: str, message: str) -> None:
    state = ledger.load(driver.ledger.path)
    counts = dict(sorted(state.states().items()))
    driver.ledger.append("end", {"reason": reason, "message": message, "counts": counts})


def _spec(shared: Bench, key: TrialKey, trial: records.Trial) -> TrialSpec:
    case = next(case for case in shared.suite.cases if case.id == key.case)
    source, hashes = shared.dataset.subtree(case.dataset)
    return TrialSpec(
        key=key,
        attempt=len(trial.attempts) + 1,
        position=trial.position,
        case=case,
        prompt=primer.compose(key.arm, case.prompt),
        timeout_s=shared.options.timeout_s or case.timeout_s,
        source=source,
        hashes=hashes,
    )


@contextlib.contextmanager
def _open_ledger(shared: Bench, cell: Cell, parts: Mapping[str, object]) -> Iterator[tuple[Ledger, Session]]:
    """Continue the newest unfinished session of the cell when asked to, else start one."""
    path = _unfinished(shared.project, cell) if shared.options.resume else None
    if path is not None:
        book, state = Ledger.open(path)
        with book:
            session.require_same_method(state.header, parts)
            shared.console.print(f"Continuing {state.id}", style="bold")
            yield book, state
        return
    seed = shared.options.seed if shared.options.seed is not None else secrets.randbelow(1 << 31)
    drawn = _plan(shared, cell, seed)
    header = session.header(
        session.new_id(cell.agent.name, cell.profile.name),
        _subject(shared, cell),
        reference=cell.agent.reference,
        parts=parts,
        plan=drawn,
        suite=shared.suite,
        dataset=shared.dataset,
        preflight="skipped" if shared.options.skip_preflight else "passed",
        command=command(shared.options, seed, cell.agent.name, cell.profile.name),
        root=shared.project.root,
    )
    _print_plan(shared, cell, drawn)
    _store_cases(shared, drawn)
    with Ledger.create(shared.project.ledger(str(header["session"]))) as book:
        line = book.append("session", header)
        yield book, records.fold([line])


def _unfinished(project: Project, cell: Cell) -> Path | None:
    """Return the newest unfinished results file of a cell."""
    pattern = f"*-{cell.agent.name}-{cell.profile.name}-*.jsonl"
    for path in sorted(project.results.glob(pattern), reverse=True):
        with path.open("rb") as file:
            first = file.readline()
        if not first.endswith(b"\n"):
            # Killed while its first line was being written: it never began.
            path.unlink()
            continue
        header = jsontext.loads(first)
        if header["cell"] != {"agent": cell.agent.name, "profile": cell.profile.name}:
            continue
        return path if not _finished(path) else None
    return None


def _finished(path: Path) -> bool:
    data = path.read_bytes()
    lines, _ = ledger.split(data)
    state = records.fold(ledger.parse_line(line, path) for line in lines)
    return state.finished


def _stored_plan(state: Session) -> Plan:
    stored = state.header["plan"]
    return Plan(
        stored["suite"],
        tuple(stored["arms"]),
        stored["runs"],
        stored["seed"],
        tuple(state.trials),
        excluded=(),
    )


def _subject(shared: Bench, cell: Cell) -> Subject:
    endpoint = shared.options.endpoint
    return Subject(
        agent=cell.agent.name,
        agent_version=cell.version,
        adapter=cell.agent.adapter_version,
        model=endpoint.model if endpoint else shared.options.model,
        profile=cell.profile,
        backend=cell.backend,
        weights=cell.weights,
        mm=shared.mm,
    )


def _store_cases(shared: Bench, drawn: Plan) -> None:
    """Keep the cases as they are now beside the results, so that the report needs nothing else."""
    for case in shared.suite.cases:
        if case.id not in drawn.cases:
            continue
        path = shared.project.case_file(case.digest)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(jsontext.canonical(case.document) + b"\n")


def _print_summary(shared: Bench, final: Session) -> None:
    counts = ", ".join(f"{count} {name}" for name, count in sorted(final.states().items()))
    try:
        where = shared.project.ledger(final.id).relative_to(Path.cwd())
    except ValueError:
        where = shared.project.ledger(final.id)
    shared.console.print(
        Text(f"{final.id}: {counts}\n", style="bold") + Text(f"Results: {where}"), soft_wrap=True
    )


@contextlib.contextmanager
def _session_folder(folder: Path, *, keep: bool) -> Iterator[Path]:
    """Hold a locked folder for sandboxes; a lock that nobody holds marks leftovers of a killed session."""
    if folder.exists():
        tree.remove(folder)
    folder.mkdir(parents=True)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    if keep:
        (folder / "keep").touch()
    try:
        yield folder
    finally:
        if not keep:
            tree.remove(folder)
        os.close(descriptor)


@contextlib.contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a request to stop, and the second into an immediate end."""
    cancel = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
