"""The one sentence of the home page, worked out from a board: what mm did over all its agents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mmbench.report.stats.decision import Verdict, verdict
from mmbench.report.stats.effect import Lift, lift
from mmbench.report.stats.speed import Speedup, speedup
from mmbench.report.tables.board import Board
from mmbench.report.tables.cases import CaseRow, case_rows
from mmbench.report.tables.pairs import Pair

SHOWN = 5
"""How many cases stand in each of the two lists, helped and harmed."""


@dataclass(frozen=True, slots=True)
class Headline:
    """All agents of a board together, each case once: its mean over agents and runs.

    The interval speaks about other cases of this kind, not about other agents.
    """

    agents: int
    cells: int
    sessions: int
    runs: tuple[int, int]
    """Fewest and most runs of a case in one cell."""
    lift: Lift
    speed: Speedup
    verdict: Verdict
    helped: tuple[CaseRow, ...]
    harmed: tuple[CaseRow, ...]
    unmoved: int
    more_helped: int
    more_harmed: int


def headline(board: Board) -> Headline | None:
    """Return the headline of a board, None without a ranked row."""
    if not board.rows:
        return None
    summaries = [row.summary for row in board.rows]
    pairs = renumbered(pair for summary in summaries for pair in summary.pairs)
    found = lift([pair.score for pair in pairs])
    rows = [row for row in case_rows(pairs) if row.gain is not None]
    helped = sorted((r for r in rows if gain(r) >= 0.05), key=lambda row: (-gain(row), row.case))
    harmed = sorted((r for r in rows if gain(r) <= -0.05), key=lambda row: (gain(row), row.case))
    runs = [session.header.plan.runs for summary in summaries for session in summary.sessions]
    return Headline(
        agents=len({summary.cell.agent for summary in summaries}),
        cells=len(summaries),
        sessions=sum(len(summary.sessions) for summary in summaries),
        runs=(min(runs), max(runs)),
        lift=found,
        speed=speedup([pair.time for pair in pairs]),
        verdict=verdict(found, margin=board.margin),
        helped=tuple(helped[:SHOWN]),
        harmed=tuple(harmed[:SHOWN]),
        unmoved=len(rows) - len(helped) - len(harmed),
        more_helped=max(0, len(helped) - SHOWN),
        more_harmed=max(0, len(harmed) - SHOWN),
    )


def gain(row: CaseRow) -> float:
    """Return a case's gain, which the caller knows to be there."""
    return 0.0 if row.gain is None else row.gain


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
