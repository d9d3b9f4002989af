"""Cells compared by what they mean: numbers, dates, files, yes and no, texts."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from mmbench.bench.grading.clean import fold_name, fold_text, has_phrase
from mmbench.bench.grading.dates import read_dates
from mmbench.bench.grading.numbers import is_equal, read_number, to_decimal
from mmbench.bench.grading.tables import Cell

Type = Literal["text", "contains", "number", "date", "file", "boolean"]
_YES, _NO = (
    frozenset({"yes", "y", "true", "1", "x", "✓", "✔"}),
    frozenset({"no", "n", "false", "0", "", "✗", "✘"}),
)
_NOTHING = frozenset({"", "-", "n/a", "na", "none", "null", "unknown"})


@dataclass(frozen=True, slots=True)
class Column:
    """How one column of a table is compared."""

    name: str
    type: Type
    tolerance: Decimal = Decimal(0)
    """Largest difference of numbers; of dates, in days."""
    aliases: tuple[str, ...] = ()
    weight: float = 1.0


def is_same(found: Cell, wanted: Any, column: Column) -> bool:
    """Say whether a cell means what is wanted; a list of wanted values holds alternatives, null wants nothing there."""
    if isinstance(wanted, list):
        return any(is_same(found, one, column) for one in wanted)
    if wanted is None:
        return fold_text(as_text(found)) in _NOTHING
    if column.type == "number":
        return any(is_equal(value, to_decimal(wanted), column.tolerance) for value in numbers_of(found))
    if column.type == "date":
        return any(abs((a - b).days) <= column.tolerance for a in dates_of(found) for b in dates_of(wanted))
    return _is_same_text(as_text(found), wanted, column.type)


def _is_same_text(found: str, wanted: Any, kind: Type) -> bool:
    if kind == "file":
        return is_same_file(found, str(wanted))
    text = fold_text(found)
    if kind == "boolean":
        return text in (_YES if wanted else _NO)
    return text == fold_text(str(wanted)) or (kind == "contains" and has_phrase(text, fold_text(str(wanted))))


def forms(cell: Any, column: Column) -> frozenset[Any]:
    """Return the hashable forms by which a key cell is looked up; two cells with a form in common are the same key."""
    if isinstance(cell, list):
        return frozenset().union(*(forms(one, column) for one in cell))
    if column.type == "number":
        return frozenset(value.normalize() for value in numbers_of(cell))
    if column.type == "date":
        return frozenset(dates_of(cell))
    if column.type == "file":
        return frozenset({_path(as_text(cell)).rpartition("/")[2]})
    text = fold_text(as_text(cell))
    return frozenset({text}) if column.type != "boolean" else frozenset({text in _YES})


def is_same_file(found: str, wanted: str) -> bool:
    """Say whether two paths name one file: equal, or one the end of the other at a folder's border."""
    a, b = _path(found), _path(wanted)
    return bool(a and b) and (a == b or a.endswith(f"/{b}") or b.endswith(f"/{a}"))


def as_text(cell: Any) -> str:
    """Return a cell as text; whole floats without their point, nothing as the empty text."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def numbers_of(cell: Any) -> frozenset[Decimal]:
    """Return the values a cell may stand for as a number."""
    if isinstance(cell, bool) or cell is None:
        return frozenset()
    return read_number(str(cell)) if isinstance(cell, str) else frozenset({to_decimal(cell)})


def dates_of(cell: Any) -> frozenset[dt.date]:
    """Return the dates a cell may stand for."""
    return read_dates(as_text(cell))


def _path(text: str) -> str:
    return fold_name(text).strip().replace("\\", "/").removeprefix("./").strip("/`\"'")
