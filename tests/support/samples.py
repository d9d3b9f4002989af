"""The recorded samples of real agent CLIs, by agent and scenario."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench.bench.agents.base import RawRun
from tests.support import databases

DATA = Path(__file__).resolve().parents[1] / "data" / "agents"


@dataclass(frozen=True, slots=True)
class Sample:
    """A recorded run and what the loopback model served in it."""

    raw: RawRun
    served: dict[str, Any]


def versions(agent: str) -> list[str]:
    """List the recorded versions of a CLI."""
    return sorted(folder.name for folder in (DATA / agent).iterdir())


def scenarios(agent: str) -> list[str]:
    """List the recorded scenarios of a CLI's newest version."""
    return sorted(folder.name for folder in (DATA / agent / versions(agent)[-1]).iterdir())


def sample(agent: str, scenario: str) -> Sample:
    """Read a sample of a CLI's newest recorded version."""
    folder = DATA / agent / versions(agent)[-1] / scenario
    known = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    raw = RawRun(
        stdout=(folder / "stdout").read_bytes(),
        stderr=(folder / "stderr").read_bytes(),
        exit_code=known["exit_code"],
        ended=known["ended"],
        extras=dict(_extra(path) for path in sorted(folder.glob("extra.*"))),
        requested_model=known["requested_model"],
    )
    return Sample(raw, known)


def _extra(path: Path) -> tuple[str, bytes]:
    """Read a file that the CLI left; a database is kept as the statements that make it."""
    name = path.name.removeprefix("extra.")
    if path.suffix == ".sql":
        return name.removesuffix(".sql"), databases.restore(path.read_bytes())
    return name, path.read_bytes()
