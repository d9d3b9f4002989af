"""Where an agent's program is, at which version, and what of the host it needs to see."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mmbench.bench import toolchain
from mmbench.bench.agents.base import Agent
from mmbench.bench.room import CHECKOUT, Bind, Kind, on_system
from mmbench.bench.toolchain import CliMissingError, CliSetupError
from mmbench.layout import Project

VERSION_TIMEOUT_S = 60.0
PLACE = PurePosixPath("/run/box/agents")
"""Where a room shows the project's own installations, wherever the project lies on the host."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that an agent is started by."""

    path: Path
    version: str
    binds: tuple[Bind, ...]
    """Read-only folders that must exist in the sandbox for it to run."""
    inside: PurePosixPath
    """The program as a room that moves folders shows it."""

    def place(self, kind: Kind) -> PurePosixPath:
        """Return where the program is started from in a kind of room."""
        return PurePosixPath(self.path) if kind == "process" else self.inside


def find(agent: Agent, project: Project) -> Program:
    """Find an agent's program: the project's own installation first, then the user's.

    Raises CliMissingError and CliVersionError with the command that installs it.
    """
    if agent.name in toolchain.TOOLS:
        found = toolchain.find(agent.name, project)
        return _program(found.path, found.version, project)
    path = shutil.which(agent.executable)
    if path is None:
        raise CliMissingError(
            f"The agent '{agent.name}' needs the program '{agent.executable}', which is not on PATH.",
            fix="Install it, or correct its name in the adapter.",
        )
    return _program(Path(path), _version(agent, path), project)


def _program(path: Path, version: str, project: Project) -> Program:
    own = project.agents
    inside = PLACE / path.relative_to(own) if path.is_relative_to(own) else PurePosixPath(path)
    return Program(path, version, tuple(_binds(path, own)), inside)


def _version(agent: Agent, path: str) -> str:
    argv = agent.version_argv()
    if not argv:
        return "unknown"
    try:
        done = subprocess.run(
            [path, *argv[1:]],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    found = toolchain.VERSION.search(done.stdout + done.stderr)
    return found.group() if found else "unknown"


def _binds(path: Path, own: Path) -> Iterator[Bind]:
    """Yield the folders that a program lives in, as far as the system folders do not cover them."""
    if path.is_relative_to(own):
        folder = own / path.relative_to(own).parts[0]
        # Launchers find what they start from where they lie, the pinned Node beside them.
        for shown in (folder, own / "node"):
            if shown.is_dir():
                yield Bind(shown, PLACE / shown.name)
        yield from _interpreter(folder / "venv" / "bin" / "python")
        return
    for place in dict.fromkeys((path, path.resolve())):
        folder = _package_folder(place)
        if CHECKOUT.is_relative_to(folder):
            raise CliSetupError(
                f"The program {place.name} lies in a folder that holds this project: it would see the cases' answers.",
                where=str(place),
                fix="Move the program to a folder of its own.",
            )
        if not _on_system(folder):
            yield Bind(folder, PurePosixPath(folder))


def _interpreter(python: Path) -> Iterator[Bind]:
    """Yield the installation that a virtualenv's Python was made from."""
    if python.exists():
        prefix = python.resolve().parent.parent
        if not _on_system(prefix):
            yield Bind(prefix, PurePosixPath(prefix))


def _package_folder(place: Path) -> Path:
    """Return the folder that holds all of a program: its node_modules, else the folder it lies in."""
    for parent in place.parents:
        if parent.name == "node_modules":
            return parent
    return place.parent


def _on_system(folder: Path) -> bool:
    return on_system(folder) or str(folder) in (os.sep, str(Path.home()))
