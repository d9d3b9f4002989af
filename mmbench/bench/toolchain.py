"""The agent CLIs at pinned versions, installed into the project and never into timed code.

    locks/<name>/            package.json + package-lock.json, or requirements.in + requirements.txt
    .mmbench/agents/<name>/  bin/<name>          starts the pinned CLI with the pinned runtime
                             installed.json      what was installed; written last
                             node_modules/ or venv/

Each CLI has a lock of its own: one can be installed, raised or removed without
touching another. Locks carry integrity hashes and name no registry. A pin is
raised in `package.json` (`npm install --package-lock-only` beside it) or in
`requirements.in` (`uv pip compile --universal --generate-hashes`). How they get
there is in `installation`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mmbench.errors import PrerequisiteError, unknown
from mmbench.layout import Project

VERSION_TIMEOUT_S = 180.0
VERSION = re.compile(r"\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z.]+)?")
STAMP = "installed.json"


class CliMissingError(PrerequisiteError):
    """An agent CLI is not installed."""

    kind = "cli_missing"


class CliVersionError(PrerequisiteError):
    """An agent CLI is installed at a version the adapter was not proven against."""

    kind = "cli_version"


class CliSetupError(PrerequisiteError):
    """An agent CLI could not be installed."""

    kind = "setup"


@dataclass(frozen=True, slots=True)
class Tool:
    """How one CLI is brought in."""

    name: str
    package: str
    channel: Literal["npm", "pypi"] = "npm"
    runs_on_node: bool = False


@dataclass(frozen=True, slots=True)
class Installed:
    """An agent CLI that can be started."""

    name: str
    path: Path
    """The program; for one of the project's own, a launcher below `.mmbench/agents/`."""
    version: str


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool("claude", "@anthropic-ai/claude-code"),
        Tool("codex", "@openai/codex", runs_on_node=True),
        Tool("gemini", "@google/gemini-cli", runs_on_node=True),
        Tool("hermes", "hermes-agent", channel="pypi"),
        Tool("opencode", "opencode-ai"),
        Tool("openclaw", "openclaw", runs_on_node=True),
        Tool("pi", "@mariozechner/pi-coding-agent", runs_on_node=True),
        Tool("qwen", "@qwen-code/qwen-code", runs_on_node=True),
    )
}


def tool_of(name: str) -> Tool:
    """Return how a CLI is installed; raise UsageError for a name that has no lock."""
    if name not in TOOLS:
        raise unknown("installable agent", name, TOOLS)
    return TOOLS[name]


def pinned(name: str, where: Project) -> str:
    """Return the version that the lock pins."""
    tool, folder = tool_of(name), where.root / "locks" / name
    try:
        if tool.channel == "npm":
            manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
            return str(manifest["dependencies"][tool.package])
        line = (folder / "requirements.in").read_text(encoding="utf-8").strip()
        return line.removeprefix(f"{tool.package}==")
    except (OSError, ValueError, KeyError) as error:
        raise CliSetupError(
            f"The lock of '{name}' cannot be read: {error}.",
            where=f"locks/{name}",
            fix="Restore it: git checkout -- locks",
        ) from error


def installed(name: str, where: Project) -> Installed | None:
    """Return the project's own installation of a CLI, or None."""
    folder = where.agents / tool_of(name).name
    program = folder / "bin" / name
    try:
        stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
        version = str(stamp["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # an interrupted installation has no stamp: it is made again
    return Installed(name, program, version) if program.is_file() else None


def find(name: str, where: Project, search_path: str | None = None) -> Installed:
    """Return the CLI to use: the project's own, else the user's at the pinned version.

    Raises CliMissingError when there is none, CliVersionError when the version is another.
    """
    wanted = pinned(name, where)
    fix = f"Install the pinned version into the project: nox -s agents -- {name}"
    found = installed(name, where)
    if found is None:
        program = shutil.which(name, path=search_path)
        if program is None:
            raise CliMissingError(f"The agent CLI '{name}' is not installed.", fix=fix)
        found = Installed(name, Path(program), probe(Path(program)))
    if found.version != wanted:
        raise CliVersionError(
            f"'{name}' is at version {found.version or 'unknown'}; the adapter was proven against {wanted}.",
            where=str(found.path),
            fix=fix,
        )
    return found


def probe(program: Path) -> str:
    """Ask a CLI for its version; empty when it gives none."""
    with tempfile.TemporaryDirectory(prefix="mmbench-version-") as home:
        env = {"HOME": home, "PATH": os.environ.get("PATH", os.defpath), "NO_COLOR": "1"}
        try:
            done = subprocess.run(
                [program, "--version"],
                env=env,
                cwd=home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=VERSION_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
    said = b"\n".join((done.stdout, done.stderr)).decode("utf-8", "replace")  # pi says it on stderr
    match = VERSION.search(said)
    return match.group() if match and done.returncode == 0 else ""
