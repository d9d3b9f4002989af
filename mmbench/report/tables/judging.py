"""What judges did, where they and the checks disagree, and how far they were found to agree with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import correlation, fmean

from mmbench import jsontext
from mmbench.report.model import Session, Trial
from mmbench.trust import Measured

APART = 0.6
"""Difference of shares (judge of 5, checks) from which a trial stands in the list of disagreements."""
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge with one question, the sessions that used it, and what was measured of it."""

    models: tuple[str, ...]
    mode: str
    prompt: str | None
    """Hash of the question, None where the session does not tell."""
    sessions: tuple[Session, ...]
    """Newest first."""
    measured: tuple[Measured, ...]
    """Figures on this judge with this question, newest first."""
    related: tuple[Measured, ...]
    """Figures on the same models with another question, or one that is not told."""

    @property
    def name(self) -> str:
        """Return its models as one text."""
        return ", ".join(self.models) or "unnamed"

    @property
    def anchor(self) -> str:
        """Return what a link to it ends in, the same as long as the judge is."""
        return f"judge-{jsontext.digest([self.mode, *self.models, self.prompt])[:10]}"


def judges(sessions: Sequence[Session], measured: Sequence[Measured]) -> list[Judge]:
    """Return every judge that some sessions used, that of the newest session first."""
    used: dict[tuple[tuple[str, ...], str, str | None], list[Session]] = {}
    for session in sorted(sessions, key=lambda session: session.order, reverse=True):
        if session.header.method.judged:
            used.setdefault(_identity(session), []).append(session)
    return [_judge(*identity, users, measured) for identity, users in used.items()]


def _judge(
    models: tuple[str, ...],
    mode: str,
    prompt: str | None,
    sessions: Sequence[Session],
    measured: Sequence[Measured],
) -> Judge:
    same = tuple(one for one in measured if one.same_question(models, prompt))
    related = tuple(one for one in measured if one.same_judge(models) and one not in same)
    return Judge(models, mode, prompt, tuple(sessions), same, related)


def _identity(session: Session) -> tuple[tuple[str, ...], str, str | None]:
    part = session.header.method.parts.get("judge", {})
    prompt = part.get("prompt")
    return tuple(_models(session)), str(part.get("mode")), prompt if isinstance(prompt, str) else None


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
