"""All cells of a board together, each case once: what the headline and the charts over all agents rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from mmbench import jsontext
from mmbench.report.memo import Memo, remembered
from mmbench.report.stats.effect import Lift, lift
from mmbench.report.stats.pairs import PairScore
from mmbench.report.stats.speed import PairTime, Speedup, speedup
from mmbench.report.tables.cases import CaseRow, rows_of
from mmbench.report.tables.places import Place
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
        return lift(renumbered(score for summary in self.summaries for score in summary.kept_scores))

    @remembered
    def speed(self) -> Speedup:
        """Return the speedup over all cells, each case once."""
        return speedup(renumbered(time for summary in self.summaries for time in summary.kept_times))

    @cached_property
    def case_rows(self) -> list[CaseRow]:
        """Return one row per case, by case id."""
        return rows_of(*(summary.case_values for summary in self.summaries))

    @cached_property
    def places(self) -> list[Place]:
        """Return every trial that counts with its place in its session."""
        return [place for summary in self.summaries for place in summary.places]

    @cached_property
    def endings(self) -> dict[str, Counter[str]]:
        """Return how many trials of each arm ended in which way."""
        found: dict[str, Counter[str]] = {}
        for summary in self.summaries:
            for arm, counts in summary.endings.items():
                found.setdefault(arm, Counter()).update(counts)
        return found


AnyPair = TypeVar("AnyPair", PairScore, PairTime)


def renumbered(pairs: Iterable[AnyPair]) -> list[AnyPair]:
    """Return pairs of several cells with runs that are unique for a case, in one cluster per case."""
    counts: dict[str, int] = {}
    clusters: dict[str, str] = {}
    made = []
    for pair in pairs:
        number = counts[pair.case] = counts.get(pair.case, 0) + 1
        cluster = clusters.setdefault(pair.case, pair.cluster)
        made.append(replace(pair, run=number, cluster=cluster))
    return made
