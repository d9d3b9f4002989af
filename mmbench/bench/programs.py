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
from mmbench.bench.room import SYSTEM, Bind
from mmbench.bench.toolchain import CliMissingError
from mmbench.layout import Project

VERSION_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Program:
    """A program that an agent is started by."""

    path: Path
    version: str
    binds: tuple[Bind, ...]
    """Read-only folders that must exist in the sandbox for it to run."""


def find(agent: Agent, project: Project) -> Program:
    """Find an agent's program: the project's own installation first, then the user's.

    Raises CliMissingError and CliVersionError with the command that installs it.
    """
    if agent.name in toolchain.TOOLS:
        found = toolchain.find(agent.name, project.root)
        return Program(found.path, found.version, tuple(_binds(found.path, project)))
    path = shutil.which(agent.executable)
    if path is None:
        raise CliMissingError(
            f"The agent '{agent.name}' needs the program '{agent.executable}', which is not on PATH.",
            fix="Install it, or correct `executable` in its adapter.",
        )
    return Program(Path(path), _version(agent, path), tuple(_binds(Path(path), project)))


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


def _binds(path: Path, project: Project) -> Iterator[Bind]:
    """Yield the folders that a program lives in, as far as the system folders do not cover them."""
    own = project.root / ".mmbench" / "agents"
    if path.is_relative_to(own):
        folder = own / path.relative_to(own).parts[0]
        yield Bind(folder, PurePosixPath(folder))
        node = own / "node"
        if node.is_dir():
            yield Bind(node, PurePosixPath(node))
        yield from _interpreter(folder / "venv" / "bin" / "python")
        return
    for place in dict.fromkeys((path, path.resolve())):
        folder = _package_folder(place)
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
    return any(folder.is_relative_to(root) for root in SYSTEM) or str(folder) in (os.sep, str(Path.home()))
