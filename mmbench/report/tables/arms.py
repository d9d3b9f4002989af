"""The arms beside the two that always run: what each came to, and what lies between two arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mmbench.report.model import Results, Session, Trial
from mmbench.report.stats.arms import ArmSummary, arm_summary
from mmbench.report.stats.effect import Lift, lift
from mmbench.report.tables.cases import mean, tokens
from mmbench.report.tables.pairs import Arms, Pair, pooled
from mmbench.soundness import CONTROL, MM_ARMS, TREATED

UNPRIMED, PLACEBO = "unprimed", "placebo"
NAMES: Mapping[str, str] = {
    CONTROL: "without mm",
    PLACEBO: "placebo",
    UNPRIMED: "unprimed",
    TREATED: "with mm",
}
"""Every arm as pages call it, in the order in which they are shown."""
BOTH = (NAMES[CONTROL], NAMES[TREATED])
"""The two arms of the lift."""
GIVEN: Mapping[str, str] = {
    CONTROL: "its own tools only",
    PLACEBO: "a neutral text as long as the primer, no mm",
    UNPRIMED: "mm on its path, and not a word about it",
    TREATED: "mm on its path, and the primer",
}


@dataclass(frozen=True, slots=True)
class Question:
    """What the difference of two arms answers; `left` is taken from `right`."""

    name: str
    right: str
    left: str
    asks: str


QUESTIONS = (
    Question("primer", TREATED, UNPRIMED, "What does the primer add where mm is there anyway?"),
    Question("discovery", UNPRIMED, CONTROL, "What does mm do that nobody speaks of?"),
    Question("prompt", PLACEBO, CONTROL, "What does a longer prompt alone do?"),
    Question("content", TREATED, PLACEBO, "What do mm and its primer do beyond a prompt of that length?"),
)


@dataclass(frozen=True, slots=True)
class Contrast:
    """One question and its answer in points."""

    question: Question
    lift: Lift


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """One arm by itself over its own sound trials."""

    arm: str
    summary: ArmSummary
    scheduled: int
    used: int
    """Sound trials that called mm."""
    seconds: float | None
    tokens: float | None
    by_case: dict[str, float]
    """Mean correctness of each case that has a sound trial."""

    @property
    def name(self) -> str:
        """Return what pages call it."""
        return NAMES[self.arm]

    @property
    def given(self) -> str:
        """Return what the agent gets in it."""
        return GIVEN[self.arm]

    @property
    def mm(self) -> bool:
        """Tell whether mm can be reached in it."""
        return self.arm in MM_ARMS


@dataclass(frozen=True, slots=True)
class FurtherArms:
    """What the further arms of some sessions came to; both are empty where there is none."""

    arms: tuple[ArmFigures, ...] = ()
    """All arms, the main two as well, as these are read beside each other."""
    contrasts: tuple[Contrast, ...] = ()

    @property
    def further(self) -> tuple[ArmFigures, ...]:
        """Return the further arms alone."""
        return tuple(arm for arm in self.arms if arm.arm not in (CONTROL, TREATED))


def further_arms(results: Results, sessions: Sequence[Session]) -> FurtherArms:
    """Return it over the sessions that planned any."""
    chosen = [session for session in sessions if planned(session)]
    if not chosen:
        return FurtherArms()
    there = {arm for session in chosen for arm in session.header.plan.arms}
    return FurtherArms(
        tuple(_arm(arm, _trials(results, chosen, arm)) for arm in NAMES if arm in there),
        tuple(
            Contrast(question, lift([pair.score for pair in pooled(results, chosen, _arms(question))]))
            for question in QUESTIONS
            if {question.left, question.right} <= there
        ),
    )


def planned(session: Session) -> tuple[str, ...]:
    """Return the further arms that a session planned, in the order in which pages show them."""
    return tuple(a for a in NAMES if a in session.header.plan.arms and a not in (CONTROL, TREATED))


def _arms(question: Question) -> Arms:
    return (question.left, question.right)


def _trials(results: Results, sessions: Sequence[Session], arm: str) -> list[Pair]:
    """Return an arm's trials, each paired with itself: so it is measured by no other arm's failures."""
    return pooled(results, sessions, (arm, arm))


def _arm(arm: str, trials: Sequence[Pair]) -> ArmFigures:
    sound = [pair.with_ for pair in trials if pair.sound]
    return ArmFigures(
        arm=arm,
        summary=arm_summary([pair.score for pair in trials], "with"),
        scheduled=len(trials),
        used=sum(trial.mm_calls > 0 for trial in sound),
        seconds=mean(trial.duration_s for trial in sound),
        tokens=mean(tokens(trial) for trial in sound),
        by_case=_by_case(sound),
    )


def _by_case(trials: Sequence[Trial]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for trial in trials:
        if trial.correctness is not None:
            found.setdefault(trial.key.case, []).append(trial.correctness)
    return {case: sum(values) / len(values) for case, values in sorted(found.items())}
