"""Whether some sessions may be compared, and ranked, with the figures that the answer rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median, pstdev
from typing import Any

from mmbench import method, soundness
from mmbench.records import Session, Trial, TrialKey, state


@dataclass(frozen=True, slots=True)
class Quality:
    """Correctness over completed trials only, in points; `sd` is that of the population."""

    mean: float
    median: float
    sd: float
    trials: int


@dataclass(frozen=True, slots=True)
class SessionFigures:
    """What one session came to."""

    session: str
    cell: str
    method: str
    legacy: bool
    executable: int
    """Scheduled trials that are not voided."""
    excluded: int
    """Trials that the plan left out, with every run."""
    voided: int
    completed: int
    failed: int
    skipped: int
    judge_failed: int
    unfinished: int
    """Queued, running, cancelled, or waiting for their verdict."""
    sound_pairs: int
    pairs: int
    quality: Quality | None
    seconds: float
    """Wall-clock of the newest attempts together."""
    cost_usd: float | None
    """Of the trials that tell it; None when none does."""
    cost_known: int

    @property
    def coverage(self) -> float:
        """Return completed over executable trials, 0..1."""
        return self.completed / self.executable if self.executable else 0.0

    @property
    def technical_success(self) -> float | None:
        """Return the share of the ended trials that no failure of the harness spoilt, None before any."""
        ended = self.completed + self.failed + self.judge_failed
        return (self.completed + self.judge_failed) / ended if ended else None

    def record(self) -> dict[str, Any]:
        """Return all figures as plain values."""
        return asdict(self) | {"coverage": self.coverage, "technical_success": self.technical_success}


@dataclass(frozen=True, slots=True)
class Comparability:
    """The verdict on a set of sessions."""

    figures: tuple[SessionFigures, ...]
    against: tuple[str, ...]
    """Why they cannot be compared; empty when they can."""
    unranked: tuple[str, ...]
    """Why a comparison allows no ranking; empty when it does."""

    @property
    def comparable(self) -> bool:
        """Tell whether their figures may stand beside each other."""
        return not self.against

    @property
    def rankable(self) -> bool:
        """Tell whether they may be ranked."""
        return self.comparable and not self.unranked

    def record(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        return {
            "comparable": self.comparable,
            "rankable": self.rankable,
            "reasons": [*self.against, *self.unranked],
            "sessions": [figures.record() for figures in self.figures],
        }


def figures(session: Session) -> SessionFigures:
    """Work out what one session came to; a contaminated or fallen-back trial has no score."""
    counted = [trial for trial in session.trials.values() if trial.voided is None]
    states = [state(session, trial) for trial in counted]
    points = [trial.last.correctness for trial in _completed(session, counted) if trial.last]
    scores = [value for value in points if value is not None]
    lasts = [trial.last.trial for trial in counted if trial.last is not None]
    costs = [cost for line in lasts if (cost := line["usage"]["cost_usd"]) is not None]
    found = soundness.pairs(session)
    cell = session.header["cell"]
    return SessionFigures(
        session=session.id,
        cell=f"{cell['agent']}/{cell['profile']}",
        method=session.header["method"]["hash"],
        legacy=is_legacy(session),
        executable=len(counted),
        excluded=_excluded(session),
        voided=len(session.trials) - len(counted),
        completed=states.count("completed"),
        failed=states.count("failed"),
        skipped=states.count("skipped"),
        judge_failed=states.count("judge_failed"),
        unfinished=sum(states.count(name) for name in ("queued", "running", "judge_pending", "cancelled")),
        sound_pairs=sum(pair.sound for pair in found),
        pairs=len(found),
        quality=Quality(fmean(scores), median(scores), pstdev(scores), len(scores)) if scores else None,
        seconds=round(sum(line["duration_s"] for line in lasts), 3),
        cost_usd=round(sum(costs), 6) if costs else None,
        cost_known=len(costs),
    )


def _completed(session: Session, trials: Iterable[Trial]) -> list[Trial]:
    return [trial for trial in trials if state(session, trial) == "completed"]


def is_legacy(session: Session) -> bool:
    """Tell whether a session was taken over from an older store, without a method to compare."""
    return "legacy" in session.header["method"]["parts"]


def _excluded(session: Session) -> int:
    plan = session.header["plan"]
    return sum(
        plan["runs"] * (1 if left["arm"] is not None else len(plan["arms"])) for left in plan["excluded"]
    )


def compare(sessions: Sequence[Session]) -> Comparability:
    """Judge a set of sessions: comparable with one method, the same trials and no missing verdict."""
    found = tuple(figures(session) for session in sessions)
    against = [*_methods(sessions), *_coverage(sessions), *_verdicts(found)]
    return Comparability(found, tuple(against), tuple(_unranked(sessions, found)))


def _methods(sessions: Sequence[Session]) -> Iterable[str]:
    if legacy := [session.id for session in sessions if is_legacy(session)]:
        yield f"{', '.join(legacy)}: taken over from an older store, whose method is not known"
    first = sessions[0] if sessions else None
    for other in sessions[1:]:
        if first and other.header["method"]["hash"] != first.header["method"]["hash"]:
            parts = [session.header["method"]["parts"] for session in (first, other)]
            words = "; ".join(method.differences(*parts)) or "the hash alone"
            yield f"{first.id} and {other.id} have different methods ({words})"


def _coverage(sessions: Sequence[Session]) -> Iterable[str]:
    """Compare which (case, arm) were executable; how often is a matter of precision, not of kind."""
    cells = {
        session.id: frozenset((key.case, key.arm) for key in _executable(session)) for session in sessions
    }
    everything = frozenset().union(*cells.values()) if cells else frozenset()
    for name, own in cells.items():
        lacking = sorted({case for case, _ in everything - own})
        if lacking:
            yield f"{name} does not run {', '.join(lacking[:5])}{' …' if lacking[5:] else ''}"


def _executable(session: Session) -> list[TrialKey]:
    return [key for key, trial in session.trials.items() if trial.voided is None]


def _verdicts(found: Iterable[SessionFigures]) -> Iterable[str]:
    for session in found:
        if session.judge_failed:
            yield f"{session.session}: {session.judge_failed} verdicts are missing"


def _unranked(sessions: Sequence[Session], found: Iterable[SessionFigures]) -> Iterable[str]:
    for one in found:
        if one.completed < one.executable:
            yield f"{one.session}: {one.completed} of {one.executable} trials are completed"
    for session in sessions:
        if session.header["reference"]:
            yield f"{session.id}: a reference agent has no model and is never ranked"


def said(verdict: Comparability) -> str:
    """Say a verdict in words, with one line per session."""
    lines = [_line(session) for session in verdict.figures]
    if verdict.rankable:
        end = "They can be compared and ranked."
    elif verdict.comparable:
        end = "They can be compared, but not ranked:"
    else:
        end = "They cannot be compared:"
    return "\n".join([*lines, end, *(f"  {reason}" for reason in (*verdict.against, *verdict.unranked))])


def _line(found: SessionFigures) -> str:
    quality = found.quality
    points = (
        f"{quality.mean:.1f} ± {quality.sd:.1f} points (median {quality.median:.1f})"
        if quality
        else "no points"
    )
    success = "unknown" if found.technical_success is None else f"{found.technical_success:.0%}"
    cost = "cost unknown" if found.cost_usd is None else f"${found.cost_usd:.2f} ({found.cost_known} known)"
    return (
        f"{found.session}: {points}, coverage {found.coverage:.0%} of {found.executable}, "
        f"technical success {success}, {found.sound_pairs} of {found.pairs} pairs sound, "
        f"{found.failed} failed, {found.skipped} skipped, {found.judge_failed} without verdict, "
        f"{found.excluded} excluded, {found.voided} voided, {found.seconds:.0f} s, {cost}"
    )
