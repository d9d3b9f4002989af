"""All cells of a board together, each case once: what the headline and the charts over all agents rest on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from mmbench import jsontext
from mmbench.report.memo import Memo, remembered
from mmbench.report.stats.effect import Gains, Lift, lift_of
from mmbench.report.stats.speed import Speedup, Times, speed_of
from mmbench.report.tables.cases import CaseRow, rows_of
from mmbench.report.tables.summary import Summary


@dataclass(frozen=True)
class Pool:
    """The summaries of several cells. Figures are worked out when they are first asked for."""

    memo: Memo
    summaries: tuple[Summary, ...]

    @cached_property
    def identity(self) -> str:
        """Return a hash of what it is made of."""
        return jsontext.digest([summary.identity for summary in self.summaries])

    @remembered
    def lift(self) -> Lift:
        """Return the lift over all cells, each case once: its mean over agents and runs."""
        return lift_of(Gains.together(summary.gains for summary in self.summaries))

    @remembered
    def speed(self) -> Speedup:
        """Return the speedup over all cells, each case once."""
        return speed_of(Times.together(summary.times for summary in self.summaries))

    @cached_property
    def case_rows(self) -> list[CaseRow]:
        """Return one row per case, by case id."""
        return rows_of(*(summary.case_values for summary in self.summaries))

    @cached_property
    def endings(self) -> dict[str, Counter[str]]:
        """Return how many trials of each arm ended in which way."""
        found: dict[str, Counter[str]] = {}
        for summary in self.summaries:
            for arm, counts in summary.endings.items():
                found.setdefault(arm, Counter()).update(counts)
        return found
