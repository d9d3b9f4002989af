"""What grading is made of: evidence goes in, one result per check comes out.

A check scores 0 for whatever an agent did or failed to do, a malformed or
dangerous file included (`Refused`). What is the grader's own fault raises
`CheckFailedToRun`, and the trial stays ungraded: it is never scored 0.

Guards are checks that an idle agent would pass, "nothing else was changed"
for instance. Their score is multiplied by the share of the other checks, so
that doing nothing, or nothing useful, earns nothing for being harmless.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mmbench.bench.grading.clean import one_line
from mmbench.bench.grading.malformed import Malformed

if TYPE_CHECKING:
    from mmbench.bench.grading.look import Look

Params = Mapping[str, Any]
FileKind = Literal["file", "directory", "symlink", "other"]
KIND_NAMES: dict[FileKind, str] = {
    "file": "file",
    "directory": "folder",
    "symlink": "symbolic link",
    "other": "special file",
}


class CheckFailedToRun(Exception):  # noqa: N818 (reads as a verdict on the check)
    """The grader itself failed: the trial is ungraded, which is not a score of 0."""


class Refused(Exception):  # noqa: N818 (the agent's file is refused, the grader works)
    """The agent's file is missing, malformed or dangerous to read; the text is the reason."""


@dataclass(frozen=True, slots=True)
class FileFact:
    """What `lstat` says of one entry of a tree, and its content hash where known."""

    kind: FileKind
    size: int
    mode: int
    """Permission bits only."""
    mtime_ns: int
    sha256: str | None = None
    target: str | None = None
    """Where a symbolic link points, as written."""
    ctime_ns: int | None = None
    inode: int | None = None
    """Of the very entry in the tree, before the agent ran: with both unchanged its content is, too."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an agent asked the user of a clarification case."""

    question: str | None
    """None when it asked nothing."""
    changed_before: int
    """How many entries of the tree were not as at the start when the question came."""
    must_ask: tuple[tuple[str, ...], ...]
    """What is unclear: for each point the words of which one touches it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the checks of one trial may look at."""

    answer: str
    """The agent's final text as parsed; escape sequences are stripped here, in one place."""
    tree: Path
    """Root of the dataset copy as the agent left it; nothing runs in it any more."""
    before: Mapping[str, FileFact]
    """What was there at the start, by relative POSIX path."""
    reference: Path | None = None
    """The pristine dataset subtree, to compare originals with."""
    asked: Asked | None = None
    """None for a case with nobody to ask."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: a score in 0..1 and one sentence for people."""

    score: float
    reason: str
    guard: bool = False


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One graded check."""

    kind: str
    weight: float
    score: float
    reason: str


Grade = Callable[[Params, "Look"], Finding]


@dataclass(frozen=True, slots=True)
class KindSpec:
    """One kind of check: its grader and its parameters as JSON Schema properties."""

    grade: Grade
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    """Further keywords for the object's schema, `anyOf` for instance."""

    def params_schema(self, kind: str) -> dict[str, Any]:
        """Return the closed JSON Schema object of a check of this kind."""
        return {
            "description": " ".join((self.grade.__doc__ or "").split()),
            "type": "object",
            "properties": {
                "kind": {"const": kind},
                "weight": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000},
                **{name: dict(schema) for name, schema in self.properties.items()},
            },
            "required": ["kind", "weight", *self.required],
            "additionalProperties": False,
            **self.rules,
        }

    def with_defaults(self, check: Params) -> Params:
        """Return the check's parameters, the missing ones at their defaults (None where there is none)."""
        return {name: schema.get("default") for name, schema in self.properties.items()} | dict(check)


def run_checks(checks: Sequence[Params], evidence: Evidence) -> list[CheckResult]:
    """Grade every check, in order.

    Raises CheckFailedToRun when a grader fails or a check is not of a known form.
    """
    from mmbench.bench.grading.look import Look

    with Look(evidence, checks) as look:
        findings = [_run_one(check, look) for check in checks]
    weights = [_weight(check) for check in checks]
    work = _share([(w, f.score) for w, f in zip(weights, findings, strict=True) if not f.guard])
    return [
        _result(str(check["kind"]), weight, finding, work)
        for check, weight, finding in zip(checks, weights, findings, strict=True)
    ]


def checkpoint_score(results: Sequence[CheckResult]) -> float:
    """Return the weighted share of the checks, 0..1."""
    share = _share([(result.weight, result.score) for result in results])
    if share is None:
        raise CheckFailedToRun("there are no checks to weigh")
    return share


def _run_one(check: Params, look: Look) -> Finding:
    from mmbench.bench.grading.kinds import KINDS

    kind = check.get("kind")
    spec = KINDS.get(kind) if isinstance(kind, str) else None
    if spec is None:
        raise CheckFailedToRun(f"there is no kind of check named {kind!r}")
    try:
        finding = spec.grade(spec.with_defaults(check), look)
    except Refused as refusal:
        finding = Finding(0.0, str(refusal))
    except Malformed as fault:
        finding = Finding(0.0, f"{check.get('path', 'The file')} is malformed: {fault}.")
    except CheckFailedToRun:
        raise
    except Exception as error:
        raise CheckFailedToRun(f"{kind}: {type(error).__name__}: {error}") from error
    if not 0.0 <= finding.score <= 1.0:
        raise CheckFailedToRun(f"{kind}: the score {finding.score} is outside 0..1")
    return finding


def _weight(check: Params) -> float:
    weight = check.get("weight")
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < math.inf:
        raise CheckFailedToRun(f"{check.get('kind')}: the weight {weight!r} is not a positive number")
    return float(weight)


def _share(pairs: Sequence[tuple[float, float]]) -> float | None:
    total = math.fsum(weight for weight, _ in pairs)
    if total <= 0:
        return None
    return min(1.0, math.fsum(weight * score for weight, score in pairs) / total)


def _result(kind: str, weight: float, finding: Finding, work: float | None) -> CheckResult:
    score, reason = finding.score, finding.reason
    if finding.guard and work is not None and work < 1.0 and score > 0:
        score *= work
        reason = f"{reason} Counted by the other checks' share, {work:.2f}."
    return CheckResult(kind, weight, score, one_line(reason))
