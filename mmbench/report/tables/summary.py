"""The headline figures of one subject under one method: lift, speedup, both arms, what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mmbench.power import Interval
from mmbench.records import State
from mmbench.report.lines import Cell, Subject
from mmbench.report.model import Results, Session, Trial
from mmbench.report.stats.arms import ArmSummary, arm_summary
from mmbench.report.stats.effect import Adoption, Lift, adoption, exclusion_bounds, lift, per_protocol
from mmbench.report.stats.pairs import PairScore
from mmbench.report.stats.speed import Speedup, speedup
from mmbench.report.stats.usage import UsageTable, usage_table
from mmbench.report.tables.cases import CaseRow, case_rows, mean, tokens
from mmbench.report.tables.pairs import Pair, pooled
from mmbench.soundness import WORDS


@dataclass(frozen=True)
class Summary:
    """Some sessions of one cell, pooled. Figures are worked out when they are first asked for."""

    cell: Cell
    subject: Subject
    method: str
    sessions: tuple[Session, ...]
    pairs: tuple[Pair, ...]

    @cached_property
    def scores(self) -> list[PairScore]:
        """Return the pairs as the lift takes them."""
        return [pair.score for pair in self.pairs]

    @cached_property
    def lift(self) -> Lift:
        """Return the lift, intention to treat."""
        return lift(self.scores)

    @cached_property
    def per_protocol(self) -> Lift:
        """Return the lift where mm was called."""
        return per_protocol(self.scores)

    @cached_property
    def bounds(self) -> Interval | None:
        """Return the lift had every excluded pair gone worst or best."""
        return exclusion_bounds(self.scores)

    @cached_property
    def speed(self) -> Speedup:
        """Return the speedup over pairs that both completed."""
        return speedup([pair.time for pair in self.pairs])

    @cached_property
    def speed_correct(self) -> Speedup:
        """Return the speedup over pairs that are both correct."""
        return speedup([pair.time for pair in self.pairs], "correct")

    @cached_property
    def without(self) -> ArmSummary:
        """Return the control arm."""
        return arm_summary(self.scores, "without")

    @cached_property
    def with_(self) -> ArmSummary:
        """Return the treated arm."""
        return arm_summary(self.scores, "with")

    @cached_property
    def adoption(self) -> Adoption:
        """Return how often mm was called where it was there."""
        return adoption(self.scores)

    @cached_property
    def usage(self) -> UsageTable:
        """Return tokens and cost of both arms."""
        return usage_table([pair.spend for pair in self.pairs])

    @cached_property
    def tokens(self) -> tuple[float | None, float | None]:
        """Return mean tokens of a sound trial, without and with; None where no trial tells."""
        return self._means(tokens)

    @cached_property
    def cost(self) -> tuple[float | None, float | None]:
        """Return mean dollars of a sound trial, without and with; None where no trial tells."""
        return self._means(lambda trial: trial.usage.cost_usd if trial.usage else None)

    @cached_property
    def seconds(self) -> tuple[float | None, float | None]:
        """Return mean seconds of a sound trial, without and with; a timeout counts with its limit."""
        return self._means(lambda trial: trial.duration_s)

    def _means(self, figure: Callable[[Trial], float | None]) -> tuple[float | None, float | None]:
        sound = [pair for pair in self.pairs if pair.sound]
        return mean(figure(p.without) for p in sound), mean(figure(p.with_) for p in sound)

    @cached_property
    def case_rows(self) -> list[CaseRow]:
        """Return one row per case, by case id."""
        return case_rows(self.pairs)

    @property
    def margin(self) -> float:
        """Return the equivalence margin that the newest plan declares, in points."""
        return self.newest.header.plan.margin

    @property
    def covered(self) -> int:
        """Return how many cases have a sound pair."""
        return len({pair.case for pair in self.pairs if pair.sound})

    @property
    def scheduled(self) -> int:
        """Return how many trials were planned in the two arms."""
        return 2 * len(self.pairs)

    @property
    def sound(self) -> int:
        """Return how many trials stand in the figures."""
        return 2 * sum(pair.sound for pair in self.pairs)

    @cached_property
    def states(self) -> Counter[State]:
        """Count all trials by state."""
        return sum((session.states() for session in self.sessions), Counter())

    @cached_property
    def unsound(self) -> list[tuple[str, int]]:
        """Return each reason why pairs stand in no figure, in words, and how many it holds for."""
        found = Counter(reason for pair in self.pairs for reason in pair.reasons)
        return [(WORDS[reason], count) for reason, count in found.most_common()]

    @property
    def newest(self) -> Session:
        """Return the newest session."""
        return self.sessions[-1]

    @property
    def cases(self) -> frozenset[str]:
        """Return the cases that were scheduled."""
        return frozenset(pair.case for pair in self.pairs)


def summarise(results: Results, sessions: Sequence[Session]) -> Summary:
    """Pool sessions of one cell, one subject and one method; at least one."""
    ordered = sorted(sessions, key=lambda session: session.order)
    newest = ordered[-1]
    pairs = pooled(results, ordered)
    return Summary(newest.cell, newest.subject, newest.method, tuple(ordered), tuple(pairs))
