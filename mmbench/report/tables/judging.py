"""What the judge did, and where it and the checks disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import correlation, fmean

from mmbench.report.model import Session, Trial

APART = 0.6
"""Difference of shares (judge of 5, checks) from which a trial stands in the list of disagreements."""
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A trial that the judge and the checks see differently; both as shares 0..1."""

    session: Session
    trial: Trial
    judge: float
    checks: float


@dataclass(frozen=True, slots=True)
class Judging:
    """All verdicts of some sessions."""

    sessions: int
    models: tuple[str, ...]
    verdicts: int
    failed: int
    pending: int
    scores: tuple[tuple[int, int], ...]
    """How often each rounded score was given."""
    by_checks: tuple[tuple[str, int, float], ...]
    """(band of the checks, trials, mean score) from none to all checks passed."""
    correlation: float | None
    """Pearson's r of checks and score, None without spread."""
    disagreements: tuple[Disagreement, ...]
    disagree: int


def judging(sessions: Sequence[Session]) -> Judging | None:
    """Return what the judge did in the sessions that have one, None without any."""
    judged = [session for session in sessions if session.header.method.judged]
    if not judged:
        return None
    pairs = [(session, trial) for session in judged for trial in session.trials]
    known = [
        (s, t, t.judge, t.checkpoint) for s, t in pairs if t.judge is not None and t.checkpoint is not None
    ]
    apart = [
        Disagreement(s, t, judge / 5, checks)
        for s, t, judge, checks in known
        if abs(judge / 5 - checks) >= APART
    ]
    apart.sort(key=lambda item: (-abs(item.judge - item.checks), item.session.order, item.trial.position))
    states = Counter(trial.state for _, trial in pairs)
    return Judging(
        sessions=len(judged),
        models=tuple(sorted({model for session in judged for model in _models(session)})),
        verdicts=len(known),
        failed=states["judge_failed"],
        pending=states["judge_pending"],
        scores=tuple(sorted(Counter(round(judge) for _, _, judge, _ in known).items())),
        by_checks=_bands([(checks, judge) for _, _, judge, checks in known]),
        correlation=_correlation([(checks, judge) for _, _, judge, checks in known]),
        disagreements=tuple(apart[:SHOWN]),
        disagree=len(apart),
    )


def _models(session: Session) -> list[str]:
    models = session.header.method.parts.get("judge", {}).get("models", [])
    return [str(model) for model in models] if isinstance(models, list) else []


def _bands(pairs: Sequence[tuple[float, float]]) -> tuple[tuple[str, int, float], ...]:
    found: dict[str, list[float]] = {}
    for checks, judge in sorted(pairs):
        found.setdefault(_band(checks), []).append(judge)
    return tuple((name, len(scores), fmean(scores)) for name, scores in found.items())


def _band(checks: float) -> str:
    if checks <= 0:
        return "none"
    return "all" if checks >= 1 else "less than half" if checks < 0.5 else "half or more"


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    checks, scores = [a for a, _ in pairs], [b for _, b in pairs]
    spread = len(set(checks)) > 1 and len(set(scores)) > 1
    return correlation(checks, scores) if spread else None
