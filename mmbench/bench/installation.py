"""How an agent CLI is brought in: from its lock, into a folder beside, checked, then put in place.

A folder appears under its name only when it is whole. npm runs as `install`
and not as `ci`: some CLIs name optional builds for other platforms that no
registry has, which `ci` takes for a broken lock. The integrity hashes of the
lock are enforced either way.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from mmbench import atomic
from mmbench.bench.toolchain import (
    STAMP,
    CliSetupError,
    CliVersionError,
    Installed,
    Tool,
    installed,
    pinned,
    probe,
    tool_of,
)
from mmbench.layout import Project

INSTALL_TIMEOUT_S = 1200.0
OLDEST_NODE = (24, 16)

LAUNCHER = """#!/bin/sh
# Starts the pinned program with the pinned runtime, wherever this folder was moved or linked to.
here=$(dirname "$(readlink -f "$0")")
exec {command} "$@"
"""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an installation says of itself."""

    version: str
    seconds: float
    megabytes: int


def install(name: str, where: Project) -> Installed:
    """Install a CLI at its pinned version and check what it says of itself.

    Does nothing when it is there already, and waits while another process
    installs. Raises CliSetupError when the package manager fails and
    CliVersionError when another version came.
    """
    tool, wanted = tool_of(name), pinned(name, where)
    there = _there(name, wanted, where)
    if there is not None:
        return there
    with atomic.locked(where.agents / ".lock"):
        return _there(name, wanted, where) or _install(tool, wanted, where)


def _there(name: str, wanted: str, where: Project) -> Installed | None:
    found = installed(name, where)
    return found if found and found.version == wanted else None


def _install(tool: Tool, wanted: str, where: Project) -> Installed:
    name, started = tool.name, time.monotonic()
    staging = _stage(name, where)
    node = ensure_node(where) if tool.runs_on_node else None
    command = _install_npm(tool, staging, node) if tool.channel == "npm" else _install_pypi(tool, staging)
    _write_launcher(staging / "bin" / name, command)
    found = probe(staging / "bin" / name)
    if found != wanted:
        raise CliVersionError(
            f"'{name}' says it is version {found or 'unknown'} after the installation of {wanted}.",
            where=str(staging),
            fix="Remove that folder and try again; if it stays so, the lock does not fit this machine.",
        )
    _stamp(staging, wanted, time.monotonic() - started)
    _put(staging, where.agents / name)
    return Installed(name, where.agents / name / "bin" / name, wanted)


def ensure_node(where: Project) -> Path | None:
    """Return the launcher of the pinned Node; None where only the user's own fits.

    The registry has builds of this Node for Linux alone. Elsewhere a Node that
    is new enough must be on PATH.
    """
    folder = where.agents / "node"
    if sys.platform != "linux":
        _require_node()
        return None
    if not (folder / STAMP).is_file():
        started = time.monotonic()
        staging = _stage("node", where)
        _npm_install(staging, None)
        builds = sorted((staging / "node_modules").glob("node-*/bin/node"))
        if not builds:
            raise CliSetupError(
                "The pinned Node has no build for this machine.", where=f"locks/node, {os.uname().machine}"
            )
        _write_launcher(staging / "bin" / "node", f'"$here/../{builds[0].relative_to(staging)}"')
        _stamp(staging, probe(staging / "bin" / "node"), time.monotonic() - started)
        _put(staging, folder)
    return folder / "bin" / "node"


def _stage(name: str, where: Project) -> Path:
    """Make the folder in which to install, as deep as its final place: launchers look beside themselves."""
    staging = where.agents / f".{name}.part"
    if staging.exists():
        shutil.rmtree(staging)
    return Path(shutil.copytree(where.root / "locks" / name, staging))


def _put(staging: Path, place: Path) -> None:
    if place.exists():
        shutil.rmtree(place)
    staging.rename(place)


def _require_node() -> None:
    program = shutil.which("node")
    version = probe(Path(program)) if program else ""
    if tuple(int(part) for part in version.split(".")[:2] if part) < OLDEST_NODE:
        oldest = ".".join(map(str, OLDEST_NODE))
        raise CliSetupError(
            f"Node {oldest} or newer is needed; found {version or 'none'}.", fix="Install it and try again."
        )


def _install_npm(tool: Tool, folder: Path, node: Path | None) -> str:
    """Install from the lock and return the launcher's command."""
    _npm_install(folder, node)
    program = f'"$here/../node_modules/.bin/{tool.name}"'
    if not tool.runs_on_node:
        return program
    return f'"$here/../../node/bin/node" {program}' if node else f"node {program}"


def _npm_install(folder: Path, node: Path | None) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise CliSetupError("npm is not installed.", fix="Install Node with npm and try again.")
    path = os.environ.get("PATH", os.defpath)
    env = {**os.environ, "PATH": f"{node.parent}:{path}" if node else path}
    _run([npm, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], folder, env)


def _install_pypi(tool: Tool, folder: Path) -> str:
    """Install from the lock into a virtualenv and return the launcher's command.

    The console script is started through the interpreter: its own first line
    names the folder in which it was made.
    """
    python = folder / "venv" / "bin" / "python"
    # Debian's Python has `venv` only with a package of its own; virtualenv is among the locked dependencies.
    _run([sys.executable, "-m", "virtualenv", "--quiet", "venv"], folder, os.environ)
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    _run([str(python), "-m", "pip", "install", *options, "-r", "requirements.txt"], folder, os.environ)
    return f'"$here/../venv/bin/python" "$here/../venv/bin/{tool.name}"'


def _run(argv: list[str], folder: Path, env: Mapping[str, str]) -> None:
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=INSTALL_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CliSetupError(
            f"{Path(argv[0]).name} did not end in {INSTALL_TIMEOUT_S:.0f} s.", where=str(folder)
        ) from error
    if done.returncode != 0:
        words = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-800:]
        raise CliSetupError(
            f"{Path(argv[0]).name} failed: {words}", where=str(folder), fix="Is the registry reachable?"
        )


def _write_launcher(path: Path, command: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(LAUNCHER.format(command=command), encoding="utf-8")
    path.chmod(0o755)


def _stamp(folder: Path, version: str, seconds: float) -> None:
    found = (entry.lstat() for entry in folder.rglob("*"))
    blocks = {entry.st_ino: entry.st_blocks for entry in found}  # a hard link counts once
    stamp = Stamp(version, round(seconds, 1), round(sum(blocks.values()) * 512 / 1e6))
    (folder / STAMP).write_text(json.dumps(asdict(stamp)) + "\n", encoding="utf-8")
