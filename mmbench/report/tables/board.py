"""The leaderboard of one method: one row per cell, a rank only where one is earned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mmbench.report.lines import Cell, Method, Subject
from mmbench.report.model import Results, Session
from mmbench.report.stats.decision import Verdict, verdicts
from mmbench.report.stats.ranking import Rank, Ranked, ranking
from mmbench.report.tables.pool import Pool
from mmbench.report.tables.summary import Summary, summarise

LEGACY = "taken over from an older store, whose method is not known"


@dataclass(frozen=True, slots=True)
class Row:
    """One cell of a leaderboard: its newest subject, and what else there is."""

    summary: Summary
    rank: Rank | None
    verdict: Verdict
    """On the lift, held against all rows of the board."""
    reasons: tuple[str, ...]
    """Why it cannot be ranked, as far as it lies in the row itself."""
    older: tuple[Summary, ...] = ()
    """The same cell with earlier versions of the agent, its model or mm."""


@dataclass(frozen=True)
class Board:
    """All cells under one method, and whether they may be ranked."""

    method: Method
    suite: str
    rows: tuple[Row, ...]
    references: tuple[Row, ...]
    reasons: tuple[str, ...]
    """Why there is no ranking; empty when there is one."""
    newest: str
    """Time of its newest session."""
    margin: float
    """Equivalence margin in points, as the newest plan declares it."""

    @cached_property
    def pool(self) -> Pool:
        """Return all its ranked cells together."""
        return Pool(self.rows[0].summary.memo, tuple(row.summary for row in self.rows))

    @property
    def width(self) -> int:
        """Return how many cases its ranked cells were scheduled to do, together."""
        return len(frozenset[str]().union(*(row.summary.cases for row in self.rows)))

    @property
    def comparable(self) -> bool:
        """Tell whether its rows are ranked."""
        return not self.reasons

    @property
    def key(self) -> str:
        """Return the short form of the method hash that stands in addresses."""
        return self.method.hash[:12]


def boards(results: Results) -> tuple[Board, ...]:
    """Return one board per method, the one with the newest ranked session first.

    One over less than half as many cases as another is a trial of something, and does not lead.
    """
    methods: defaultdict[str, list[Session]] = defaultdict(list)
    for session in results.sessions:
        methods[session.method].append(session)
    made = [_board(results, sessions) for sessions in methods.values()]
    widest = max((board.width for board in made), default=0)
    return tuple(
        sorted(
            made, key=lambda board: (2 * board.width >= max(1, widest), board.newest, board.key), reverse=True
        )
    )


def _board(results: Results, sessions: Sequence[Session]) -> Board:
    ranked = _cells(results, [session for session in sessions if not session.reference])
    references = _cells(results, [session for session in sessions if session.reference])
    reasons = _reasons(ranked)
    rows = _ranked(ranked) if ranked and not reasons else ranked
    newest = max(sessions, key=lambda session: session.order)
    return Board(
        newest.header.method,
        newest.header.plan.suite,
        tuple(sorted(rows, key=_place)),
        references,
        reasons,
        max((s for s in sessions if not s.reference), key=lambda s: s.order, default=newest).started,
        newest.header.plan.margin,
    )


def over(board: Board, cases: frozenset[str]) -> Board:
    """Return a leaderboard over some of its cases, with verdicts and places of its own."""
    rows = [replace(row, summary=row.summary.of(cases), older=()) for row in board.rows]
    rows = [row for row in rows if row.summary.scheduled]
    calls = verdicts({_name(row): row.summary.lift for row in rows}, margin=board.margin) if rows else {}
    made = [replace(r, verdict=calls[_name(r)], reasons=row_reasons(r.summary), rank=None) for r in rows]
    reasons = _reasons(made)
    ranked = _ranked(made) if made and not reasons else tuple(made)
    return replace(board, rows=tuple(sorted(ranked, key=_place)), references=(), reasons=reasons)


def _margin(sessions: Sequence[Session]) -> float:
    return max(sessions, key=lambda session: session.order).header.plan.margin


def _cells(results: Results, sessions: Sequence[Session]) -> tuple[Row, ...]:
    """Return a row for each cell, of its newest subject."""
    cells: defaultdict[Cell, dict[Subject, list[Session]]] = defaultdict(dict)
    for session in sessions:
        cells[session.cell].setdefault(session.subject, []).append(session)
    subjects = {
        cell: sorted((summarise(results, g) for g in cells[cell].values()), key=lambda s: s.newest.order)
        for cell in sorted(cells)
    }
    lifts = {f"{cell.agent}/{cell.profile}": found[-1].lift for cell, found in subjects.items()}
    calls = verdicts(lifts, margin=_margin(sessions)) if lifts else {}
    return tuple(
        Row(
            newest,
            None,
            calls[f"{cell.agent}/{cell.profile}"],
            row_reasons(newest),
            tuple(reversed(older)),
        )
        for cell, (*older, newest) in subjects.items()
    )


def row_reasons(summary: Summary) -> tuple[str, ...]:
    """Say what a row lacks for a ranking."""
    gaps, pairs = summary.gaps, summary.scheduled // 2
    reasons = []
    if gaps.missing:
        reasons.append(f"not yet run: {gaps.missing} of {pairs} scheduled pairs")
    if gaps.unjudged:
        reasons.append(f"without a verdict: {gaps.unjudged} of {pairs} pairs")
    if gaps.bare:
        reasons.append(f"no sound pair for {', '.join(gaps.bare[:5])}{' …' if len(gaps.bare) > 5 else ''}")
    return tuple(reasons)


def _reasons(rows: Sequence[Row]) -> tuple[str, ...]:
    """Say why rows of one method cannot be ranked."""
    legacy = any(row.summary.newest.header.method.legacy for row in rows)
    reasons = [LEGACY] if legacy else []
    reasons += [f"{_name(row)}: {reason}" for row in rows for reason in row.reasons]
    everything = frozenset().union(*(row.summary.cases for row in rows)) if rows else frozenset()
    for row in rows:
        lacking = sorted(everything - row.summary.cases)
        if lacking:
            reasons.append(
                f"{_name(row)} does not cover {', '.join(lacking[:5])}{' …' if lacking[5:] else ''}"
            )
    if rows and any(row.summary.lift.interval is None for row in rows):
        reasons.append("some lift has no interval, so places cannot be told apart")
    return tuple(reasons)


def _name(row: Row) -> str:
    return f"{row.summary.cell.agent} · {row.summary.cell.profile}"


def _ranked(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Give each row the range of places that its lift interval allows."""
    lifts = {_name(row): row.summary.lift for row in rows}
    ranks = {rank.name: rank for rank in ranking(Ranked(n, x.point, x.low, x.high) for n, x in lifts.items())}
    return tuple(replace(row, rank=ranks[_name(row)]) for row in rows)


def _place(row: Row) -> tuple[float, Cell]:
    point = row.summary.lift.point
    return (float("inf") if point is None else -point, row.summary.cell)
