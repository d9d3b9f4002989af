"""The list of cases, and one page per case with what every agent made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mmbench.records import TrialKey
from mmbench.report.model import Case
from mmbench.report.pages.site import Site, case_path, trial_path
from mmbench.report.render import Page
from mmbench.report.tables.arms import NAMES, FurtherArms
from mmbench.report.tables.board import Row
from mmbench.report.tables.cases import CaseRow
from mmbench.report.text import excerpt
from mmbench.scoring import PASS_THRESHOLD

TEXT = 30_000
"""Bytes of each text on a case's page; the data files hold it whole."""


def pages(site: Site) -> Iterator[Page]:
    """Yield the list and the page of every case."""
    yield Page("cases.html", "cases.html", {"cases": list(site.cases.values())})
    board = site.boards[0] if site.boards else None
    rows = (*board.rows, *board.references) if board else ()
    figures = [(row, {r.case: r for r in row.summary.case_rows}, _scheduled(row)) for row in rows]
    for case in site.cases.values():
        made = [
            _row(site, row, found.get(case.id) or CaseRow.unpaired(case.id))
            for row, found, ran in figures
            if case.id in found or case.id in ran
        ]
        context = _context(case) | {"rows": made, "further": _further(site, case.id)}
        yield Page(case_path(case.id), "case.html", context)


def _context(case: Case) -> dict[str, Any]:
    return {
        "case": case,
        "threshold": PASS_THRESHOLD if case.threshold is None else case.threshold,
        "prompt": excerpt(case.prompt, TEXT)[0],
        "truth": excerpt(pretty(case.ground_truth), TEXT)[0],
        "solutions": [(arm, excerpt(text, TEXT)[0]) for arm, text in sorted(case.solutions.items())],
        "checks": [_check(check) for check in case.checks],
        "words": list(dict.fromkeys((case.archetype, case.difficulty, *case.modality, *case.tags))),
    }


def _check(check: dict[str, Any]) -> dict[str, Any]:
    params = {name: value for name, value in check.items() if name not in ("kind", "weight")}
    return {
        "kind": check.get("kind", "?"),
        "weight": check.get("weight", 1),
        "params": excerpt(pretty(params), TEXT // 4)[0] if params else "",
    }


def pretty(value: Any) -> str:
    """Write JSON for people."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _row(site: Site, row: Row, figures: CaseRow) -> dict[str, Any]:
    summary = row.summary
    newest = summary.newest
    schedule = newest.header.plan.schedule if newest.id in site.detailed else ()
    keys = [entry for entry in schedule if entry.case == figures.case]
    links = [
        {
            "path": trial_path(newest.id, TrialKey(entry.case, entry.arm, entry.run)),
            "text": f"{_ARMS.get(entry.arm, entry.arm)} {entry.run}",
        }
        for entry in sorted(keys, key=lambda entry: (entry.run, entry.arm != "without_mm"))
    ]
    return {
        "cell": summary.cell,
        "reference": newest.reference,
        "figures": figures,
        "links": links,
    }


def _scheduled(row: Row) -> set[str]:
    """Return the cases that a cell's newest session ran, those with one arm alone too."""
    return {trial.key.case for trial in row.summary.newest.trials}


_ARMS = {"without_mm": "without", "with_mm": "with"}


def _further(site: Site, case: str) -> list[dict[str, Any]]:
    """Return what the case came to in every arm, for the agents that ran further arms under any method."""
    rows = [row for board in site.boards for row in (*board.rows, *board.references)]
    found = [(row.summary, row.summary.further) for row in rows]
    return [
        {"cell": summary.cell, "session": summary.newest, "arms": _every(further, case)}
        for summary, further in found
        if any(case in arm.by_case for arm in further.arms)
    ]


def _every(further: FurtherArms, case: str) -> list[float | None]:
    values = {arm.arm: arm.by_case.get(case) for arm in further.arms}
    return [values.get(arm) for arm in NAMES]
