"""Workbooks read without trusting them: zip and XML bombs are refused before a parser sees them."""

from __future__ import annotations

import datetime as dt
import io
import warnings
import zipfile
from typing import Any

from mmbench.bench.grading.malformed import Malformed, parsing

MAX_CELLS = 500_000
MAX_ROWS = 200_000
MAX_UNPACKED = 256 << 20
MAX_MEMBERS = 5_000
MAX_RATIO = 200
_DECLARATIONS = tuple(
    text.encode(encoding)
    for text in ("<!DOCTYPE", "<!ENTITY")
    for encoding in ("utf-8", "utf-16-le", "utf-16-be")
)


def read_xlsx(data: bytes, sheet: str | None = None) -> list[list[Any]]:
    """Return the non-blank rows of a sheet, the first one by default; dates come as ISO 8601 text.

    A formula counts by its stored value, and as its own text when it has none.
    """
    check_package(data)
    with parsing(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parts that openpyxl leaves out: none is graded
        rows = _sheet_rows(data, sheet, stored=True)
        if any(cell is None for row in rows for cell in row):
            rows = _fill(rows, _sheet_rows(data, sheet, stored=False))
    return [[_plain(cell) for cell in row] for row in rows if any(cell not in (None, "") for cell in row)]


def _sheet_rows(data: bytes, sheet: str | None, *, stored: bool) -> list[list[Any]]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=stored)
    if not book.sheetnames or (sheet is not None and sheet not in book.sheetnames):
        raise Malformed(f"it has no sheet {sheet!r}, only {', '.join(book.sheetnames)[:200]}")
    return _rows(book[sheet if sheet is not None else book.sheetnames[0]])


def check_package(data: bytes) -> None:
    """Raise Malformed for a zip package that is broken, a bomb, or declares XML entities."""
    with parsing("it is not an Office file"):
        package = zipfile.ZipFile(io.BytesIO(data))
    members = package.infolist()
    unpacked = sum(member.file_size for member in members)
    if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED:
        raise Malformed(f"it unpacks to {unpacked:,} bytes in {len(members):,} parts")
    if unpacked > (8 << 20) and unpacked > MAX_RATIO * max(1, len(data)):
        raise Malformed(f"it unpacks to {unpacked // max(1, len(data))} times its size")
    for member in members:
        if member.filename.lower().endswith((".xml", ".rels", ".vml")):
            _check_part(package, member)


def _check_part(package: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    name = member.filename[:80]
    with parsing(f"its part {name} cannot be unpacked"), package.open(member) as part:
        tail = b""
        while chunk := part.read(1 << 20):
            if any(mark in tail + chunk for mark in _DECLARATIONS):
                raise Malformed(f"its part {name} declares a document type")
            tail = chunk[-32:]


def _rows(sheet: Any) -> list[list[Any]]:
    if not hasattr(sheet, "reset_dimensions"):
        raise Malformed("its first sheet is a chart")
    sheet.reset_dimensions()  # the declared size may be a lie of a billion cells
    rows: list[list[Any]] = []
    cells = 0
    for row in sheet.iter_rows(values_only=True):
        cells += len(row) or 1
        if cells > MAX_CELLS or len(rows) >= MAX_ROWS:
            raise Malformed(f"it has more than {MAX_CELLS:,} cells or {MAX_ROWS:,} rows")
        rows.append(list(row))
    return rows


def _fill(rows: list[list[Any]], formulas: list[list[Any]]) -> list[list[Any]]:
    """Put the text of a formula where no value is stored for it."""
    return [
        [formula if value is None else value for value, formula in zip(row, other, strict=False)]
        for row, other in zip(rows, formulas, strict=False)
    ]


def _plain(cell: Any) -> str | int | float | bool | None:
    if cell is None or isinstance(cell, (str, int, float, bool)):
        return cell
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if cell.time() == dt.time() else cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, (dt.date, dt.time)) else str(cell)
