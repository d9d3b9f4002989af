"""The state of a session from its lines, with the rules of `mmbench.records`."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from mmbench import records, soundness
from mmbench.outcome import GRADED
from mmbench.records import FoldError, State, TrialKey
from mmbench.report.lines import (
    ChecksLine,
    EndLine,
    Line,
    SessionLine,
    TrialLine,
    VerdictLine,
    VoidLine,
)
from mmbench.report.model import Span, Trial


class Folded(Struct, frozen=True):
    """What the lines of one ledger come to."""

    digest: str
    head: str
    torn: int
    """Bytes after the last whole line."""
    header: SessionLine
    voids: tuple[VoidLine, ...]
    ends: tuple[EndLine, ...]
    tally: dict[State, int]
    trials: tuple[Trial, ...]


class _Attempt:
    """One try, while its session is read."""

    __slots__ = ("checks", "spans", "trial", "verdict")

    def __init__(self, trial: TrialLine, span: Span) -> None:
        self.trial = trial
        self.checks: ChecksLine | None = None
        self.verdict: VerdictLine | None = None
        self.spans = [span]


class Fold:
    """Takes the lines of one ledger in order; FoldError says which does not fit."""

    def __init__(self, header: Line) -> None:
        if not isinstance(header, SessionLine):
            raise FoldError(header.seq, "the first line is not of kind 'session'")
        if header.v > records.VERSION:
            reason = f"record version {header.v} is newer than {records.VERSION}, which this kit reads"
            raise FoldError(header.seq, reason)
        self._header = header
        self._tries: dict[TrialKey, list[_Attempt]] = {
            TrialKey(entry.case, entry.arm, entry.run): [] for entry in header.plan.schedule
        }
        self._voided: dict[TrialKey, str] = {}
        self._voids: list[VoidLine] = []
        self._ends: list[EndLine] = []

    def add(self, line: Line, span: Span) -> None:
        """Apply the next line."""
        if isinstance(line, TrialLine):
            self._try(line, span)
        elif isinstance(line, ChecksLine):
            attempt = self._attempt(line)
            attempt.checks = line
            attempt.spans.append(span)
        elif isinstance(line, VerdictLine):
            attempt = self._attempt(line)
            attempt.verdict = line
            attempt.spans.append(span)
        elif isinstance(line, VoidLine):
            self._void(line)
        elif isinstance(line, EndLine):
            self._ends.append(line)
        else:
            raise FoldError(line.seq, "a second line of kind 'session' cannot stand here")

    def _of(self, line: TrialLine | ChecksLine | VerdictLine) -> list[_Attempt]:
        attempts = self._tries.get(TrialKey(line.case, line.arm, line.run))
        if attempts is None:
            raise FoldError(line.seq, f"{line.case}/{line.arm}/{line.run} is not in the schedule")
        return attempts

    def _try(self, line: TrialLine, span: Span) -> None:
        attempts = self._of(line)
        if line.attempt != len(attempts) + 1:
            raise FoldError(line.seq, f"attempt {line.attempt} where {len(attempts) + 1} is due")
        attempts.append(_Attempt(line, span))

    def _attempt(self, line: ChecksLine | VerdictLine) -> _Attempt:
        attempts = self._of(line)
        if not 1 <= line.attempt <= len(attempts):
            raise FoldError(line.seq, f"it speaks of attempt {line.attempt}, which is not there")
        return attempts[line.attempt - 1]

    def _void(self, line: VoidLine) -> None:
        hit = [
            key
            for key in self._tries
            if line.case in (None, key.case) and line.arm in (None, key.arm) and line.run in (None, key.run)
        ]
        if not hit:
            raise FoldError(line.seq, "it voids nothing that is scheduled")
        self._voided.update(dict.fromkeys(hit, line.why))
        self._voids.append(line)

    def folded(self, digest: str, head: str, torn: int) -> Folded:
        """Return what the lines came to; `digest` and `head` hash all of them and the last."""
        judged = self._header.method.judged
        trials = tuple(
            _trial(key, position, attempts, self._voided.get(key), judged)
            for position, (key, attempts) in enumerate(self._tries.items())
        )
        tally = dict(Counter(trial.state for trial in trials))
        return Folded(digest, head, torn, self._header, tuple(self._voids), tuple(self._ends), tally, trials)


def _trial(key: TrialKey, position: int, attempts: list[_Attempt], voided: str | None, judged: bool) -> Trial:
    if not attempts:
        return Trial(key, position, "queued", voided=voided)
    last = attempts[-1]
    line, checks, verdict = last.trial, last.checks, last.verdict
    backend, codes = line.mm.backend, [call.exit_code for call in line.mm.calls]
    scored = verdict if verdict is not None and verdict.correctness is not None else checks
    state = _state(last, judged)
    points = scored.correctness if scored else None
    return Trial(
        key=key,
        position=position,
        state=state,
        sound=state == "completed" and voided is None and points is not None,
        attempts=len(attempts),
        voided=voided,
        status=line.status,
        failure=line.failure.kind if line.failure else None,
        correctness=points,
        checkpoint=checks.checkpoint_score if checks else None,
        judge=verdict.score if verdict else None,
        passed=scored.passed if scored else None,
        duration_s=line.duration_s,
        started_at=line.started_at,
        usage=line.usage,
        turns=line.outcome.turns,
        tool_calls=line.outcome.tool_calls,
        model=line.outcome.model,
        commands=_commands(line),
        mm_calls=len(line.mm.calls) + line.mm.dropped,
        intact=line.treatment.intact,
        canary=line.canary,
        reached=soundness.reached(
            codes, backend.requests if backend else 0, backend.errors if backend else {}
        ),
        mm_failed=sum(call.failed or call.exit_code not in (0, None) for call in line.mm.calls),
        spans=tuple(last.spans),
    )


def _state(attempt: _Attempt, judged: bool) -> State:
    status = attempt.trial.status
    if status not in GRADED:
        return status if status in ("skipped", "cancelled") else "failed"
    if attempt.checks is None:
        return "running"
    if attempt.checks.checkpoint_score is None:
        return "failed"
    if not judged:
        return "completed"
    if attempt.verdict is None:
        return "judge_pending"
    return "judge_failed" if attempt.verdict.status == "failed" else "completed"


def command(argv: tuple[str, ...]) -> str:
    """Return the mm command of an argument list, for example `find`."""
    return next((word for word in argv if not word.startswith("-") and word != "mm"), "")


_SEEN: dict[tuple[str, ...], tuple[str, ...]] = {}
"""Equal tuples are kept once: a history has few different ones."""


def _commands(line: TrialLine) -> tuple[str, ...]:
    if not line.mm.calls:
        return ()
    names = tuple(sorted({name[:40] for call in line.mm.calls if (name := command(call.argv))}))
    return _SEEN.setdefault(names, names)
