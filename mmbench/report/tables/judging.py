"""What judges did, where they and the checks disagree, and how far they were found to agree with people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mmbench import jsontext
from mmbench.records import State
from mmbench.report.model import Session
from mmbench.report.tables.summary import Summary
from mmbench.report.tables.verdicts import BANDS, Both, Moments, Verdicts
from mmbench.trust import Measured

SHOWN = 50
"""Disagreements in the list."""


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
    """A trial that the judge and the checks see differently."""

    session: Session
    trial: Both


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


def judging(alone: Sequence[Summary]) -> Judging | None:
    """Return what the judge did in those sessions that have one, given each session's summary; None without any."""
    judged = [summary for summary in alone if summary.newest.header.method.judged]
    if not judged:
        return None
    found = [summary.verdicts for summary in judged]
    states = sum((summary.states for summary in judged), Counter[State]())
    apart = [Disagreement(s.newest, trial) for s in judged for trial in s.verdicts.apart]
    apart.sort(key=lambda item: (-item.trial.distance, item.session.order, item.trial.position))
    scores = sum((Counter(one.scores) for one in found), Counter[int]())
    known = sum(one.known for one in found)
    return Judging(
        sessions=len(judged),
        models=tuple(sorted({model for summary in judged for model in _models(summary.newest)})),
        verdicts=known,
        failed=states["judge_failed"],
        pending=states["judge_pending"],
        scores=tuple(sorted(scores.items())),
        by_checks=tuple(_bands(found)),
        correlation=_correlation(known, [one.moments for one in found]),
        disagreements=tuple(apart[:SHOWN]),
        disagree=len(apart),
    )


def _bands(found: Sequence[Verdicts]) -> Iterator[tuple[str, int, float]]:
    for band in BANDS:
        parts = [one.bands[band] for one in found if band in one.bands]
        trials = sum(count for count, _ in parts)
        if trials:
            yield band, trials, math.fsum(total for _, total in parts) / trials


def _correlation(n: int, parts: Sequence[Moments]) -> float | None:
    """Return Pearson's r of checks and judge; None without spread in either."""
    checks, judge, checks2, judge2, product = (math.fsum(sums) for sums in zip(*parts, strict=True))
    spreads = n * checks2 - checks**2, n * judge2 - judge**2
    if min(spreads) <= 1e-9 * n * n:
        return None
    return (n * product - checks * judge) / math.sqrt(math.prod(spreads))


def _models(session: Session) -> list[str]:
    models = session.header.method.parts.get("judge", {}).get("models", [])
    return [str(model) for model in models] if isinstance(models, list) else []
