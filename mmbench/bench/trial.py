"""One attempt at a trial: a plain value in, a record and a sandbox to grade out.

Everything that all trials of a session share is a `Setting`; what makes one
trial is a `TrialSpec`. Nothing here writes the ledger.
"""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from mmbench.bench import clarification, obstacles, tree, trial_record
from mmbench.bench import sandbox as sandboxes
from mmbench.bench.agents.base import Agent, Endpoint, Launch, LaunchError, RawRun, Task
from mmbench.bench.agents.failures import status_for
from mmbench.bench.arms import Arm, shim_digest
from mmbench.bench.meter import Meter
from mmbench.bench.mmhome import materialise, mm_env
from mmbench.bench.process import Finished, Limits
from mmbench.bench.profiles import Profile
from mmbench.bench.redact import Redactor
from mmbench.bench.room import Bind, Kind
from mmbench.bench.sandbox import Sandbox
from mmbench.bench.tree import TreeChange
from mmbench.case import Case
from mmbench.ledger import utc_now
from mmbench.outcome import Failure, Outcome
from mmbench.records import TrialKey

EXTRA_LIMIT = 64 << 20
TRACES_OF_MM = ("mm_ctx-", "mm-ctx")
"""Names that an installation of mm leaves: seen in an arm without mm, the trial is contaminated."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What all trials of a session share."""

    session: str
    folder: Path
    """Where the sandboxes of this session are made."""
    streams: Path
    kind: Kind
    agent: Agent
    program: PurePosixPath | None
    """The agent's executable as the room shows it, None for agents that are a system command."""
    agent_binds: tuple[Bind, ...]
    arms: Mapping[str, Arm]
    profile: Profile
    meter: Meter | None
    limits: Limits
    host_env: Mapping[str, str] = field(repr=False)
    host_home: Path
    redactor: Redactor = field(repr=False)
    model: str | None = None
    endpoint: Endpoint | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """One attempt at a trial."""

    key: TrialKey
    attempt: int
    position: int
    case: Case
    prompt: str
    timeout_s: float
    source: Path
    """The case's subtree of the dataset."""
    hashes: Mapping[str, str] = field(repr=False)

    @property
    def name(self) -> str:
        """Return a name for the attempt's files."""
        return f"{self.key.case}.{self.key.arm}.{self.key.run}.{self.attempt}"


@dataclass(frozen=True, slots=True)
class Executed:
    """A finished attempt: its record, and what grading looks at."""

    record: dict[str, Any]
    answer: str
    sandbox: Sandbox | None
    changes: tuple[TreeChange, ...] = ()


def execute(
    setting: Setting,
    spec: TrialSpec,
    cancel: threading.Event | None = None,
    tee: Callable[[bytes], None] | None = None,
) -> Executed:
    """Run the agent once in a fresh sandbox and describe what came of it."""
    arm = setting.arms[spec.key.arm]
    sandbox = sandboxes.make(
        setting.folder / spec.name,
        kind=setting.kind,
        source=spec.source,
        mount=spec.case.mount,
        bin_folder=arm.bin_folder,
        binds=(*arm.binds, *setting.agent_binds),
        host_env=setting.host_env,
        obstacle=spec.case.obstacle,
    )
    url = setting.meter.open(spec.name) if setting.meter and arm.has_mm else None
    try:
        written = _install_shim(setting, arm, sandbox, url)
        started = utc_now()
        try:
            launch = setting.agent.launch(_task(setting, spec, sandbox))
        except LaunchError as error:
            return _not_started(spec, sandbox, started, error.failure)
        _write_home(setting, launch, sandbox)
        with clarification.attended(spec.case, sandbox.path("work"), sandbox.before) as exchange:
            finished = _run(setting, spec, launch, sandbox, cancel=cancel, tee=tee)
    finally:
        counts = setting.meter.close(spec.name) if setting.meter and url else None
    backend = asdict(counts) if counts else None
    run = Run(launch, finished, started, written, backend, exchange.record() if exchange else None)
    return _describe(setting, spec, sandbox, run)


def _install_shim(setting: Setting, arm: Arm, sandbox: Sandbox, url: str | None) -> str:
    """Write the arm's `mm` and, where mm is there, the home that it works with; return its hash."""
    env: dict[str, str] = {}
    if arm.has_mm and url is not None:
        materialise(setting.profile, url, sandbox.path("state"))
        env = mm_env(Path(sandbox.places.state), url)
    arm.write_shim(sandbox.path("shim"), sandbox.places, env)
    return shim_digest(sandbox.path("shim"))


def _task(setting: Setting, spec: TrialSpec, sandbox: Sandbox) -> Task:
    return Task(
        prompt=spec.prompt,
        workdir=sandbox.places.work,
        home=sandbox.places.home,
        path=str(sandbox.places.bin),
        timeout_s=spec.timeout_s,
        model=setting.model,
        endpoint=setting.endpoint,
        host_env=setting.host_env,
        solution=spec.case.solution(spec.key.arm),
    )


def _write_home(setting: Setting, launch: Launch, sandbox: Sandbox) -> None:
    """Put the adapter's files and the listed credentials of the user into the throwaway HOME."""
    home = sandbox.path("home")
    for name in setting.agent.credentials_files if setting.endpoint is None else ():
        source = setting.host_home / name
        if source.is_file():
            _write(home, name, source.read_bytes())
    for name, data in launch.files.items():
        _write(home, name, data)


def _write(home: Path, name: str, data: bytes) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o600)


def _run(
    setting: Setting,
    spec: TrialSpec,
    launch: Launch,
    sandbox: Sandbox,
    *,
    cancel: threading.Event | None,
    tee: Callable[[bytes], None] | None,
) -> Finished:
    program = str(setting.program) if setting.program else launch.argv[0]
    room = sandbox.room
    room = type(room)(room.kind, room.binds, room.workdir, {**room.env, **launch.env})
    wanted = setting.limits.within(spec.timeout_s)
    limits = obstacles.limits(spec.case.obstacle, wanted, sandbox.watched)
    return room.run(
        [program, *launch.argv[1:]],
        limits=limits,
        stdin=launch.stdin,
        watched=sandbox.watched,
        cancel=cancel,
        tee=tee,
    )


def _extras(launch: Launch, sandbox: Sandbox) -> dict[str, bytes]:
    """Read the files that the adapter asked for, the first match of a pattern; regular ones under a cap."""
    found: dict[str, bytes] = {}
    home = sandbox.path("home")
    for name, pattern in launch.extras.items():
        path = next(iter(sorted(home.glob(pattern))), None)
        data = None if path is None else tree.read_regular(home, str(path.relative_to(home)), EXTRA_LIMIT)
        if data is not None:
            found[name] = data
    return found


@dataclass(frozen=True, slots=True)
class Run:
    """A process that has ended, and what was noted around it."""

    launch: Launch
    finished: Finished
    started: str
    shim: str
    """Hash of the arm's `mm` as it was written."""
    backend: dict[str, Any] | None
    """What the meter counted."""
    exchange: dict[str, Any] | None = None
    """What was said with the user of a clarification case."""


def _describe(setting: Setting, spec: TrialSpec, sandbox: Sandbox, run: Run) -> Executed:
    finished = run.finished
    raw = RawRun(
        stdout=finished.stdout.bytes(),
        stderr=finished.stderr.bytes(),
        exit_code=finished.exit_code,
        ended=finished.ended,
        extras=_extras(run.launch, sandbox),
        requested_model=setting.endpoint.model if setting.endpoint else setting.model,
    )
    arm = setting.arms[spec.key.arm]
    after = tree.marks(sandbox.path("work"))
    found = tree.changes(sandbox.path("work"), sandbox.before, after)
    canary = _has_canary(spec.case, raw)
    outcome = _overruled(setting.agent.parse(raw), canary, arm, sandbox)
    _keep_streams(setting, spec.name, raw)
    record = trial_record.outcome_fields(spec, outcome) | {
        "started_at": run.started,
        "duration_s": round(finished.duration_s, 4),
        "exit_code": finished.exit_code,
        "ended": finished.ended,
        "mm": trial_record.mm_fields(sandbox, run.backend),
        "tree": trial_record.tree_fields(after, found, spec.hashes),
        "artifacts": [],
        "streams": {
            "stdout": trial_record.stream(finished.stdout),
            "stderr": trial_record.stream(finished.stderr),
        },
        "stderr_tail": trial_record.stderr_tail(raw.stderr),
        "treatment": arm.look(sandbox.path("shim"), run.shim),
        "canary": canary,
    }
    if run.exchange is not None:
        record["clarification"] = run.exchange
    return Executed(record, outcome.final_text, sandbox, tuple(found))


def _overruled(outcome: Outcome, canary: bool, arm: Arm, sandbox: Sandbox) -> Outcome:
    """Let what the harness knows stand above what the stream says."""
    reason = "the case's canary is in the transcript" if canary else None
    if reason is None and not arm.has_mm:
        trace = trace_of_mm(sandbox)
        reason = f"mm was installed or run in an arm without it ({trace})" if trace else None
    if reason is None:
        return outcome
    changed = {name: getattr(outcome, name) for name in Outcome.__slots__}
    return Outcome(**{**changed, "status": "contaminated", "failure": Failure("contaminated", reason)})


def trace_of_mm(sandbox: Sandbox) -> str | None:
    """Return the first path that only mm can have made, None where there is none."""
    for name in ("home", "tmp", "work"):
        for path, _ in tree.walk(sandbox.path(name)):
            last = path.rpartition("/")[2]
            if last.startswith(TRACES_OF_MM) or path in (".config/mm/mm.toml", ".local/share/mm/mm.db"):
                if name == "work" and path in sandbox.before:
                    continue
                return tree.shown(last)
    return None


def _has_canary(case: Case, raw: RawRun) -> bool:
    canary = str(case.document.get("canary", ""))
    return bool(canary) and any(canary.encode() in stream for stream in (raw.stdout, raw.stderr))


def _keep_streams(setting: Setting, name: str, raw: RawRun) -> None:
    """Keep the raw streams beside the project, compressed, without secrets.

    The record's hashes are of what the agent wrote: a stream that was cut or redacted has another.
    """
    if not raw.stdout and not raw.stderr:
        return
    setting.streams.mkdir(parents=True, exist_ok=True)
    for suffix, data in (("stdout", raw.stdout), ("stderr", raw.stderr)):
        if data:
            kept = gzip.compress(setting.redactor.data(data), 3, mtime=0)
            (setting.streams / f"{name}.{suffix}.gz").write_bytes(kept)


def _not_started(spec: TrialSpec, sandbox: Sandbox | None, started: str, failure: Failure) -> Executed:
    return Executed(
        trial_record.no_run(spec, started, Outcome(status_for(failure), failure=failure)), "", sandbox
    )
