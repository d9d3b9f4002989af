"""The data files' shapes, from which `schemas/site.*.schema.json` are made.

An unknown figure is null, never 0. Correctness and lift are points of 0..100,
shares 0..1, ratios without/with, times seconds, all means over sound pairs.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

VERSION = 1


class Closed(Struct, frozen=True, forbid_unknown_fields=True):
    """An object without other properties."""


class Difference(Closed, frozen=True):
    """A lift with its 95 % interval, null where it is withheld."""

    point: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    p: float | None
    mde: float | None


class Ratio(Closed, frozen=True):
    """A speedup with its 95 % interval, null where it is withheld."""

    point: float | None
    low: float | None
    high: float | None
    pairs: int
    censored_share: float | None


class Both(Closed, frozen=True):
    """A figure of both arms."""

    without: float | None
    with_: float | None = field(name="with")


class SubjectShape(Closed, frozen=True):
    """What was measured."""

    agent_version: str | None
    model: str | None
    mm: str
    backend: str | None


class ArmShape(Closed, frozen=True):
    """One arm by itself, over its own sound trials."""

    arm: str
    correctness: float | None
    pass_rate: float | None
    used_mm: float | None
    """Share of its trials that called mm, null where mm is out of reach."""
    seconds: float | None
    tokens: float | None
    cases: int
    trials: int
    scheduled: int


class ContrastShape(Closed, frozen=True):
    """The difference of two arms, left taken from right, paired by case."""

    name: str
    right: str
    left: str
    difference: Difference
    pairs: int


class CellShape(Closed, frozen=True):
    """The figures of one cell under one method, or of one session."""

    agent: str
    profile: str
    subject: SubjectShape
    method: str
    reference: bool
    comparable: bool
    reasons: list[str]
    rank: list[int] | None
    """The first and last place that the interval allows."""
    verdict: str
    without: float | None
    with_: float | None = field(name="with")
    lift: Difference
    speedup: Ratio
    pass_rate: Both
    adoption: float | None
    tokens: Both
    cost_usd: Both
    sessions: list[str]
    trials: int
    scheduled: int
    cases: int
    arms: list[ArmShape]
    """Every arm, where there are more than two; else empty."""
    contrasts: list[ContrastShape]


class BoardShape(Closed, frozen=True):
    """One leaderboard."""

    method: str
    suite: str
    comparable: bool
    reasons: list[str]
    rows: list[CellShape]


class Leaderboard(Closed, frozen=True):
    """data/leaderboard.json: one board per method, the current one first."""

    v: int
    boards: list[BoardShape]


class SessionRow(Closed, frozen=True):
    """One session in the list."""

    session: str
    started: str
    head: str
    """SHA-256 of the last line of its results file."""
    states: dict[str, int]
    figures: CellShape


class Sessions(Closed, frozen=True):
    """data/sessions.json: every session, newest first."""

    v: int
    sessions: list[SessionRow]


class ArmFigure(Closed, frozen=True):
    """One case in one further arm."""

    arm: str
    correctness: float


class CaseFigures(Closed, frozen=True):
    """One case in one cell."""

    case: str
    without: float | None
    with_: float | None = field(name="with")
    gain: float | None
    seconds: Both
    tokens: Both
    sound: int
    scheduled: int
    commands: dict[str, int]
    arms: list[ArmFigure]
    """The arms beside the main two."""


class CaseRows(Closed, frozen=True):
    """The cases of one cell under one method."""

    agent: str
    profile: str
    method: str
    reference: bool
    cases: list[CaseFigures]


class CaseBreakdown(Closed, frozen=True):
    """data/case-breakdown.json: every case in every cell of every method."""

    v: int
    cells: list[CaseRows]


class CellFile(Closed, frozen=True):
    """data/cells/<agent>/<profile>.json: a cell's figures, newest subject first."""

    v: int
    figures: list[CellShape]
    cases: list[CaseRows]


class TrialShape(Closed, frozen=True):
    """One trial of a session, as its newest attempt left it."""

    case: str
    arm: str
    run: int
    position: int
    state: str
    status: str | None
    failure: str | None
    void: str | None
    attempts: int
    correctness: float | None
    checkpoint: float | None
    judge: float | None
    passed: bool | None
    seconds: float | None
    started_at: str | None
    tokens_in: int | None
    tokens_fresh: int | None
    tokens_out: int | None
    cost_usd: float | None
    turns: int | None
    tool_calls: int | None
    mm_calls: int
    mm_failed: int
    mm_commands: tuple[str, ...]


class UnsoundPair(Closed, frozen=True):
    """A pair that stands in no figure, and every reason why."""

    case: str
    run: int
    reasons: list[str]


class RemovalShape(Closed, frozen=True):
    """Something of a session besides its records that a clean-up took away."""

    at: str
    what: str
    files: int
    bytes: int
    result: str
    error: str | None


class SessionFile(Closed, frozen=True):
    """data/session/<id>.json: one session and its trials."""

    v: int
    session: str
    started: str
    head: str
    figures: CellShape
    method: dict[str, Any]
    plan: dict[str, Any]
    provenance: dict[str, Any]
    trials: list[TrialShape]
    unsound: list[UnsoundPair]
    removed: list[RemovalShape]


class ArtifactShape(Closed, frozen=True):
    """A file that an agent wrote; href below the site's root, null when it is not published."""

    case: str
    arm: str
    run: int
    path: str
    size: int
    media_type: str
    sha256: str | None
    href: str | None
    refused: str | None
    removed: str | None
    """When a clean-up took it away, null when none did."""


class Artifacts(Closed, frozen=True):
    """data/artifacts/<session>.json: the files of a session's newest attempts."""

    v: int
    session: str
    artifacts: list[ArtifactShape]


class Transcript(Closed, frozen=True):
    """data/transcript/<session>/<case>/<arm>-<run>.json: the records of the newest attempt, as they are."""

    trial: dict[str, Any] | None
    checks: dict[str, Any] | None
    verdict: dict[str, Any] | None


class Badge(Closed, frozen=True):
    """data/badge/<name>.json, as the endpoint badge of shields.io takes it."""

    schema_version: int = field(name="schemaVersion")
    label: str
    message: str
    color: str


FILES: dict[str, type[Closed]] = {
    "leaderboard": Leaderboard,
    "sessions": Sessions,
    "case-breakdown": CaseBreakdown,
    "cell": CellFile,
    "session": SessionFile,
    "artifacts": Artifacts,
    "transcript": Transcript,
    "badge": Badge,
}
"""Kind of data file -> its shape."""


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of one kind of data file."""
    made = msgspec.json.schema(FILES[kind])
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"site.{kind}.schema.json"}
    for part in ("trial", "checks", "verdict") if kind == "transcript" else ():
        reference = {"$ref": f"record.{part}.schema.json"}
        made["$defs"]["Transcript"]["properties"][part] = {"anyOf": [reference, {"type": "null"}]}
    return head | made


def encode(value: Closed) -> bytes:
    """Write one data file."""
    return msgspec.json.encode(value) + b"\n"
