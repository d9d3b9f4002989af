"""Tables of cases for people and programs."""

from __future__ import annotations

import json

from mmbench.case import Case, load_suite
from mmbench.layout import Project

COLUMNS = ("case", "archetype", "difficulty", "modality", "mm commands", "needs", "title")


def cases(where: Project, suite: str, *, as_json: bool = False) -> str:
    """Return the cases of a suite as an aligned table, or as JSON."""
    loaded = load_suite(where.cases, suite)
    rows = [_row(case) for case in loaded.cases]
    if as_json:
        return json.dumps(
            [dict(zip(COLUMNS, row, strict=True)) for row in rows], indent=2, ensure_ascii=False
        )
    widths = [max(len(row[index]) for row in [COLUMNS, *rows]) for index in range(len(COLUMNS) - 1)]
    lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
             for row in [COLUMNS, *rows]]  # fmt: skip
    return "\n".join([*lines, f"\n{len(rows)} cases over the dataset {loaded.dataset}"])


def _row(case: Case) -> tuple[str, ...]:
    document = case.document
    return (
        case.id,
        document["archetype"],
        document["difficulty"],
        ", ".join(document["modality"]),
        ", ".join(document["mm_commands"]),
        ", ".join(sorted(case.needs)),
        document["title"],
    )
