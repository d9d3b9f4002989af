"""Record what an installed agent CLI leaves in each situation: `python -m tests.support.record AGENT [SCENARIO...]`.

Drives the real CLI against the loopback model and writes the samples that the
fast tests read, to `tests/data/agents/<agent>/<version>/<scenario>/`, without
paths, ids, ports and other people's prose.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mmbench.bench.agents.base import Agent, Launch, RawRun
from mmbench.bench.toolchain import installed
from mmbench.layout import project
from tests.support import databases, drive
from tests.support.loopback import LoopbackModel, Script, total
from tests.support.samples import DATA

COMMANDS = ("cat secret.txt", "echo done > out.txt; cat out.txt")
PROMPT = "Read secret.txt with the shell, write out.txt, and say what you read."
NOWHERE = "http://127.0.0.1:9"
LONGEST_TEXT = 400
MODELS = {"gemini": "gemini-3-pro-preview"}
"""Models that a CLI takes no other for; the endpoint serves any."""
START_S = {"hermes": 40.0, "openclaw": 120.0, "opencode": 60.0, "qwen": 40.0}
"""What a CLI needs before its first call, on a slow machine."""

PROMPTS = {"response_item", "world_state"}
"""Lines of a log that hold the instructions of the CLI's makers."""

IDS = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:ses|prt|msg|fco|rs)_[0-9A-Za-z]{20,}\b"
)
PORT = re.compile(r"(127\.0\.0\.1|localhost):\d{4,5}\b")


@dataclass(frozen=True, slots=True)
class Scenario:
    """One situation to record."""

    script: Script = field(default_factory=Script)
    timeout_s: float = 240.0
    url: str | None = None
    only: str = ""
    """The one agent that this situation is of."""
    change: Callable[[Launch], Launch] | None = None


def asking(launch: Launch) -> Launch:
    """Let OpenCode ask for permission; nobody answers, so it rejects by itself."""
    name = ".config/opencode/opencode.json"
    config = {**json.loads(launch.files[name]), "permission": {"bash": "ask"}}
    argv = tuple(word for word in launch.argv if word != "--auto")
    return replace(launch, argv=argv, files={**launch.files, name: json.dumps(config).encode()})


SCENARIOS = {
    "ok": Scenario(Script(commands=COMMANDS, preamble="Let me look.")),
    "plain": Scenario(Script(final="A plain answer.")),
    "auth": Scenario(Script(mode="401")),
    "rate_limit": Scenario(Script(mode="429")),
    "server_error": Scenario(Script(mode="500")),
    "no_server": Scenario(url=NOWHERE),
    "quota": Scenario(Script(mode="quota")),
    "missing_model": Scenario(Script(mode="404")),
    "refusal": Scenario(Script(mode="refusal")),
    "overflow": Scenario(Script(commands=COMMANDS, mode="overflow", fail_after=1, fail_times=1)),
    "recovered": Scenario(Script(commands=COMMANDS, mode="500", fail_after=1, fail_times=1)),
    "cut": Scenario(Script(commands=COMMANDS, mode="cut", fail_after=1)),
    "killed": Scenario(Script(commands=COMMANDS, mode="hang", fail_after=1), timeout_s=20.0),
    "fallback": Scenario(Script(commands=COMMANDS, served_model="another-model")),
    "empty": Scenario(Script(commands=COMMANDS[:1], final="")),
    "forbidden": Scenario(Script(mode="403")),
    "late_error": Scenario(Script(commands=COMMANDS, mode="500", fail_after=1)),
    "long": Scenario(Script(commands=("seq 1 600",), final="Counted.")),
    "rejected": Scenario(Script(commands=COMMANDS), only="opencode", change=asking),
}


class Scrub:
    """Replaces what differs from run to run and machine to machine, the same by the same."""

    def __init__(self, place: drive.Place) -> None:
        root = str(place.root)
        self.plain = {root: "/place", root.replace("/", "-"): "-place", str(project().root): "/repo"}
        self.seen: dict[str, str] = {}

    def __call__(self, raw: bytes) -> bytes:
        text = raw.decode("utf-8", "surrogateescape")
        for old, new in self.plain.items():
            text = text.replace(old, new)
        text = PORT.sub(r"\1:8080", IDS.sub(self._id, text))
        return text.encode("utf-8", "surrogateescape")

    def _id(self, match: re.Match[str]) -> str:
        old = match.group()
        number = len(self.seen) + 1
        prefix = old.split("_")[0] + "_" if "_" in old else "00000000-0000-4000-8000-"
        return self.seen.setdefault(old, f"{prefix}{number:012d}")


def shortened(value: Any) -> Any:
    """Cut the long texts of a log: prompts and instructions of the CLI's makers."""
    if isinstance(value, dict):
        return {key: shortened(part) for key, part in value.items()}
    if isinstance(value, list):
        return [shortened(part) for part in value]
    return value[:60] + "…" if isinstance(value, str) and len(value) > LONGEST_TEXT else value


def shortened_log(raw: bytes) -> bytes:
    """Shorten a log of JSON lines, and leave out its prompts; other files stay as they are."""
    try:
        lines = [json.loads(line) for line in raw.split(b"\n") if line.strip()]
    except ValueError:
        return raw
    kept = [line for line in lines if not isinstance(line, dict) or line.get("type") not in PROMPTS]
    return b"".join(json.dumps(shortened(line), ensure_ascii=False).encode() + b"\n" for line in kept)


def record(agent: Agent, version: str, name: str) -> RawRun:
    """Run one scenario and write its sample."""
    scenario = SCENARIOS[name]
    root = Path(tempfile.mkdtemp(prefix="mmbench-record-"))
    place = drive.make_place(root)
    (place.work / "secret.txt").write_text("The word is heliotrope.\n", encoding="utf-8")
    with LoopbackModel(scenario.script) as model:
        url = scenario.url or model.url
        wanted = MODELS.get(agent.name, "fake-model")
        patience = scenario.timeout_s + START_S.get(agent.name, 0.0)
        task = drive.task_for(place, PROMPT, url, model=wanted, timeout_s=patience)
        raw = drive.run(agent, task, place, scenario.change)
    write(DATA / agent.name / version / name, raw, model, Scrub(place))
    shutil.rmtree(root, ignore_errors=True)
    return raw


def write(folder: Path, raw: RawRun, model: LoopbackModel, scrub: Scrub) -> None:
    """Write a sample: the streams, the extras, and what is known of the run."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / "stdout").write_bytes(scrub(raw.stdout))
    (folder / "stderr").write_bytes(scrub(raw.stderr))
    for name, content in raw.extras.items():
        if databases.is_database(content):
            script = databases.dump(content, raw.extras.get(f"{name}-wal", b""), scrub)
            (folder / f"extra.{name}.sql").write_bytes(script)
        elif not name.endswith("-wal"):
            (folder / f"extra.{name}").write_bytes(scrub(shortened_log(content)))
    served = total(model.served) if model.served else None
    known = {
        "exit_code": raw.exit_code,
        "ended": raw.ended,
        "requested_model": raw.requested_model,
        "calls": len(model.served),
        "side_calls": sum(call.side for call in model.served),
        "input_total": served.input_total if served else 0,
        "cache_read": served.cache_read if served else 0,
        "cache_write": served.cache_write if served else 0,
        "output_total": served.output_total if served else 0,
        "reasoning": served.reasoning if served else 0,
    }
    (folder / "run.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Record the scenarios named on the command line, or all."""
    from mmbench.bench import agents

    options = argparse.ArgumentParser(prog="python -m tests.support.record", description=__doc__)
    options.add_argument("agent")
    options.add_argument("scenario", nargs="*", choices=[[], *SCENARIOS])
    given = options.parse_args()
    agent: Agent = agents.load(given.agent)
    found = installed(given.agent, project())
    if found is None:
        options.error(f"{given.agent} is not installed: python -m mmbench agents install {given.agent}")
    fitting = [name for name, scenario in SCENARIOS.items() if scenario.only in ("", given.agent)]
    for name in given.scenario or fitting:
        raw = record(agent, found.version, name)
        outcome = agent.parse(raw)
        print(
            f"{name:14} exit {raw.exit_code} {raw.ended} -> {outcome.status} {outcome.parse} {outcome.failure}"
        )


if __name__ == "__main__":
    main()
