"""The lines of a ledger, decoded straight into what the report needs of them.

msgspec checks types while it decodes and never builds what is not named here
(transcripts, streams): about 9 µs a line on one core, chain check included 12,
against 35 for `json`. Polars reads columns faster, but the fold, the chain and
the byte offsets need every line anyway. Full validation is `nox -s validate`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from mmbench.outcome import Status

Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=120)]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
Arm = Literal["without_mm", "with_mm", "unprimed", "placebo"]


class Cell(Struct, frozen=True, order=True):
    """One agent with one mm backend."""

    agent: Name
    profile: Name


class AgentFacts(Struct, frozen=True):
    """The agent that was measured."""

    name: str
    version: str | None
    adapter: str
    model: str | None


class ProfileFacts(Struct, frozen=True):
    """The mm backend that was measured."""

    name: str
    kind: str
    model: str | None
    endpoint: str | None
    capabilities: tuple[str, ...]
    weights: str | None


class MmFacts(Struct, frozen=True):
    """The mm that was measured."""

    version: str
    digest: str


class Subject(Struct, frozen=True):
    """What is being measured."""

    agent: AgentFacts
    profile: ProfileFacts
    mm: MmFacts


class Method(Struct, frozen=True):
    """All that must be equal for two sessions to be comparable."""

    hash: Digest
    parts: dict[str, Any]

    @property
    def legacy(self) -> bool:
        """Tell whether it was taken over from an older store, which did not say what it was."""
        return "legacy" in self.parts

    @property
    def judged(self) -> bool:
        """Tell whether a verdict is part of the method."""
        judge = self.parts.get("judge")
        return isinstance(judge, dict) and judge.get("mode", "off") != "off"


class Entry(Struct, frozen=True, gc=False):
    """One scheduled trial."""

    case: Name
    arm: Arm
    run: int


class Excluded(Struct, frozen=True):
    """Something that the plan left out, and why."""

    case: Name
    arm: Arm | None
    reason: str


class Plan(Struct, frozen=True):
    """What was to be run."""

    suite: Name
    arms: tuple[Arm, ...]
    runs: int
    seed: int
    schedule: tuple[Entry, ...]
    excluded: tuple[Excluded, ...]
    margin: float


class Provenance(Struct, frozen=True):
    """Where and with what the session was made."""

    kit: dict[str, Any]
    host: dict[str, Any]
    sandbox: dict[str, Any]
    dataset: dict[str, Any]
    preflight: str
    command: tuple[str, ...]


class SessionLine(Struct, frozen=True, tag="session", tag_field="kind"):
    """The first line."""

    seq: int
    prev: str | None
    v: int
    at: str
    session: Name
    cell: Cell
    reference: bool
    subject: Subject
    method: Method
    plan: Plan
    cases: dict[Name, Digest]
    provenance: Provenance


class Failure(Struct, frozen=True, gc=False):
    """Why an attempt is not completed."""

    kind: str
    message: str


class Usage(Struct, frozen=True, gc=False):
    """Tokens and cost, None where unknown."""

    input_total: int | None
    input_uncached: int | None
    cache_read: int | None
    cache_write: int | None
    output_total: int | None
    cost_usd: float | None
    input_by_calls: int | None = None


class Call(Struct, frozen=True, gc=False):
    """One call of mm."""

    argv: tuple[str, ...]
    exit_code: int | None
    failed: bool


class Backend(Struct, frozen=True, gc=False):
    """What mm asked its endpoint for, and the answers that were failures."""

    requests: int
    errors: dict[str, int]


class Mm(Struct, frozen=True, gc=False):
    """All calls of mm."""

    calls: tuple[Call, ...]
    dropped: int
    backend: Backend | None


class Treatment(Struct, frozen=True, gc=False):
    """Whether mm, its shim and the programs were the same after the trial."""

    intact: bool


class OutcomeFacts(Struct, frozen=True, gc=False):
    """The outcome without its text."""

    model: str | None
    turns: int | None
    tool_calls: int | None
    parse: str


class TrialLine(Struct, frozen=True, tag="trial", tag_field="kind", gc=False):
    """One attempt."""

    seq: int
    prev: str | None
    case: str
    arm: str
    run: int
    attempt: int
    status: Status
    failure: Failure | None
    started_at: str
    duration_s: float
    outcome: OutcomeFacts
    usage: Usage
    mm: Mm
    treatment: Treatment
    canary: bool


class ChecksLine(Struct, frozen=True, tag="checks", tag_field="kind", gc=False):
    """The checks of one attempt, without their reasons."""

    seq: int
    prev: str | None
    case: str
    arm: str
    run: int
    attempt: int
    checkpoint_score: float | None
    correctness: float | None
    passed: bool | None


class VerdictLine(Struct, frozen=True, tag="verdict", tag_field="kind", gc=False):
    """What the judge returned for one attempt."""

    seq: int
    prev: str | None
    case: str
    arm: str
    run: int
    attempt: int
    status: str
    score: float | None
    correctness: float | None
    passed: bool | None


class VoidLine(Struct, frozen=True, tag="void", tag_field="kind"):
    """Trials that are left out of every aggregate."""

    seq: int
    prev: str | None
    at: str
    run: int | None
    case: str | None
    arm: str | None
    why: str


class EndLine(Struct, frozen=True, tag="end", tag_field="kind"):
    """The end of one stretch of running."""

    seq: int
    prev: str | None
    at: str
    reason: str
    message: str


Line = SessionLine | TrialLine | ChecksLine | VerdictLine | VoidLine | EndLine
_DECODER: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)


def decode(data: bytes) -> Line:
    """Decode one line; ValueError says what is wrong with it."""
    return _DECODER.decode(data)
