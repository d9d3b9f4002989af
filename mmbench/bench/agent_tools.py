"""`mmbench agents`: list the adapters, install their CLIs, and read a recorded run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mmbench import terminal
from mmbench.bench import agents, installation, toolchain
from mmbench.bench.agents.base import RawRun
from mmbench.errors import UsageError
from mmbench.layout import Project, short
from mmbench.outcome import Outcome


def run(arguments: argparse.Namespace, where: Project) -> int:
    """Do what `mmbench agents ACTION` asks for and return the exit code."""
    if arguments.action == "list":
        print(listing(where, as_json=arguments.json))
        return 0
    if not arguments.names:
        known = ", ".join(toolchain.TOOLS)
        raise UsageError(f"`agents {arguments.action}` needs the name of an agent.", fix=f"Known: {known}.")
    if arguments.action == "install":
        for name in arguments.names:
            toolchain.tool_of(name)
        for name in arguments.names:
            found = installation.install(name, where)
            print(f"{name} {found.version} is installed in {short(where.agents / name)}")
        return 0
    print(parsed(arguments))
    return 0


def listing(where: Project, *, as_json: bool = False) -> str:
    """Return every built-in agent with its pinned and its installed version."""
    rows = []
    for name in agents.AGENTS:
        known = name in toolchain.TOOLS
        found = toolchain.installed(name, where) if known else None
        rows.append(
            {
                "agent": name,
                "pinned": toolchain.pinned(name, where) if known else None,
                "installed": found.version if found else None,
                "adapter": agents.load(name).adapter_version,
            }
        )
    if as_json:
        return json.dumps(rows, indent=2)
    lines = [f"{'agent':<10} {'pinned':<12} {'installed here':<15} adapter"]
    lines += [
        f"{row['agent']:<10} {row['pinned'] or '-':<12} {row['installed'] or '-':<15} {row['adapter']}"
        for row in rows
    ]
    return "\n".join([*lines, "\nInstall with `nox -s agents -- NAME…`; oracle and nop need no program."])


def parsed(arguments: argparse.Namespace) -> str:
    """Return the normal form of a recorded run: people debug adapters with it."""
    if len(arguments.names) != 1:
        raise UsageError("`agents parse` reads the run of one agent.", fix="Give one name.")
    if arguments.stdout is None:
        raise UsageError(
            "`agents parse` needs --stdout FILE.", fix="Give the agent's recorded standard output."
        )
    raw = RawRun(
        stdout=_read(arguments.stdout),
        stderr=_read(arguments.stderr) if arguments.stderr else b"",
        exit_code=arguments.exit_code,
        extras=_extras(arguments.extra),
    )
    value = normal_form(agents.load(arguments.names[0]).parse(raw))
    if arguments.json:
        return json.dumps(value, indent=2)
    return terminal.visible("\n".join(f"{key:<12} {_shown(item)}" for key, item in value.items()))


def normal_form(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as plain values, in the documented order of keys."""
    value = asdict(outcome)
    keys = ("final_text", "usage", "model", "turns", "tool_calls", "status", "failure", "parse")
    return {key: value[key] for key in keys}


def _shown(item: Any) -> str:
    if isinstance(item, Mapping):
        return ", ".join(f"{key}={'n/a' if value is None else value}" for key, value in item.items())
    return "n/a" if item is None else str(item)


def _extras(pairs: list[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for pair in pairs:
        name, separator, path = pair.partition("=")
        if not separator or not name:
            raise UsageError(
                f"'{pair}' is not of the form NAME=FILE.", fix="For example: --extra usage=usage.json"
            )
        found[name] = _read(Path(path))
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", fix="Name an existing file.") from error
