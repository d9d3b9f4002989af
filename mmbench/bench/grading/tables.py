"""Files that agents write, parsed into one form: rows, leaves and text. Nothing here trusts its input.

Every parser takes bytes and raises Malformed, with the reason, for whatever it
cannot read. They run under the limits of `reader`.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from mmbench.bench.grading.malformed import Malformed
from mmbench.bench.grading.spreadsheet import MAX_CELLS, read_xlsx

Cell = str | int | float | bool | None
MAX_LEAF_DEPTH = 100
FORMATS = {
    "csv": "csv",
    "tsv": "tsv",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "xlsx": "xlsx",
    "xlsm": "xlsx",
}


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file."""

    format: str
    rows: list[list[Cell]] = field(default_factory=list)
    """Of a table: its rows, blank ones left out, the header first where it has one."""
    value: Any = None
    """Of JSON and JSON Lines: the value; of JSON Lines the list of the lines' values."""
    text: str = ""
    """Of a text: itself."""

    def leaves(self) -> Iterator[Cell]:
        """Yield every cell, every JSON scalar and key, or the text."""
        if self.format == "text":
            yield self.text
        elif self.format in ("json", "jsonl"):
            yield from _leaves(self.value, 0)
        else:
            yield from (cell for row in self.rows for cell in row)


def parse(data: bytes, name: str, form: str | None = None, sheet: str | None = None) -> Document:
    """Parse a file by its format, or by its name's extension when none is given."""
    form = format_of(name, form)
    if form == "xlsx":
        return Document(form, rows=read_xlsx(data, sheet))
    text = decode(data)
    if form in ("csv", "tsv"):
        return Document(form, rows=_read_csv(text, "\t" if form == "tsv" else None))
    if form == "json":
        return Document(form, value=_load(text))
    if form == "jsonl":
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        return Document(form, value=[_load(line, f"line {number}: ") for number, line in lines])
    return Document("text", text=text)


def format_of(name: str, form: str | None = None) -> str:
    """Return the format a file is parsed as: the one given, or the one its extension stands for."""
    return form or FORMATS.get(name.rpartition(".")[2].lower(), "text")


def decode(data: bytes) -> str:
    """Return the text of a file: UTF-8 with or without mark, UTF-16 or UTF-32 with one, else Windows-1252."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if b"\0" in data[:4096]:
        raise Malformed("it is binary, not text")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def _read_csv(text: str, delimiter: str | None) -> list[list[Cell]]:
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep=") and len(first) == 5:  # a spreadsheet program's note of its delimiter
        delimiter, text = first[4], rest
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter or _sniff(text), skipinitialspace=True
    )
    rows: list[list[Cell]] = []
    cells = 0
    try:
        for row in reader:
            cells += len(row)
            if cells > MAX_CELLS:
                raise Malformed(f"it has more than {MAX_CELLS:,} cells")
            if any(cell.strip() for cell in row):
                rows.append([cell.strip() for cell in row])
    except csv.Error as error:
        raise Malformed(f"it is not a table: {error}") from error
    return rows


def _sniff(text: str) -> str:
    """Return the delimiter that splits the first rows into the most equal numbers of fields."""
    head = text[:20_000]
    scores = {mark: _evenness(head, mark) for mark in ",;\t|"}
    return max(scores, key=lambda mark: scores[mark])


def _evenness(head: str, mark: str) -> tuple[float, int]:
    try:
        widths = [len(row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=mark) if row][:50]
    except csv.Error:
        return 0.0, 0
    split = [width for width in widths if width > 1]
    if not split:
        return 0.0, 0
    usual = max(sorted(set(split)), key=split.count)
    return split.count(usual) / len(widths), usual


def _load(text: str, where: str = "") -> Any:
    """Load strict JSON: no NaN, no doubled keys, no number beyond a float."""
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"it is not JSON: {where}{str(error)[:200]}") from error


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is out of range")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _leaves(value: Any, depth: int) -> Iterator[Cell]:
    if depth > MAX_LEAF_DEPTH:
        raise Malformed(f"it is nested more than {MAX_LEAF_DEPTH} levels deep")
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _leaves(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, depth + 1)
    else:
        yield value


def records(value: Any) -> list[Any]:
    """Return the records of a JSON value: its list, the only list in its object, or its object's entries.

    Raises Malformed for anything else.
    """
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        if len(lists) == 1:
            return lists[0]
        if value and all(isinstance(item, dict) for item in value.values()):
            return [{"key": key, **item} for key, item in value.items()]
    raise Malformed("it holds no list of records")


def document(path: str, name: str, form: str | None, sheet: str | None) -> dict[str, Any]:
    """Parse the file at a path, for the parser process; returns the fields of a Document."""
    with open(path, "rb") as file:  # noqa: PTH123 (a path that may not be UTF-8)
        return asdict(parse(file.read(), name, form, sheet))
