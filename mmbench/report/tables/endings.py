"""How trials ended, and which mm commands they used where a case expects them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mmbench.report.model import Case, Trial
from mmbench.report.tables.pairs import Pair

COMMANDS = ("find", "peek", "wc", "sql", "grep", "cat")


def ending(trial: Trial) -> str:
    """Name how a trial ended, for people."""
    if trial.voided is not None:
        return "void"
    if trial.state == "queued":
        return "not run"
    if trial.status == "completed":
        if trial.state != "completed":
            return trial.state.replace("_", " ")
        return "passed" if trial.passed else "completed, not passed"
    return (trial.failure or trial.status or "unknown").replace("_", " ")


def endings(pairs: Iterable[Pair]) -> dict[str, Counter[str]]:
    """Count the endings of each arm."""
    found: dict[str, Counter[str]] = {"without mm": Counter(), "with mm": Counter()}
    for pair in pairs:
        found["without mm"][ending(pair.without)] += 1
        found["with mm"][ending(pair.with_)] += 1
    return found


@dataclass(frozen=True, slots=True)
class CommandUse:
    """One mm command: in how many trials it was called, where the case expects it and where not."""

    command: str
    used: int
    expected: int
    """Sound trials with mm whose case names the command."""
    used_elsewhere: int
    elsewhere: int

    @property
    def share(self) -> float | None:
        """Return the share of the trials that are expected to call it and did."""
        return self.used / self.expected if self.expected else None


def command_use(pairs: Sequence[Pair], cases: Mapping[str, Case]) -> list[CommandUse]:
    """Return the use of every mm command over the sound pairs."""
    sound = [pair for pair in pairs if pair.sound]
    return [_use(command, sound, cases) for command in COMMANDS]


def _use(command: str, pairs: Sequence[Pair], cases: Mapping[str, Case]) -> CommandUse:
    expecting = [p for p in pairs if p.case in cases and command in cases[p.case].mm_commands]
    others = [p for p in pairs if p.case not in cases or command not in cases[p.case].mm_commands]
    return CommandUse(
        command,
        sum(command in pair.with_.commands for pair in expecting),
        len(expecting),
        sum(command in pair.with_.commands for pair in others),
        len(others),
    )
