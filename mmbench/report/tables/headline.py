"""The one sentence of the home page, worked out from a board: what mm did over all its agents."""

from __future__ import annotations

from dataclasses import dataclass

from mmbench.report.stats.decision import Verdict, verdict
from mmbench.report.stats.effect import Lift
from mmbench.report.stats.speed import Speedup
from mmbench.report.tables.board import Board
from mmbench.report.tables.cases import CaseRow

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
    pool = board.pool
    rows = [row for row in pool.case_rows if row.gain is not None]
    helped = sorted((r for r in rows if gain(r) >= 0.05), key=lambda row: (-gain(row), row.case))
    harmed = sorted((r for r in rows if gain(r) <= -0.05), key=lambda row: (gain(row), row.case))
    runs = [session.header.plan.runs for summary in summaries for session in summary.sessions]
    return Headline(
        agents=len({summary.cell.agent for summary in summaries}),
        cells=len(summaries),
        sessions=sum(len(summary.sessions) for summary in summaries),
        runs=(min(runs), max(runs)),
        lift=pool.lift,
        speed=pool.speed,
        verdict=verdict(pool.lift, margin=board.margin),
        helped=tuple(helped[:SHOWN]),
        harmed=tuple(harmed[:SHOWN]),
        unmoved=len(rows) - len(helped) - len(harmed),
        more_helped=max(0, len(helped) - SHOWN),
        more_harmed=max(0, len(harmed) - SHOWN),
    )


def gain(row: CaseRow) -> float:
    """Return a case's gain, which the caller knows to be there."""
    return 0.0 if row.gain is None else row.gain
