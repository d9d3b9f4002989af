"""Both arms of every scheduled (case, run), in the forms that the statistics take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mmbench import soundness
from mmbench.records import TrialKey
from mmbench.report.lines import Usage
from mmbench.report.model import Results, Session, Trial
from mmbench.report.stats.pairs import PairScore
from mmbench.report.stats.speed import ArmTime, End, PairTime
from mmbench.report.stats.usage import PairSpend, Spend
from mmbench.scoring import PASS_THRESHOLD
from mmbench.soundness import CONTROL, MM_ARMS, TREATED, Reason

NAMES: Mapping[Reason, str] = {
    "missing": "missing",
    "voided": "void",
    "skipped": "skipped",
    "infrastructure": "infrastructure",
    "contaminated": "contaminated",
    "canary": "canary seen",
    "model_fallback": "another model",
    "models_differ": "models differ",
    "treatment_changed": "treatment changed",
    "mm_unreachable": "mm unreachable",
    "grader_failed": "grader",
    "no_verdict": "judge",
}
"""The reasons as tables count them."""
_SHORTEST = 0.001  # records hold milliseconds; the logarithm of 0 does not exist


@dataclass(frozen=True)
class Pair:
    """The two arms of one (case, run) of one session; its forms are made once, many tables ask for them."""

    session: Session
    case: str
    cluster: str
    run: int
    number: int
    """The run's number among all sessions that are pooled, unique for a case."""
    without: Trial
    with_: Trial
    threshold: float
    reasons: tuple[Reason, ...]
    """Why it stands in no aggregate, empty when it does."""
    sound: bool
    """Whether there is no reason against it."""
    excluded: str
    """The first reason as tables count it, '' when it is sound or only not run yet."""

    @property
    def gain(self) -> float | None:
        """Return correctness with minus without, in points."""
        if not self.sound or self.with_.correctness is None or self.without.correctness is None:
            return None
        return self.with_.correctness - self.without.correctness

    @cached_property
    def score(self) -> PairScore:
        """Return it as the lift takes it."""
        return PairScore(
            case=self.case,
            cluster=self.cluster,
            run=self.number,
            without=self.without.correctness if self.without.sound else None,
            with_=self.with_.correctness if self.with_.sound else None,
            excluded=self.excluded,
            adopted=self.with_.mm_calls > 0 if self.with_.attempts else None,
            with_first=self.with_.position < self.without.position,
            threshold=self.threshold,
        )

    @cached_property
    def time(self) -> PairTime:
        """Return it as the speedup takes it."""
        return PairTime(
            self.case,
            self.cluster,
            self.number,
            _time(self.without),
            _time(self.with_),
            self.excluded,
        )

    @cached_property
    def spend(self) -> PairSpend:
        """Return it as the token table takes it."""
        return PairSpend(
            self.case,
            self.cluster,
            self.number,
            _spend(self.without.usage),
            _spend(self.with_.usage),
            excluded=self.excluded or ("" if self.sound else "missing"),
            cold=min(self.without.position, self.with_.position) == 0,
        )


def _time(trial: Trial) -> ArmTime | None:
    if trial.duration_s is None or not trial.sound:
        return None
    end: End = (
        "timeout" if trial.status == "timeout" else "completed" if trial.status == "completed" else "failed"
    )
    return ArmTime(max(trial.duration_s, _SHORTEST), end, trial.passed is True)


def _spend(usage: Usage | None) -> Spend:
    if usage is None:
        return Spend()
    return Spend(
        fresh=usage.input_uncached,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write,
        output=usage.output_total,
        cost=usage.cost_usd,
    )


Arms = tuple[str, str]
MAIN: Arms = (CONTROL, TREATED)


def of_session(results: Results, session: Session, offset: int = 0, arms: Arms = MAIN) -> list[Pair]:
    """Return a session's pairs in the order of its schedule; other arms take the places of the main two."""
    trials = {trial.key: trial for trial in session.trials}
    pairs = []
    for trial in session.trials:
        case, arm, run = trial.key
        if arm != arms[1]:
            continue
        control = trials.get(TrialKey(case, arms[0], run))
        if control is None:
            continue
        known = results.case(session, case)
        cluster = known.group if known else case
        threshold = PASS_THRESHOLD if known is None or known.threshold is None else known.threshold
        why = soundness.reasons(control.side, trial.side) if arms == MAIN else _between(control, trial)
        first = next((NAMES[reason] for reason in why if reason != "missing"), "")
        pairs.append(
            Pair(session, case, cluster, run, offset + run, control, trial, threshold, why, not why, first)
        )
    return pairs


def _between(first: Trial, second: Trial) -> tuple[Reason, ...]:
    return soundness.reasons_between(
        *(
            trial.side if trial.key.arm in MM_ARMS else replace(trial.side, reached=True)
            for trial in (first, second)
        )
    )


def pooled(results: Results, sessions: Sequence[Session], arms: Arms = MAIN) -> list[Pair]:
    """Return the pairs of several sessions, with runs numbered on from session to session."""
    pairs: list[Pair] = []
    offset = 0
    for session in sessions:
        pairs += of_session(results, session, offset, arms)
        offset += session.header.plan.runs
    return pairs


def trials_of(pairs: Iterable[Pair]) -> list[Trial]:
    """Return all trials of some pairs."""
    return [trial for pair in pairs for trial in (pair.without, pair.with_)]
