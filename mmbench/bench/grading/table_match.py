"""A table that an agent wrote against the true one: row by row by key, cell by cell, precision and recall.

Each true row is matched to at most one written row with the same key. A match
is worth the weighted share of its other cells that are right. With V the sum
of these worths, T true rows and W written ones, the score is the F1 measure
2V / (T + W): a missing row costs recall, an extra or doubled one precision, a
wrong cell both. Where rows must be `ordered`, it is multiplied by the longest
run of matched rows that is in order, as a share of the matched ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mmbench.bench.grading.answer import listed
from mmbench.bench.grading.artifact import SOURCE, at_pointer, name_key, written
from mmbench.bench.grading.base import CheckFailedToRun, Finding, KindSpec, Params, Refused
from mmbench.bench.grading.cells import Column, Type, as_text, forms, is_same
from mmbench.bench.grading.look import Look
from mmbench.bench.grading.numbers import to_decimal
from mmbench.bench.grading.params import TEXT, TOLERANCE, described, flag
from mmbench.bench.grading.tables import Cell, Document, records

MAX_TITLE_ROWS = 20
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Match:
    """A true row and the written one that has its key: indices, worth in 0..1, and the columns that are wrong."""

    truth: int
    found: int
    worth: float
    wrong: tuple[str, ...]


def table_match(p: Params, look: Look) -> Finding:
    """Score a CSV, TSV, JSON, JSON Lines or XLSX table against the true rows: F1 of rows weighted by right cells.

    Columns are found by name or alias whatever their case and punctuation, in
    any order. Rows are matched by their keys.
    """
    path = written(p["path"], look)
    keys, others = _columns(p)
    rows = _rows(look.document(path, p["format"], p["sheet"]), p, [*keys, *others])
    matches = match_rows(p["truth"], rows, keys, others)
    worth = sum(match.worth for match in matches)
    total = len(p["truth"]) + (len(rows) if p["extra_rows_cost"] else len(p["truth"]))
    score = min(1.0, 2 * worth / total)
    if p["ordered"]:
        score *= _in_order(matches)
    return Finding(score, _reason(path, p["truth"], rows, matches, keys))


def match_rows(
    truth: Sequence[Row], found: Sequence[Row], keys: Sequence[Column], others: Sequence[Column]
) -> list[Match]:
    """Match each written row, in order, to the free true row with its key that it fits best."""
    index: dict[Any, list[int]] = defaultdict(list)
    for number, row in enumerate(truth):
        for form in forms(row.get(keys[0].name), keys[0]):
            index[form].append(number)
    free, matches = set(range(len(truth))), []
    for number, row in enumerate(found):
        near = sorted({i for form in forms(row.get(keys[0].name), keys[0]) for i in index[form]} & free)
        same = [
            i for i in near if all(is_same(row.get(key.name), truth[i].get(key.name), key) for key in keys)
        ]
        if same:
            best = max(
                (_compare(truth[i], row, i, number, others) for i in same), key=lambda m: (m.worth, -m.truth)
            )
            free.remove(best.truth)
            matches.append(best)
    return matches


def _compare(truth: Row, found: Row, at: int, number: int, columns: Sequence[Column]) -> Match:
    asked = [column for column in columns if column.name in truth]
    wrong = [column for column in asked if not is_same(found.get(column.name), truth[column.name], column)]
    weight = sum(column.weight for column in asked)
    lost = sum(column.weight for column in wrong)
    return Match(at, number, 1 - lost / weight if weight else 1.0, tuple(column.name for column in wrong))


def _columns(p: Params) -> tuple[list[Column], list[Column]]:
    """Return the key columns and the others, with the types that are given or that the true values show."""
    names = list(dict.fromkeys(name for row in p["truth"] for name in row))
    unknown = [name for name in [*p["keys"], *p["columns"]] if name not in names]
    if unknown:
        raise CheckFailedToRun(f"table_match: the truth has no column {', '.join(unknown)}")
    columns = {name: _column(name, p) for name in names}
    if any(columns[name].type == "contains" for name in p["keys"]):
        raise CheckFailedToRun("table_match: a key is found by equality, it cannot be of type contains")
    return [columns[name] for name in p["keys"]], [columns[name] for name in names if name not in p["keys"]]


def _column(name: str, p: Params) -> Column:
    given = p["columns"].get(name, {})
    return Column(
        name=name,
        type=given.get("type") or _type_of([row[name] for row in p["truth"] if row.get(name) is not None]),
        tolerance=to_decimal(given.get("tolerance", 0)),
        aliases=tuple(given.get("aliases", ())),
        weight=given.get("weight", 1.0),
    )


def _type_of(values: Sequence[Any]) -> Type:
    first = (
        values[0][0] if values and isinstance(values[0], list) and values[0] else values[0] if values else ""
    )
    if isinstance(first, bool):
        return "boolean"
    return "number" if isinstance(first, (int, float)) else "text"


def _rows(document: Document, p: Params, columns: Sequence[Column]) -> list[dict[str, Cell]]:
    """Return the rows of a document by the names of the wanted columns."""
    wanted = {name_key(alias): column.name for column in columns for alias in (*column.aliases, column.name)}
    if document.format in ("json", "jsonl"):
        value = at_pointer(document.value, p["pointer"]) if p["pointer"] is not None else document.value
        return [_renamed(record, wanted) for record in records(value)]
    if document.format == "text":
        raise Refused(f"{p['path']} is a text, not a table.")
    need = {name_key(alias): key for key in p["keys"] for alias in _names(columns, key)}
    for at, row in enumerate(document.rows[:MAX_TITLE_ROWS]):
        header = [name_key(as_text(cell)) for cell in row]
        if {need[name] for name in header if name in need} == set(p["keys"]):
            return [
                _renamed(dict(zip(header, cells, strict=False)), wanted) for cells in document.rows[at + 1 :]
            ]
    first = listed([as_text(cell) for cell in document.rows[0]]) if document.rows else "nothing"
    raise Refused(f"{p['path']} has no header with {listed(p['keys'])}; its first row is {first}.")


def _names(columns: Sequence[Column], name: str) -> tuple[str, ...]:
    column = next(column for column in columns if column.name == name)
    return (*column.aliases, column.name)


def _renamed(record: Any, wanted: Mapping[str, str]) -> dict[str, Cell]:
    if not isinstance(record, dict):
        return {}
    return {wanted[name]: value for key, value in record.items() if (name := name_key(key)) in wanted}


def _in_order(matches: Sequence[Match]) -> float:
    """Return the longest increasing run of true rows among the matched ones, as a share of them."""
    ends: list[int] = []
    for match in sorted(matches, key=lambda match: match.found):
        at = bisect_left(ends, match.truth)
        ends[at : at + 1] = [match.truth]
    return len(ends) / len(matches) if matches else 0.0


def _reason(
    path: str, truth: Sequence[Row], rows: Sequence[Row], matches: Sequence[Match], keys: Sequence[Column]
) -> str:
    missing = sorted(set(range(len(truth))) - {match.truth for match in matches})
    parts = [f"{path} has {len(matches)} of {len(truth)} rows and {len(rows) - len(matches)} others"]
    if missing:
        parts.append(f"missing: {listed([_key(truth[i], keys) for i in missing])}")
    wrong = [f"{name} of {_key(truth[m.truth], keys)}" for m in matches for name in m.wrong]
    if wrong:
        parts.append(f"wrong: {listed(wrong)}")
    return "; ".join(parts) + "."


def _key(row: Row, keys: Sequence[Column]) -> str:
    return " / ".join(as_text(row.get(key.name)) for key in keys)


_CELL = {
    "type": ["string", "number", "boolean", "null", "array"],
    "items": {"type": ["string", "number", "boolean"]},
}
_COLUMN = {
    "type": "object",
    "properties": {
        "type": {"enum": ["text", "contains", "number", "date", "file", "boolean"]},
        "tolerance": described(TOLERANCE, "Largest difference of numbers; of dates, in days."),
        "aliases": {"type": "array", "items": TEXT},
        "weight": {"type": "number", "minimum": 0},
    },
    "additionalProperties": False,
}

KINDS = {
    "table_match": KindSpec(
        table_match,
        {
            **SOURCE,
            "pointer": {
                "type": "string",
                "pattern": "^(/[^/]*)*$",
                "description": "Where the records are in JSON.",
            },
            "truth": {
                "type": "array",
                "items": {"type": "object", "additionalProperties": _CELL, "minProperties": 1},
                "minItems": 1,
                "maxItems": 5000,
                "description": "The true rows; a list holds alternatives, null wants an empty cell.",
            },
            "keys": {
                "type": "array",
                "items": TEXT,
                "minItems": 1,
                "uniqueItems": True,
                "description": "Columns to match by.",
            },
            "columns": {
                "type": "object",
                "additionalProperties": _COLUMN,
                "default": {},
                "description": "How columns are compared, where their true values do not show it.",
            },
            "ordered": flag("The rows must stand in the order of the truth."),
            "extra_rows_cost": flag("Rows that are not in the truth lower the score.", default=True),
        },
        ("path", "truth", "keys"),
    ),
}
