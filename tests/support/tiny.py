"""A suite of a few bytes and an agent that is a shell script: a real session takes a second or two."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from mmbench.layout import Project, project

CASE = {
    "title": "Say what the file says",
    "archetype": "artifact",
    "modality": ["doc"],
    "dataset": ".",
    "mm_commands": ["cat"],
    "difficulty": "easy",
    "prompt": "Copy word.txt to out.txt and say what it says.",
    "ground_truth": {"word": "heron"},
    "checks": [
        {"kind": "contains_text", "weight": 1, "value": "heron"},
        {"kind": "artifact_exists", "weight": 1, "path": "out.txt"},
    ],
    "judge_objective": "Says heron.",
    "timeout_s": 30,
}
AGENT = """\
name = "sh-agent"
adapter_version = "1"
argv = ["sh-agent"]
stdin = "{prompt}"
version_argv = ["sh-agent", "--version"]

[output]
format = "text"
"""
GOOD = "cp word.txt out.txt\ncat word.txt\n"
PROFILE = (
    "--profile.base-url",
    "http://127.0.0.1:9/v1",
    "--profile.model",
    "none",
    "--profile.api-key",
    "none-none",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with the suite, the agent, its results and its state."""

    root: Path

    @property
    def results(self) -> Path:
        """Return the folder of results files."""
        return self.root / "results"

    @property
    def state(self) -> Path:
        """Return the state folder, in which the project's own mm is linked."""
        return self.root / "state"

    @property
    def project(self) -> Project:
        """Return the layout."""
        return project(self.results, self.state)

    @property
    def ledger(self) -> Path:
        """Return the one results file."""
        (path,) = self.results.glob("*.jsonl")
        return path

    def agent(self, script: str) -> None:
        """Write what the agent does."""
        path = self.root / "bin" / "sh-agent"
        path.parent.mkdir(exist_ok=True)
        version = '[ "$1" = --version ] && { echo sh-agent 1.0.0; exit; }\ncat > /dev/null\n'
        path.write_text(f"#!/bin/sh\n{version}{script}")
        path.chmod(0o755)

    def words(self, *more: str, agent: str | None = None) -> list[str]:
        """Return the arguments of a session after `mmbench`."""
        name = agent or str(self.root / "agent.toml")
        fixed = ("--judge", "off", "--skip-preflight", "--sandbox", "process", "--results", str(self.results))
        return ["bench", name, "--suite", str(self.root / "suite"), *PROFILE, *fixed, *more]

    def environment(self) -> dict[str, str]:
        """Return the environment of a process of its own."""
        path = os.pathsep.join([str(self.root / "bin"), os.environ.get("PATH", os.defpath)])
        return {**os.environ, "MMBENCH_STATE": str(self.state), "PATH": path}

    def command(self, *more: str, agent: str | None = None) -> list[str]:
        """Return the command of a process of its own."""
        return [sys.executable, "-m", "mmbench", *self.words(*more, agent=agent)]


def make(root: Path, cases: int = 2, script: str = GOOD) -> Place:
    """Write the suite and the agent; the project's mm is linked, not installed again."""
    place = Place(root)
    (root / "files").mkdir()
    (root / "files" / "word.txt").write_text("heron\n")
    (root / "suite").mkdir()
    about = {"name": "tiny", "dataset": str(root / "files"), "description": "Tiny."}
    (root / "suite" / "suite.json").write_text(json.dumps(about))
    lines = [json.dumps({"id": f"word-{number}", **CASE}) for number in range(cases)]
    (root / "suite" / "cases.jsonl").write_text("\n".join(lines) + "\n")
    (root / "agent.toml").write_text(AGENT)
    place.agent(script)
    place.state.mkdir()
    (place.state / "mm").symlink_to(project().state / "mm")
    return place
