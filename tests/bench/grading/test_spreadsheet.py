import datetime as dt
import io
import zipfile
from collections.abc import Mapping

import openpyxl
import pytest

from mmbench.bench.grading.malformed import Malformed
from mmbench.bench.grading.spreadsheet import check_package, read_xlsx


def workbook(**sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def repacked(data: bytes, parts: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, parts.get(name, old.read(name)))
        for name in parts.keys() - set(old.namelist()):
            new.writestr(name, parts[name])
    return out.getvalue()


DATA = [
    ["file", "total", "on"],
    ["a.pdf", 1.5, dt.datetime(2024, 1, 15)],
    [None, None, None],
    ["b", 2, dt.date(2024, 2, 1)],
]


def test_rows_of_the_first_sheet_or_a_named_one() -> None:
    data = workbook(First=DATA, Second=[["x"]])
    assert read_xlsx(data) == [["file", "total", "on"], ["a.pdf", 1.5, "2024-01-15"], ["b", 2, "2024-02-01"]]
    assert read_xlsx(data, "Second") == [["x"]]
    with pytest.raises(Malformed, match="no sheet 'Third'"):
        read_xlsx(data, "Third")


def test_a_formula_without_a_stored_value_is_its_text() -> None:
    assert read_xlsx(workbook(S=[[1, "=A1+1"]])) == [[1, "=A1+1"]]


def test_an_entity_bomb_is_refused() -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sst>&b;</sst>'
    with pytest.raises(Malformed, match="document type"):
        read_xlsx(repacked(workbook(S=DATA), {"xl/worksheets/sheet1.xml": bomb}))
    with pytest.raises(Malformed, match="document type"):
        check_package(repacked(workbook(S=DATA), {"xl/styles.xml": bomb.decode().encode("utf-16")}))


def test_a_zip_bomb_is_refused() -> None:
    with pytest.raises(Malformed, match="unpacks to"):
        check_package(repacked(workbook(S=DATA), {"xl/media/x.xml": b"\0" * (20 << 20)}))
    with pytest.raises(Malformed, match="unpacks to"):
        check_package(repacked(workbook(S=DATA), {"xl/media/x.bin": b"\0" * (300 << 20)}))


def test_a_sheet_that_claims_or_has_endless_rows() -> None:
    sheet = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/>'
        b'<sheetData><row r="1"><c r="A1"><v>7</v></c></row>%s</sheetData></worksheet>'
    )
    part = "xl/worksheets/sheet1.xml"
    assert read_xlsx(repacked(workbook(S=DATA), {part: sheet % b""})) == [[7]]
    far = sheet % b'<row r="1048576"><c r="A1048576"><v>7</v></c></row>'
    with pytest.raises(Malformed, match="rows"):
        read_xlsx(repacked(workbook(S=DATA), {part: far}))


@pytest.mark.parametrize(
    "data", [b"", b"PK", b"PK\x03\x04" + b"\0" * 40, b"not a zip", workbook(S=DATA)[:-30]]
)
def test_what_is_no_workbook_is_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        read_xlsx(data)


def test_a_package_that_is_no_workbook_is_malformed() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("hello.txt", "hello")
    with pytest.raises(Malformed):
        read_xlsx(out.getvalue())


def test_a_corrupt_part_is_malformed() -> None:
    data = bytearray(workbook(S=DATA))
    at = data.find(b"xl/worksheets/sheet1.xml") + 40
    data[at : at + 20] = b"\xff" * 20
    with pytest.raises(Malformed):
        read_xlsx(bytes(data))
