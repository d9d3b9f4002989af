"""What must hold before a session starts; a failure stops with its reason and the fix."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mmbench.bench import endpoint, reach, tree
from mmbench.bench import sandbox as sandboxes
from mmbench.bench.arms import Arm
from mmbench.bench.judge.panel import Judge
from mmbench.bench.process import Limits
from mmbench.bench.profiles import Profile
from mmbench.bench.room import INSTALL_HINT, Kind
from mmbench.case import Suite
from mmbench.errors import PrerequisiteError

PROBE_LIMITS = Limits(wall_s=180.0)


@dataclass(frozen=True, slots=True)
class Passed:
    """One thing that was looked at and holds; `warning` says that it could be better."""

    what: str
    detail: str
    warning: bool = False


def judge(asked: Judge | None) -> Passed:
    """Require that every model of the judge answers; PrerequisiteError names what is wrong."""
    if asked is None:
        return Passed("judge", "off: correctness is that of the checks alone")
    answers = asked.ready()
    free = sorted({name for answer in answers for name in answer.without})
    detail = f"{asked.config.mode} by {', '.join(asked.config.models)}"
    return Passed(
        "judge", f"{detail}; the endpoint takes no {', '.join(free)}" if free else detail, bool(free)
    )


def sandbox_kind(kind: Kind) -> Passed:
    """Say which room is used, and how to get the strongest one."""
    details = {
        "bubblewrap": "bubblewrap: only the system, the copy and the homes exist inside",
        "namespaces": f"bare namespaces: the same view, no user id of its own. {INSTALL_HINT}",
        "process": f"a plain process: the agent can see this machine's files. {INSTALL_HINT}",
    }
    return Passed("sandbox", details[kind], warning=kind != "bubblewrap")


def foreign_programs(suite: Suite, kind: Kind, *, solving: bool) -> None:
    """Refuse the programs that a suite from the hub brings along where no sandbox holds them.

    `solving` says that its solutions are run too. Raises PrerequisiteError with the first case that has one.
    """
    if kind != "process":
        return
    for case in suite.cases:
        if "validator" in case.document or (solving and "solutions" in case.document):
            raise PrerequisiteError(
                f"The case '{case.id}' comes from the hub with a program of its own, and here nothing would hold it: "
                "it could do on this machine whatever you can.",
                where=f"suite {suite.name}",
                fix=INSTALL_HINT,
            )


def free_space(folder: Path, per_trial: int, jobs: int) -> Passed:
    """Require room for the copies under way; raises PrerequisiteError."""
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    needed = sandboxes.FREE_RESERVE + per_trial * jobs
    if free < needed:
        raise PrerequisiteError(
            f"{free >> 20} MB are free where sandboxes are made; {needed >> 20} MB are needed.",
            where=str(folder),
            fix="Free some space, or set MMBENCH_STATE to a folder on a larger disk.",
        )
    return Passed("disk", f"{free / (1 << 30):.0f} GB free, {per_trial / (1 << 20):.0f} MB per copy")


def writable_results(folder: Path) -> Passed:
    """Require that results can be written; raises PrerequisiteError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".write-", suffix=".tmp"):
            pass
    except OSError as error:
        raise PrerequisiteError(
            f"Results cannot be written: {error.strerror}.",
            where=str(folder),
            fix="Make the folder writable or name another with --results DIR.",
        ) from error
    return Passed("results", "writable")


def profile(profile: Profile) -> Passed:
    """Require that a profile's endpoint answers a one-token ping; raises EndpointError with the reason."""
    if profile.kind == "local":
        return Passed(f"profile {profile.name}", "served on this machine")
    pong = endpoint.ping(profile)
    return Passed(f"profile {profile.name}", f"{pong.model} answers in {pong.seconds:.1f} s")


def arms(
    arms: Iterable[Arm], folder: Path, kind: Kind, host_env: Mapping[str, str] | None = None
) -> list[Passed]:
    """Prove in a real sandbox of each arm that mm is reachable, or out of reach by every route.

    Raises PrerequisiteError with the route that contradicts the arm.
    """
    return [_arm(arm, folder, kind, host_env or {}) for arm in arms]


def _arm(arm: Arm, folder: Path, kind: Kind, host_env: Mapping[str, str]) -> Passed:
    routes = reach.routes(arm.mm, os.environ.get("PATH", ""))
    script = reach.probe_script(routes, expect_absent=not arm.has_mm)
    found = reach.read_probe(
        _in_sandbox(arm, folder, kind, script, host_env), expect_absent=not arm.has_mm, version=arm.mm.version
    )
    if found:
        first = found[0]
        raise PrerequisiteError(
            _contradiction(arm, first.label, first.output),
            where=f"arm {arm.name}, sandbox {kind}",
            fix=_remedy(arm, kind),
        )
    detail = (
        f"mm {arm.mm.version} runs from every shell"
        if arm.has_mm
        else f"{len(routes)} routes to mm, all closed"
    )
    return Passed(f"arm {arm.name}", detail)


def _contradiction(arm: Arm, route: str, output: str) -> str:
    said = f" ({output.strip()[:200]})" if output.strip() else ""
    if arm.has_mm:
        return f"mm cannot be reached in the arm that has it, by `{route}`{said}."
    return f"mm can be reached in the arm without it, by `{route}`{said}."


def _remedy(arm: Arm, kind: Kind) -> str:
    if arm.has_mm:
        return "Remove .mmbench/mm and run `nox -s bench` again, which installs mm anew."
    if kind == "process":
        return f"A plain process cannot hide mm. {INSTALL_HINT}"
    return "Uninstall mm-ctx from the system's Python (pip uninstall mm-ctx)."


def _in_sandbox(arm: Arm, folder: Path, kind: Kind, script: str, host_env: Mapping[str, str]) -> str:
    root = folder / f"probe-{arm.name}"
    with tempfile.TemporaryDirectory(prefix="mmbench-empty-") as empty:
        box = sandboxes.make(
            root,
            kind=kind,
            source=Path(empty),
            mount="/workspace",
            bin_folder=arm.bin_folder,
            binds=arm.binds,
            host_env=host_env,
        )
    try:
        arm.write_shim(box.path("shim"), box.places, {"HOME": str(box.places.state)} if arm.has_mm else {})
        done = box.room.run(["sh", "-s"], limits=PROBE_LIMITS, stdin=script.encode(), watched=())
        return done.stdout.bytes().decode("utf-8", "replace")
    finally:
        tree.remove(root)
