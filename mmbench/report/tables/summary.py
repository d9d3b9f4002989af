"""The headline figures of one subject under one method: lift, speedup, both arms, what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from mmbench import jsontext
from mmbench.power import Interval
from mmbench.records import State
from mmbench.report.lines import Cell, Subject
from mmbench.report.memo import Memo, remembered
from mmbench.report.model import Case, Results, Session, Trial
from mmbench.report.stats.arms import ArmSummary, arm_summary
from mmbench.report.stats.effect import (
    Adoption,
    Gains,
    Lift,
    adoption,
    exclusion_bounds,
    lift_of,
    per_protocol,
)
from mmbench.report.stats.pairs import PairScore
from mmbench.report.stats.speed import Speedup, Times, speed_of, speedup
from mmbench.report.stats.usage import UsageTable, usage_table
from mmbench.report.tables.arms import FurtherArms, further_arms
from mmbench.report.tables.cases import CaseRow, CaseValues, case_rows, case_values, mean, tokens
from mmbench.report.tables.endings import CommandUse, command_use, endings
from mmbench.report.tables.pairs import Pair, pooled
from mmbench.report.tables.progress import Progress, progress
from mmbench.report.tables.verdicts import Verdicts, verdicts
from mmbench.soundness import WORDS


@dataclass(frozen=True, slots=True)
class Gaps:
    """Pairs that are not run yet or lack a verdict, and cases without a sound pair."""

    missing: int
    unjudged: int
    bare: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """Some sessions of one cell, pooled. Figures are worked out when they are first asked for."""

    results: Results
    sessions: tuple[Session, ...]
    """Oldest first."""
    part: frozenset[str] | None = None
    """The cases that it speaks of, None for all."""
    whole: Summary | None = field(default=None, compare=False, repr=False)
    """What it is a part of."""

    @property
    def cell(self) -> Cell:
        """Return whom the sessions measured."""
        return self.newest.cell

    @property
    def subject(self) -> Subject:
        """Return what they measured."""
        return self.newest.subject

    @property
    def method(self) -> str:
        """Return the method hash."""
        return self.newest.method

    @property
    def memo(self) -> Memo:
        """Return where its figures are kept."""
        return self.results.memo

    @cached_property
    def identity(self) -> str:
        """Return a hash of the sessions, of the cases they ran, and of the part that this is about."""
        made = [self.results.identity(session) for session in self.sessions]
        return jsontext.digest([made, None if self.part is None else sorted(self.part)])

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Return both arms of every scheduled (case, run), in the order of the schedules."""
        found = self.whole.pairs if self.whole else tuple(pooled(self.results, self.sessions))
        return found if self.part is None else tuple(pair for pair in found if pair.case in self.part)

    def of(self, cases: frozenset[str]) -> Summary:
        """Return the part of it that speaks of some cases."""
        return replace(self, part=cases, whole=self)

    @cached_property
    def scores(self) -> list[PairScore]:
        """Return the pairs as the lift takes them."""
        return [pair.score for pair in self.pairs]

    @remembered
    def lift(self) -> Lift:
        """Return the lift, intention to treat."""
        return lift_of(self.gains)

    @remembered
    def per_protocol(self) -> Lift:
        """Return the lift where mm was called."""
        return per_protocol(self.scores)

    @remembered
    def bounds(self) -> Interval | None:
        """Return the lift had every excluded pair gone worst or best."""
        return exclusion_bounds(self.scores)

    @remembered
    def further(self) -> FurtherArms:
        """Return the arms beside the main two, over all of its sessions' cases."""
        return further_arms(self.results, self.sessions)

    @remembered
    def speed(self) -> Speedup:
        """Return the speedup over pairs that both completed."""
        return speed_of(self.times)

    @remembered
    def speed_correct(self) -> Speedup:
        """Return the speedup over pairs that are both correct."""
        return speedup([pair.time for pair in self.pairs], "correct")

    @remembered
    def without(self) -> ArmSummary:
        """Return the control arm."""
        return arm_summary(self.scores, "without")

    @remembered
    def with_(self) -> ArmSummary:
        """Return the treated arm."""
        return arm_summary(self.scores, "with")

    @remembered
    def adoption(self) -> Adoption:
        """Return how often mm was called where it was there."""
        return adoption(self.scores)

    @remembered
    def usage(self) -> UsageTable:
        """Return tokens and cost of both arms."""
        return usage_table([pair.spend for pair in self.pairs])

    @remembered
    def tokens(self) -> tuple[float | None, float | None]:
        """Return mean tokens of a sound trial, without and with; None where no trial tells."""
        return self._means(tokens)

    @remembered
    def cost(self) -> tuple[float | None, float | None]:
        """Return mean dollars of a sound trial, without and with; None where no trial tells."""
        return self._means(lambda trial: trial.usage.cost_usd if trial.usage else None)

    @remembered
    def seconds(self) -> tuple[float | None, float | None]:
        """Return mean seconds of a sound trial, without and with; a timeout counts with its limit."""
        return self._means(lambda trial: trial.duration_s)

    def _means(self, figure: Callable[[Trial], float | None]) -> tuple[float | None, float | None]:
        sound = [pair for pair in self.pairs if pair.sound]
        return mean(figure(p.without) for p in sound), mean(figure(p.with_) for p in sound)

    @remembered
    def case_rows(self) -> list[CaseRow]:
        """Return one row per case, by case id."""
        return case_rows(self.pairs)

    # What is worked out over several cells starts from these, so that one new session
    # does not ask for the trials of all the others.

    @remembered
    def gains(self) -> Gains:
        """Return what the lift follows from."""
        return Gains.of(self.scores)

    @remembered
    def times(self) -> Times:
        """Return what the speedup follows from."""
        return Times.of(pair.time for pair in self.pairs)

    @remembered
    def case_values(self) -> list[CaseValues]:
        """Return what the rows of its cases are worked out from."""
        return case_values(self.pairs)

    @remembered
    def progress(self) -> Progress:
        """Return what became of the scores of its one session in the course of it."""
        return progress(self.pairs)

    @remembered
    def verdicts(self) -> Verdicts:
        """Return what the judge said of all trials of its sessions."""
        return verdicts(trial for session in self.sessions for trial in session.trials)

    def command_use(self, cases: Mapping[str, Case]) -> list[CommandUse]:
        """Return the use of every mm command where cases expect it."""
        expected = {name: cases[name].mm_commands for name in self.cases if name in cases}
        key = f"commands {self.identity} {jsontext.digest(expected)}"
        return self.memo.of(key, list[CommandUse], lambda: command_use(self.pairs, cases))

    @property
    def margin(self) -> float:
        """Return the equivalence margin that the newest plan declares, in points."""
        return self.newest.header.plan.margin

    @remembered
    def covered(self) -> int:
        """Return how many cases have a sound pair."""
        return len({pair.case for pair in self.pairs if pair.sound})

    @remembered
    def scheduled(self) -> int:
        """Return how many trials were planned in the two arms."""
        return 2 * len(self.pairs)

    @remembered
    def sound(self) -> int:
        """Return how many trials stand in the figures."""
        return 2 * sum(pair.sound for pair in self.pairs)

    @cached_property
    def states(self) -> Counter[State]:
        """Count all trials by state."""
        return sum((session.states() for session in self.sessions), Counter())

    @remembered
    def unsound(self) -> list[tuple[str, int]]:
        """Return each reason why pairs stand in no figure, in words, and how many it holds for."""
        found = Counter(reason for pair in self.pairs for reason in pair.reasons)
        return [(WORDS[reason], count) for reason, count in found.most_common()]

    @remembered
    def gaps(self) -> Gaps:
        """Return what it lacks for a ranking."""
        bare = self.cases - {pair.case for pair in self.pairs if pair.sound}
        return Gaps(
            missing=sum(not pair.excluded and not pair.sound for pair in self.pairs),
            unjudged=sum(pair.excluded == "judge" for pair in self.pairs),
            bare=tuple(sorted(bare)),
        )

    @remembered
    def endings(self) -> dict[str, dict[str, int]]:
        """Return how many trials of each arm ended in which way."""
        return {arm: dict(found) for arm, found in endings(self.pairs).items()}

    @property
    def newest(self) -> Session:
        """Return the newest session."""
        return self.sessions[-1]

    @remembered
    def cases(self) -> frozenset[str]:
        """Return the cases that were scheduled."""
        return frozenset(pair.case for pair in self.pairs)


def summarise(results: Results, sessions: Sequence[Session]) -> Summary:
    """Pool sessions of one cell, one subject and one method; at least one."""
    return Summary(results, tuple(sorted(sessions, key=lambda session: session.order)))
