"""The pages that explain: how it is measured, how far to trust the judge, where the data are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mmbench.report.pages.site import Site, session_path, trial_path
from mmbench.report.render import File, Page
from mmbench.report.tables.judging import Judge, judges, judging
from mmbench.trust import Measured

SESSIONS, GROUPS = 10, 40
"""Sessions of a judge, and rows of a table of figures, that the page shows."""


def pages(site: Site) -> Iterator[Page | File]:
    """Yield them."""
    yield Page("how.html", "how.html")
    yield Page("judge.html", "judge.html", _judges(site))
    for one in site.measured:
        yield File(
            f"data/judge/{one.name}.json", (site.results.root / "judge" / f"{one.name}.json").read_bytes()
        )
    sessions = list(reversed(site.results.sessions))
    context = {"sessions": sessions, "cells": list(site.cells), "measured": site.measured}
    yield Page("data.html", "data.html", context)


def _judges(site: Site) -> dict[str, Any]:
    found = judging([site.by_session[s.id] for s in site.results.sessions if not s.reference])
    used = judges(site.results.sessions, site.measured)
    known = {one.name for judge in used for one in (*judge.measured, *judge.related)}
    return {
        "judging": found,
        "rows": [
            {
                "item": item,
                "path": trial_path(item.session.id, item.trial.key)
                if item.session.id in site.detailed
                else None,
            }
            for item in (found.disagreements if found else ())
        ],
        "judges": [_judge(judge) for judge in used],
        "unused": [_measured(one) for one in site.measured if one.name not in known],
    }


def _judge(judge: Judge) -> dict[str, Any]:
    return {
        "judge": judge,
        "measured": [_measured(one) for one in judge.measured],
        "related": [_measured(one) for one in judge.related],
        "sessions": [
            {"path": session_path(session.id), "session": session} for session in judge.sessions[:SESSIONS]
        ],
        "more": max(0, len(judge.sessions) - SESSIONS),
    }


def _measured(one: Measured) -> dict[str, Any]:
    """Return one file of figures as rows: all of it first, then each part of it."""
    figures = one.figures
    if one.kind == "accuracy":
        groups = {"task": "Task", "prompt source": "Source of the prompt", "model pair": "Pair of models"}
        whole: dict[str, Any] = figures["overall"]
    else:
        groups = {"archetype": "Kind of case", "modality": "Kind of files"}
        whole = figures
    parts = [(label, _rows(figures["by"][name])) for name, label in groups.items()]
    return {
        "one": one,
        "whole": whole,
        "parts": [
            (label, rows) for label, rows in parts if len(rows) > 1 or label in ("Task", "Kind of case")
        ],
    }


def _rows(found: dict[str, Any]) -> list[tuple[str, Any]]:
    named = [(name, row) for name, row in found.items() if name]
    return named[:GROUPS]
