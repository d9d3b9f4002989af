"""All cells of a board together, each case once: what the headline and the charts over all agents rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from mmbench import jsontext
from mmbench.report.memo import Memo, remembered
from mmbench.report.stats.effect import Lift, lift
from mmbench.report.stats.speed import Speedup, speedup
from mmbench.report.tables.cases import CaseRow, case_rows
from mmbench.report.tables.pairs import Pair
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

    @cached_property
    def pairs(self) -> list[Pair]:
        """Return the pairs of all, with runs that are unique for a case."""
        return renumbered(pair for summary in self.summaries for pair in summary.pairs)

    @remembered
    def lift(self) -> Lift:
        """Return the lift over all cells, each case once: its mean over agents and runs."""
        return lift([pair.score for pair in self.pairs])

    @remembered
    def speed(self) -> Speedup:
        """Return the speedup over all cells, each case once."""
        return speedup([pair.time for pair in self.pairs])

    @remembered
    def case_rows(self) -> list[CaseRow]:
        """Return one row per case, by case id."""
        return case_rows(self.pairs)

    @cached_property
    def endings(self) -> dict[str, Counter[str]]:
        """Return how many trials of each arm ended in which way."""
        found: dict[str, Counter[str]] = {}
        for summary in self.summaries:
            for arm, counts in summary.endings.items():
                found.setdefault(arm, Counter()).update(counts)
        return found


def renumbered(pairs: Iterable[Pair]) -> list[Pair]:
    """Return pairs of several cells with runs that are unique for a case, in one cluster per case."""
    counts: dict[str, int] = {}
    clusters: dict[str, str] = {}
    made = []
    for pair in pairs:
        number = counts[pair.case] = counts.get(pair.case, 0) + 1
        cluster = clusters.setdefault(pair.case, pair.cluster)
        made.append(replace(pair, number=number, cluster=cluster))
    return made
