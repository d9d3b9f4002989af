"""One page per cell: its newest figures, earlier subjects, its sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from mmbench import jsontext
from mmbench.report.assembly import Group
from mmbench.report.charts import percase, trend
from mmbench.report.charts.figure import Figure
from mmbench.report.lines import AgentFacts, Cell, Subject
from mmbench.report.model import Session
from mmbench.report.pages.site import Site, cell_path
from mmbench.report.render import Page
from mmbench.report.stats.decision import Verdict, verdict
from mmbench.report.tables.board import Row
from mmbench.report.tables.summary import Summary

DETAILED, CASES = 3, 150
"""How many subjects have their cases on the page, and how many cases; the data files hold them all."""


Part = tuple[Summary, Verdict]


def pages(site: Site) -> Iterator[Group]:
    """Yield the page of every cell."""
    rows: dict[Cell, list[Row]] = {}
    for board in site.boards:
        for row in (*board.rows, *board.references):
            rows.setdefault(row.summary.cell, []).append(row)
    for cell, sessions in site.cells.items():
        found = [(row.summary, row.verdict) for row in rows[cell]]
        found += [(old, verdict(old.lift, margin=old.margin)) for row in rows[cell] for old in row.older]
        found.sort(key=lambda part: part[0].newest.order, reverse=True)
        make = partial(_cell, site, cell, sessions, rows[cell][0].summary, found)
        yield Group(f"cell {cell.agent}/{cell.profile}", _key(site, sessions, found), make)


def _key(site: Site, sessions: Sequence[Session], parts: Sequence[Part]) -> str:
    """Return a hash of all that a cell's page follows from."""
    figures = [[summary.identity, str(call)] for summary, call in parts]
    return jsontext.digest([figures, [site.results.key(session) for session in sessions], site.known])


def _cell(
    site: Site, cell: Cell, sessions: Sequence[Session], newest: Summary, parts: Sequence[Part]
) -> Iterator[Page]:
    figures = _figures(site, sessions, newest)
    context = {
        "cell": cell,
        "reference": all(session.reference for session in sessions),
        "parts": [_part(summary, call, index) for index, (summary, call) in enumerate(parts)],
        "sessions": [site.by_session[session.id] for session in sessions],
        "cases": site.cases,
        "figures": figures,
    }
    yield Page(cell_path(cell), "cell.html", context, tuple(figures))


def _figures(site: Site, sessions: Sequence[Session], newest: Summary) -> list[Figure]:
    """Return the trend of a cell and its newest figures by case."""
    history = trend.trend([[site.by_session[session.id] for session in reversed(sessions)]])
    cases = percase.per_case(newest.case_rows, over="all runs of the newest figures")
    return [figure for figure in (history, cases) if figure is not None]


def _part(summary: Summary, call: Verdict, number: int) -> dict[str, Any]:
    detailed = number < DETAILED
    title = "Newest figures" if number == 0 else f"Until {summary.newest.started[:10]}"
    return {
        "summary": summary,
        "title": title,
        "verdict": call,
        "further": summary.further,
        "subject": describe(summary.subject, reference=summary.newest.reference),
        "key": summary.method[:12],
        "rows": summary.case_rows[:CASES] if detailed else [],
    }


def describe(subject: Subject, *, reference: bool) -> str:
    """Return one line that names what was measured."""
    agent, profile = subject.agent, subject.profile
    backend = profile.model or "no model"
    return f"{named(agent, reference=reference)}; mm {subject.mm.version} with {backend} ({profile.kind})"


def named(agent: AgentFacts, *, reference: bool) -> str:
    """Return an agent with its version and model; reference agents are built in and have neither."""
    if reference:
        return f"{agent.name}, built in"
    return f"{agent.name} {agent.version or '(version unknown)'} with {agent.model or 'its default model'}"
