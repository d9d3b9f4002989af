"""Checks of the files that agents write: there, well-formed, and holding what they should."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from mmbench.bench.grading.answer import TEXT_PARAMS, TEXT_RULES, weigh
from mmbench.bench.grading.base import KIND_NAMES, Finding, KindSpec, Params, Refused
from mmbench.bench.grading.clean import fold_text, has_phrase
from mmbench.bench.grading.look import Look
from mmbench.bench.grading.numbers import find_numbers, is_near, to_decimal
from mmbench.bench.grading.params import COUNT, FORMAT, PATH, TEXT, TOLERANCE, described, flag
from mmbench.bench.grading.tables import FORMATS, Cell, Document, records

_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_TEXTS = frozenset(
    ("txt", "md", "html", "htm", "xml", "svg", "srt", "vtt", "yaml", "yml", "log", "eml", "ics")
)


def artifact_exists(p: Params, look: Look) -> Finding:
    """Score 1 when the agent wrote the file: not empty, not an untouched original, and well-formed."""
    path = written(p["path"], look)
    size = look.now[path].size
    if size < p["min_bytes"]:
        return Finding(0.0, f"{path} has {size} bytes; at least {p['min_bytes']} are expected.")
    extension = path.rpartition(".")[2].lower()
    if p["format"] is None and extension not in _TEXTS | FORMATS.keys():
        return Finding(1.0, f"{path} was written, {size:,} bytes.")
    document = look.document(path, p["format"])
    if not any(str(cell).strip() for cell in document.leaves() if cell is not None):
        return Finding(0.0, f"{path} holds no data.")
    return Finding(1.0, f"{path} was written and is well-formed ({document.format}).")


def artifact_contains(p: Params, look: Look) -> Finding:
    """Score the share of the wanted values that the parsed file holds; 0 when it holds too many wrong ones.

    Numbers are compared as numbers, texts as whole words. `column` or
    `pointer` narrows where to look.
    """
    path = written(p["path"], look)
    cells = list(islice(_cells(look.document(path, p["format"], p["sheet"]), p), p["max_values"] + 1))
    words = sum(cell.count(" ") for cell in cells if isinstance(cell, str))
    if len(cells) > p["max_values"] or words > p["max_values"]:
        return Finding(0.0, f"{path} holds more than {p['max_values']:,} values.")
    if not any(cell not in (None, "") for cell in cells):
        return Finding(0.0, f"{path} holds no data there.")
    tolerance = to_decimal(p["tolerance"])
    folded = [fold_text(cell) for cell in cells if isinstance(cell, str)]
    tokens = [
        token
        for cell in cells
        if not isinstance(cell, bool) and cell is not None
        for token in find_numbers(str(cell))
    ]

    def present(value: str | float) -> bool:
        if not isinstance(value, str) or _PLAIN_NUMBER.fullmatch(value):
            number = to_decimal(value)
            return any(is_near(token, number, tolerance) for token in tokens)
        phrase = fold_text(value)
        return any(has_phrase(text, phrase) for text in folded)

    return weigh(p, present, path)


def artifact_row_count(p: Params, look: Look) -> Finding:
    """Score how near the number of data rows is to the count: 1 when equal, 0 at none and at double."""
    path = written(p["path"], look)
    found = _count(look.document(path, p["format"], p["sheet"]), p)
    away = max(0, abs(found - p["count"]) - p["tolerance"])
    reason = f"{path} has {found:,} data rows; {p['count']:,} are expected."
    if p["exact"] and away:
        return Finding(0.0, reason)
    return Finding(max(0.0, 1 - away / max(1, p["count"])), reason)


def written(path: str, look: Look) -> str:
    """Return the path of a regular file that the agent wrote; raises Refused for anything else."""
    found = look.find(path)
    if found is None:
        raise Refused(f"{path} was not written.")
    if look.now[found].kind != "file":
        raise Refused(f"{found} is a {KIND_NAMES[look.now[found].kind]}, not a file.")
    if look.is_untouched(found):
        raise Refused(f"{found} is as it was at the start.")
    return found


def at_pointer(value: Any, pointer: str) -> Any:
    """Return what a JSON pointer (RFC 6901) leads to; raises Refused when it leads nowhere."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            raise Refused(f"There is nothing at {pointer} in the file.")
    return value


def name_key(name: object) -> str:
    """Fold the name of a column: case, spaces and punctuation do not matter."""
    return re.sub(r"[\W_]+", "", fold_text(str(name)))


def _cells(document: Document, p: Params) -> Iterator[Cell]:
    if p["pointer"] is not None:
        yield from Document("json", value=at_pointer(document.value, p["pointer"])).leaves()
    elif p["column"] is not None:
        yield from _column(document, p["column"])
    else:
        yield from document.leaves()


def _column(document: Document, column: str) -> Iterator[Cell]:
    wanted = name_key(column)
    if document.format in ("json", "jsonl"):
        for record in records(document.value):
            if isinstance(record, dict):
                found = {name_key(key): value for key, value in record.items()}
                yield from Document("json", value=found.get(wanted)).leaves()
        return
    header = [name_key(name) for name in document.rows[0]] if document.rows else []
    if wanted not in header:
        raise Refused(f"The file has no column {column!r}.")
    index = header.index(wanted)
    yield from (row[index] for row in document.rows[1:] if index < len(row))


def _count(document: Document, p: Params) -> int:
    if document.format == "text":
        return sum(1 for line in document.text.split("\n") if line.strip())
    if document.format in ("json", "jsonl"):
        value = at_pointer(document.value, p["pointer"]) if p["pointer"] is not None else document.value
        return len(records(value))
    return max(0, len(document.rows) - (1 if p["header"] else 0))


_POINTER = {
    "type": "string",
    "pattern": "^(/[^/]*)*$",
    "maxLength": 1000,
    "description": "JSON pointer (RFC 6901).",
}
_VALUE = {"anyOf": [{"type": "number"}, TEXT]}
_VALUES = {"type": "array", "items": _VALUE, "minItems": 1, "maxItems": 1000}
SOURCE = {
    "path": PATH,
    "format": FORMAT,
    "sheet": described(TEXT, "Sheet of a workbook; the first when left out."),
}

KINDS = {
    "artifact_exists": KindSpec(
        artifact_exists,
        {"path": PATH, "format": FORMAT, "min_bytes": described(COUNT, "Smallest size.", default=1)},
        ("path",),
    ),
    "artifact_contains": KindSpec(
        artifact_contains,
        {
            **SOURCE,
            "column": described(TEXT, "Look in this column, or this key of each record, only."),
            "pointer": _POINTER,
            "value": described(_VALUE, "A value that must be there; a plain number is compared as one."),
            "any_of": described(_VALUES, "Values of which one must be there."),
            "all_of": described(_VALUES, "Values that must all be there; the score is the share that is."),
            "none_of": described(_VALUES, "Wrong values; holding more than `max_wrong` of them earns 0."),
            "max_wrong": TEXT_PARAMS["max_wrong"],
            "tolerance": TOLERANCE,
            "max_values": described(COUNT, "A file with more cells or words earns 0.", default=20_000),
        },
        ("path",),
        TEXT_RULES,
    ),
    "artifact_row_count": KindSpec(
        artifact_row_count,
        {
            **SOURCE,
            "count": COUNT,
            "tolerance": described(COUNT, "How many rows more or fewer are still right.", default=0),
            "header": flag("The first row of a table is its header.", default=True),
            "pointer": _POINTER,
            "exact": flag("Give no partial credit."),
        },
        ("path", "count"),
    ),
}
