"""The records of a session, and the state that follows from its lines.

A line is a JSON object; nothing is ever edited, so what a session *is* follows
from folding its lines in order. This module is pure: no disk, no clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from mmbench import jsontext
from mmbench.outcome import GRADED

Line = Mapping[str, Any]
VERSION = 1
State = Literal[
    "queued", "running", "completed", "failed", "skipped", "judge_pending", "judge_failed", "cancelled"
]


class TrialKey(NamedTuple):
    """The identity of a trial inside its session."""

    case: str
    arm: str
    run: int


def key_of(line: Line) -> TrialKey:
    """Return the trial that a line belongs to."""
    return TrialKey(line["case"], line["arm"], line["run"])


@dataclass(slots=True)
class Attempt:
    """One try at a trial, with what was later said about it."""

    trial: Line
    checks: Line | None = None
    verdict: Line | None = None

    @property
    def number(self) -> int:
        """Return the attempt's number, from 1."""
        return int(self.trial["attempt"])

    @property
    def graded(self) -> bool:
        """Tell whether the attempt's status is the agent's own doing."""
        return self.trial["status"] in GRADED

    @property
    def correctness(self) -> float | None:
        """Return points 0..100, None while ungraded."""
        for line in (self.verdict, self.checks):
            if line is not None and line["correctness"] is not None:
                return float(line["correctness"])
        return None


@dataclass(slots=True)
class Trial:
    """A scheduled trial and every attempt at it."""

    key: TrialKey
    position: int
    attempts: list[Attempt] = field(default_factory=list)
    voided: str | None = None
    """Why it is left out of every aggregate, None when it is not."""

    @property
    def last(self) -> Attempt | None:
        """Return the newest attempt, the one that counts."""
        return self.attempts[-1] if self.attempts else None


@dataclass(slots=True)
class Session:
    """A folded ledger."""

    header: Line
    trials: dict[TrialKey, Trial]
    ends: list[Line] = field(default_factory=list)
    voids: list[Line] = field(default_factory=list)
    lines: int = 0
    head: str = ""
    """SHA-256 of the last line."""

    @property
    def id(self) -> str:
        """Return the session's id."""
        return str(self.header["session"])

    @property
    def judged(self) -> bool:
        """Tell whether a verdict is part of the method."""
        return bool(self.header["method"]["parts"]["judge"]["mode"] != "off")

    @property
    def finished(self) -> bool:
        """Tell whether nothing is left for resume to do."""
        return not any(needs_run(trial) or needs_verdict(self, trial) for trial in self.trials.values())

    def states(self) -> Counter[State]:
        """Count the trials by state."""
        return Counter(state(self, trial) for trial in self.trials.values())


def state(session: Session, trial: Trial) -> State:
    """Derive the state of a trial from its lines."""
    last = trial.last
    if last is None:
        return "queued"
    if not last.graded:
        ended: dict[str, State] = {"skipped": "skipped", "cancelled": "cancelled"}
        return ended.get(last.trial["status"], "failed")
    if last.checks is None:
        return "running"
    if last.checks["checkpoint_score"] is None:
        return "failed"
    return _judge_state(last) if session.judged else "completed"


def _judge_state(attempt: Attempt) -> State:
    if attempt.verdict is None:
        return "judge_pending"
    return "judge_failed" if attempt.verdict["status"] == "failed" else "completed"


def needs_run(trial: Trial) -> bool:
    """Tell whether resume runs the agent: never tried, or nothing was learnt about it."""
    last = trial.last
    return trial.voided is None and (
        last is None or (not last.graded and last.trial["status"] != "skipped") or last.checks is None
    )


def needs_verdict(session: Session, trial: Trial) -> bool:
    """Tell whether resume asks the judge only."""
    return trial.voided is None and state(session, trial) in ("judge_pending", "judge_failed")


class FoldError(ValueError):
    """A line that does not fit the lines before it."""

    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason
        super().__init__(f"line {line + 1}: {reason}")


def fold(lines: Iterable[Line]) -> Session:
    """Fold the lines of one ledger, in order; FoldError names the first that does not fit."""
    iterator = iter(lines)
    header = next(iterator, None)
    if header is None or header.get("kind") != "session":
        raise FoldError(0, "the first line is not of kind 'session'")
    if header.get("v", 0) > VERSION:
        raise FoldError(0, f"record version {header['v']} is newer than {VERSION}, which this kit reads")
    session = Session(header, {trial.key: trial for trial in _schedule(header)})
    session.lines = 1
    for number, line in enumerate(iterator, start=1):
        _apply(session, number, line)
        session.lines += 1
    return session


def _schedule(header: Line) -> Iterator[Trial]:
    for position, entry in enumerate(header["plan"]["schedule"]):
        yield Trial(key_of(entry), position)


def _apply(session: Session, number: int, line: Line) -> None:
    match line["kind"]:
        case "trial":
            _add_attempt(session, number, line)
        case "checks":
            _attempt(session, number, line).checks = line
        case "verdict":
            _attempt(session, number, line).verdict = line
        case "void":
            _void(session, number, line)
        case "end":
            session.ends.append(line)
        case other:
            raise FoldError(number, f"a line of kind {other!r} cannot stand here")


def _trial(session: Session, number: int, line: Line) -> Trial:
    trial = session.trials.get(key_of(line))
    if trial is None:
        raise FoldError(number, f"{'/'.join(map(str, key_of(line)))} is not in the schedule")
    return trial


def _add_attempt(session: Session, number: int, line: Line) -> None:
    trial = _trial(session, number, line)
    expected = len(trial.attempts) + 1
    if line["attempt"] != expected:
        raise FoldError(number, f"attempt {line['attempt']} where {expected} is due")
    trial.attempts.append(Attempt(line))


def _attempt(session: Session, number: int, line: Line) -> Attempt:
    trial = _trial(session, number, line)
    for attempt in trial.attempts:
        if attempt.number == line["attempt"]:
            return attempt
    raise FoldError(number, f"it speaks of attempt {line['attempt']}, which is not there")


def _void(session: Session, number: int, line: Line) -> None:
    wanted = {name: line[name] for name in ("case", "arm", "run") if line[name] is not None}
    hit = [t for t in session.trials.values() if all(getattr(t.key, k) == v for k, v in wanted.items())]
    if not hit:
        raise FoldError(number, "it voids nothing that is scheduled")
    for trial in hit:
        trial.voided = line["why"]
    session.voids.append(line)


def method_hash(parts: Mapping[str, Any]) -> str:
    """Return the hash of everything that must be equal for sessions to be comparable."""
    return jsontext.digest(parts)


def capped(text: str, limit: int) -> dict[str, Any]:
    """Return text as records hold it: at most `limit` characters, head and tail, and its full size."""
    size = len(jsontext.clean(text).encode())
    if len(text) <= limit:
        return {"text": text, "bytes": size, "truncated": False}
    half = limit // 2
    cut = len(text) - 2 * half
    return {
        "text": f"{text[:half]}\n[… {cut} characters cut …]\n{text[-half:]}",
        "bytes": size,
        "truncated": True,
    }
