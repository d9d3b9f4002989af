"""What the report knows after reading: sessions, their trials, the cases.

Small frozen values without transcripts; a trial keeps the byte spans of its
lines, so that the few trials that get a page are read again in full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from mmbench import jsontext
from mmbench.records import State, TrialKey
from mmbench.report.lines import Cell, EndLine, SessionLine, Subject, Usage, VoidLine
from mmbench.report.memo import Memo
from mmbench.soundness import Side


class Span(NamedTuple):
    """Where a line lies in its file."""

    start: int
    end: int


class Trial(Struct, frozen=True, gc=False, array_like=True):
    """A scheduled trial as its newest attempt left it."""

    key: TrialKey
    position: int
    state: State
    sound: bool = False
    """Whether it has a score that counts, as far as it lies in this arm alone."""
    attempts: int = 0
    voided: str | None = None
    status: str | None = None
    failure: str | None = None
    """Kind of the failure."""
    correctness: float | None = None
    """Points 0..100, None while ungraded."""
    checkpoint: float | None = None
    judge: float | None = None
    passed: bool | None = None
    duration_s: float | None = None
    started_at: str | None = None
    usage: Usage | None = None
    turns: int | None = None
    tool_calls: int | None = None
    model: str | None = None
    commands: tuple[str, ...] = ()
    """The mm commands that were called, each once, by name."""
    intact: bool = True
    """False when mm, its shim or the programs were changed during the trial."""
    canary: bool = False
    reached: bool = True
    """False when mm was called and could not be used."""
    mm_calls: int = 0
    mm_failed: int = 0
    spans: tuple[Span, ...] = ()
    """The lines of the newest attempt: trial, then checks and verdict where they are."""

    @property
    def side(self) -> Side:
        """Return what the soundness of its pair asks of it."""
        return Side(
            state=self.state,
            status=self.status,
            voided=self.voided is not None,
            scored=self.correctness is not None,
            model=self.model,
            intact=self.intact,
            canary=self.canary,
            reached=self.reached,
        )

    @property
    def censored(self) -> bool:
        """Tell whether its time is only a lower bound."""
        return self.status == "timeout"


@dataclass(frozen=True)
class Session:
    """A folded ledger."""

    path: Path
    digest: str
    """SHA-256 of all its lines."""
    head: str
    """SHA-256 of its last line."""
    header: SessionLine
    voids: tuple[VoidLine, ...]
    ends: tuple[EndLine, ...]
    tally: dict[State, int]
    """How many trials are in each state."""
    source: Callable[[], tuple[Trial, ...]] = field(compare=False, repr=False)
    """Where its trials come from, when somebody asks."""

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Return its trials in the order of the schedule."""
        return self.source()

    @property
    def id(self) -> str:
        """Return the session's id."""
        return self.header.session

    @property
    def cell(self) -> Cell:
        """Return its agent and profile."""
        return self.header.cell

    @property
    def subject(self) -> Subject:
        """Return what it measured."""
        return self.header.subject

    @property
    def method(self) -> str:
        """Return the method hash."""
        return self.header.method.hash

    @property
    def reference(self) -> bool:
        """Tell whether it is never ranked."""
        return self.header.reference

    @property
    def started(self) -> str:
        """Return when it began, in UTC."""
        return self.header.at

    @property
    def order(self) -> tuple[str, str]:
        """Return what sessions are sorted by: time, then id."""
        return (self.header.at, self.header.session)

    def states(self) -> Counter[State]:
        """Count its trials by state."""
        return Counter(self.tally)


class Case(Struct, frozen=True):
    """A case as it was when a session ran it."""

    id: str
    title: str
    archetype: str
    modality: tuple[str, ...]
    dataset: str
    mm_commands: tuple[str, ...]
    difficulty: str
    prompt: str
    ground_truth: dict[str, Any]
    checks: tuple[dict[str, Any], ...]
    judge_objective: str
    timeout_s: float
    tags: tuple[str, ...] = ()
    threshold: float | None = None
    cluster: str | None = None
    criteria: tuple[dict[str, Any], ...] = ()
    solutions: dict[str, str] = {}
    setup: tuple[dict[str, Any], ...] = ()
    variants: tuple[dict[str, Any], ...] = ()

    @property
    def group(self) -> str:
        """Return the cluster that it belongs to in the statistics."""
        return self.cluster or self.dataset


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that the report is built from."""

    root: Path
    sessions: tuple[Session, ...]
    """Oldest first."""
    cases: dict[str, Case]
    """By content hash; a hash whose file is missing is not in it."""
    warnings: tuple[str, ...] = ()
    memo: Memo = field(default_factory=Memo, compare=False)
    """What is known of figures from earlier builds."""
    beside: str = ""
    """Hash of the files that say something about sessions beside their records."""

    def identity(self, session: Session) -> str:
        """Return a hash of all that a session's figures follow from: its records, and its cases as far as known."""
        unknown = sorted(name for name, case in session.header.cases.items() if case not in self.cases)
        return jsontext.digest([session.digest, unknown])

    def key(self, session: Session) -> str:
        """Return a hash of all that pages about a session alone follow from, but for its artifacts."""
        return f"{self.identity(session)} {self.beside}"

    def case(self, session: Session, name: str) -> Case | None:
        """Return a session's case, None when its content was not kept."""
        return self.cases.get(session.header.cases.get(name, ""))
