"""Whether the two arms of one (case, run) may be compared, and if not, why not.

An unsound pair leaves both arms, so that neither profits from what went wrong
in the other. A failure of the agent's own is a result and keeps its pair sound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from mmbench.outcome import GRADED
from mmbench.records import Session, State, Trial, TrialKey, state

CONTROL, TREATED = "without_mm", "with_mm"
MM_ARMS = frozenset({TREATED, "unprimed"})
"""The arms in which mm can be reached; elsewhere a call of it finds nothing, as it should."""

Reason = Literal[
    "missing",
    "voided",
    "skipped",
    "infrastructure",
    "contaminated",
    "canary",
    "model_fallback",
    "models_differ",
    "treatment_changed",
    "mm_unreachable",
    "grader_failed",
    "no_verdict",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
WORDS: Mapping[Reason, str] = {
    "missing": "an arm was not run to its end",
    "voided": "an arm was voided",
    "skipped": "an arm was left out by the plan",
    "infrastructure": "an arm failed by the endpoint, the setup or the harness",
    "contaminated": "mm was seen in the arm without it",
    "canary": "the case's canary was in the transcript: its answer was not kept apart",
    "model_fallback": "another model was served than was requested",
    "models_differ": "the arms were served by different models",
    "treatment_changed": "mm, its shim or the programs were changed during the trial",
    "mm_unreachable": "mm could not be started, or its endpoint failed every time",
    "grader_failed": "a grader failed",
    "no_verdict": "the judge's verdict is missing",
}

CANNOT_START = frozenset({126, 127})
_OWN_FAULTS = frozenset({"400", "404", "405", "413", "415", "422"})
"""Answers of mm's endpoint to a bad request, which say nothing about the endpoint."""


@dataclass(frozen=True, slots=True)
class Side:
    """What soundness asks of the newest attempt of one arm."""

    state: State = "queued"
    status: str | None = None
    voided: bool = False
    scored: bool = False
    model: str | None = None
    intact: bool = True
    canary: bool = False
    reached: bool = True
    """False when mm was called and could not be used."""


@dataclass(frozen=True, slots=True)
class Soundness:
    """One pair, and every reason why it is not sound."""

    case: str
    run: int
    reasons: tuple[Reason, ...]

    @property
    def sound(self) -> bool:
        """Tell whether the pair may stand in an aggregate."""
        return not self.reasons


def reasons(control: Side, treated: Side) -> tuple[Reason, ...]:
    """Return every reason against a pair, each once, in a fixed order."""
    found = {*_alone(control), *_alone(treated)}
    if None not in (control.model, treated.model) and control.model != treated.model:
        found.add("models_differ")
    if not treated.reached:
        found.add("mm_unreachable")
    return tuple(reason for reason in REASONS if reason in found)


def reasons_between(first: Side, second: Side) -> tuple[Reason, ...]:
    """Return every reason against two trials of any arms; `reached` must be told of mm's arms only."""
    found = {*reasons(first, second), *(() if first.reached else ("mm_unreachable",))}
    return tuple(reason for reason in REASONS if reason in found)


def _alone(side: Side) -> Iterator[Reason]:
    if side.voided:
        yield "voided"
    if side.canary:
        yield "canary"
    if not side.intact:
        yield "treatment_changed"
    if side.status in ("contaminated", "model_fallback"):
        yield "contaminated" if side.status == "contaminated" else "model_fallback"
    elif side.state in ("queued", "running", "cancelled"):
        yield "missing"
    elif side.state == "skipped":
        yield "skipped"
    elif side.state in ("judge_pending", "judge_failed"):
        yield "no_verdict"
    elif side.state == "failed":
        yield "grader_failed" if side.status in GRADED else "infrastructure"
    elif not side.scored:
        yield "no_verdict"


def reached(codes: Sequence[int | None], requests: int, errors: Mapping[str, int]) -> bool:
    """Tell from the exit codes of its calls and its endpoint's answers whether mm could be used."""
    if codes and all(code in CANNOT_START for code in codes):
        return False
    failed = sum(count for kind, count in errors.items() if kind not in _OWN_FAULTS)
    return requests == 0 or failed < requests


def side(session: Session, trial: Trial | None) -> Side:
    """Return what soundness asks of a folded trial; None is an arm that is not scheduled."""
    if trial is None:
        return Side()
    last = trial.last
    if last is None:
        return Side(state=state(session, trial), voided=trial.voided is not None)
    line = last.trial
    backend = line["mm"]["backend"] or {"requests": 0, "errors": {}}
    codes = [call["exit_code"] for call in line["mm"]["calls"]]
    return Side(
        state=state(session, trial),
        status=line["status"],
        voided=trial.voided is not None,
        scored=last.correctness is not None,
        model=line["outcome"]["model"],
        intact=line["treatment"]["intact"],
        canary=line["canary"],
        reached=reached(codes, backend["requests"], backend["errors"]),
    )


def pairs(session: Session) -> list[Soundness]:
    """Return the soundness of every scheduled (case, run), in the order of the schedule."""
    found: dict[tuple[str, int], Soundness] = {}
    for case, _, run in session.trials:
        if (case, run) not in found:
            control, treated = (session.trials.get(TrialKey(case, arm, run)) for arm in (CONTROL, TREATED))
            found[case, run] = Soundness(case, run, reasons(side(session, control), side(session, treated)))
    return list(found.values())


def counted(found: Iterable[Soundness]) -> Counter[Reason]:
    """Count the reasons; a pair with two counts for both."""
    return Counter(reason for pair in found for reason in pair.reasons)
