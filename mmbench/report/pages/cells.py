"""One page per cell: its newest figures, earlier subjects, its sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mmbench.report.lines import Cell, Subject
from mmbench.report.pages.site import Site, cell_path
from mmbench.report.render import Page
from mmbench.report.tables.board import Row
from mmbench.report.tables.cases import case_rows
from mmbench.report.tables.summary import Summary


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of every cell."""
    rows: dict[Cell, list[Row]] = {}
    for board in site.boards:
        for row in (*board.rows, *board.references):
            rows.setdefault(row.summary.cell, []).append(row)
    for cell, sessions in site.cells.items():
        summaries = [summary for row in rows[cell] for summary in (row.summary, *row.older)]
        context = {
            "cell": cell,
            "reference": all(session.reference for session in sessions),
            "parts": [_part(summary, index == 0) for index, summary in enumerate(summaries)],
            "sessions": [site.by_session[session.id] for session in sessions],
            "cases": site.cases,
        }
        yield Page(cell_path(cell), "cell.html", context)


def _part(summary: Summary, newest: bool) -> dict[str, Any]:
    title = "Newest figures" if newest else f"Until {summary.newest.started[:10]}"
    return {
        "summary": summary,
        "title": title,
        "subject": describe(summary.subject),
        "key": summary.method[:12],
        "rows": case_rows(summary.pairs),
    }


def describe(subject: Subject) -> str:
    """Return one line that names what was measured."""
    agent, profile = subject.agent, subject.profile
    named = f"{agent.name} {agent.version or '(version unknown)'}"
    model = agent.model or "its default model"
    backend = profile.model or "no model"
    return f"{named} with {model}; mm {subject.mm.version} with {backend} ({profile.kind})"
