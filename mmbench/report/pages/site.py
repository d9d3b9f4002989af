"""What every page can see, and where every page lies."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from mmbench import cleanup, trust
from mmbench.cleanup import Removal
from mmbench.layout import is_name
from mmbench.records import TrialKey
from mmbench.report.lines import Cell
from mmbench.report.model import Case, Results, Session
from mmbench.report.tables.board import Board, boards
from mmbench.report.tables.facets import View, views
from mmbench.report.tables.headline import Headline, headline
from mmbench.report.tables.summary import Summary, summarise
from mmbench.trust import Measured

TRIAL_PAGES = 2000
"""How many trials get a page of their own: those of the newest sessions, and always one session's."""


def cell_path(cell: Cell) -> str:
    """Return the address of a cell's page."""
    return f"cell/{cell.agent}/{cell.profile}.html"


def session_path(session: str, number: int = 1) -> str:
    """Return the address of a session's page, or of one of its later parts."""
    return f"session/{session}.html" if number == 1 else f"session/{session}/{number}.html"


def trial_path(session: str, key: TrialKey) -> str:
    """Return the address of a trial's page."""
    return f"trial/{session}/{key.case}/{key.arm}-{key.run}.html"


def case_path(case: str) -> str:
    """Return the address of a case's page."""
    return f"case/{case}.html"


def method_path(key: str) -> str:
    """Return the address of a method's leaderboard."""
    return f"method/{key}.html"


@dataclass(frozen=True)
class Site:
    """The results and what follows from them."""

    results: Results

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        """Return the leaderboards, the current one first."""
        return boards(self.results)

    @cached_property
    def cells(self) -> dict[Cell, list[Session]]:
        """Return the sessions of each cell, newest first."""
        found: defaultdict[Cell, list[Session]] = defaultdict(list)
        for session in reversed(self.results.sessions):
            found[session.cell].append(session)
        return dict(sorted(found.items()))

    @cached_property
    def by_session(self) -> dict[str, Summary]:
        """Return the summary of each session alone."""
        return {session.id: summarise(self.results, [session]) for session in self.results.sessions}

    @cached_property
    def removals(self) -> dict[str, tuple[Removal, ...]]:
        """Return what was removed of each session besides its records, oldest first; nothing is left out."""
        logged = {path.stem for path in cleanup.logs(self.results.root)}
        root, sessions = self.results.root, self.results.sessions
        return {s.id: cleanup.read(root, s.id) if s.id in logged else () for s in sessions}

    @cached_property
    def measured(self) -> tuple[Measured, ...]:
        """Return how far judges agree with people, newest first."""
        return trust.read(self.results.root)

    @cached_property
    def detailed(self) -> frozenset[str]:
        """Return the sessions whose trials have pages."""
        chosen: set[str] = set()
        left = TRIAL_PAGES
        for session in reversed(self.results.sessions):
            count = len(session.header.plan.schedule)
            if chosen and count > left:
                break
            chosen.add(session.id)
            left -= count
        return frozenset(chosen)

    @cached_property
    def known(self) -> dict[str, str]:
        """Return the hash of the newest form of every case whose content is there, by id."""
        found: dict[str, str] = {}
        for session in self.results.sessions:
            found |= {n: digest for n, digest in session.header.cases.items() if digest in self.results.cases}
        return dict(sorted(found.items()))

    @cached_property
    def cases(self) -> dict[str, Case]:
        """Return the newest form of every case, by id."""
        return {name: self.results.cases[digest] for name, digest in self.known.items()}

    @cached_property
    def headline(self) -> Headline | None:
        """Return the headline of the current leaderboard."""
        return headline(self.boards[0]) if self.boards else None

    @cached_property
    def views(self) -> list[View]:
        """Return the parts of the current leaderboard whose names may stand in an address."""
        board = self.boards[0] if self.boards else None
        return [view for view in views(board, self.cases) if is_name(view.value)] if board else []
