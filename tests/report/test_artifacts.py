"""Files that agents wrote: what is read, under what name it is published, how it is shown."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from mmbench import jsontext
from mmbench.report import artifacts
from mmbench.report.artifacts import kind, read, shown
from tests.support import hostile


def kept(root: Path, data: bytes, media: str, name: str = "x") -> dict[str, Any]:
    digest = jsontext.sha256(data)
    stored = f"artifacts/s/{digest}"
    (root / "artifacts/s").mkdir(parents=True, exist_ok=True)
    (root / stored).write_bytes(data)
    return {
        "path": name,
        "size": len(data),
        "sha256": digest,
        "media_type": media,
        "stored": stored,
        "refused": None,
    }


@pytest.mark.parametrize(
    ("media", "data", "expected"),
    [
        ("image/png", hostile.png(), ("png", "image")),
        ("image/png", hostile.HTML, ("txt", "text")),
        ("image/svg+xml", hostile.SVG, ("txt", "text")),
        ("text/html", hostile.HTML, ("txt", "text")),
        ("application/xhtml+xml", hostile.HTML, ("txt", "text")),
        ("text/csv", b"a,b\n", ("txt", "table")),
        ("application/pdf", b"%PDF-1.7", ("pdf", "pdf")),
        ("application/pdf", b"\xff\xfe", ("bin", "none")),
        ("text/plain", b"nul\x00", ("bin", "none")),
        ("application/javascript", b"alert(1)", ("txt", "text")),
    ],
)
def test_the_bytes_decide_how_a_file_is_published(media: str, data: bytes, expected: tuple[str, str]) -> None:
    assert kind(media, data) == expected


def test_a_name_never_becomes_an_address(tmp_path: Path) -> None:
    made, file = shown(tmp_path, "s", kept(tmp_path, b"text", "text/plain", hostile.FILE_NAME))
    assert file is not None
    assert made["href"] == file.path == f"artifacts/s/{jsontext.sha256(b'text')}.txt"


def test_a_file_that_was_changed_is_not_published(tmp_path: Path) -> None:
    item = kept(tmp_path, b"text", "text/plain")
    (tmp_path / item["stored"]).write_bytes(b"other")
    made, file = shown(tmp_path, "s", item)
    assert file is None and made["refused"] == "the kept file is missing or was changed"


@pytest.mark.parametrize(
    "stored", ["/etc/passwd", "artifacts/../secret", "secret", "artifacts//secret", "artifacts/./s"]
)
def test_nothing_outside_the_artifacts_is_read(tmp_path: Path, stored: str) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "artifacts").mkdir()
    assert read(tmp_path, stored, jsontext.sha256(b"secret")) is None


def test_links_and_pipes_are_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "artifacts"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    for name in ("link", "pipe"):
        assert read(tmp_path, f"artifacts/{name}", jsontext.sha256(b"secret")) is None


def test_a_large_file_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = kept(tmp_path, b"12345", "text/plain")
    monkeypatch.setattr(artifacts, "LARGEST", 4)
    assert shown(tmp_path, "s", item)[1] is None


def test_tables_are_cut_to_size(tmp_path: Path) -> None:
    data = "\n".join(",".join(["x" * 500] * 40) for _ in range(90)).encode()
    made, _ = shown(tmp_path, "s", kept(tmp_path, data, "text/csv"))
    assert (len(made["rows"]), len(made["rows"][0]), len(made["rows"][0][0])) == (30, 12, 80)
    assert made["note"] == "The first 30 rows are shown."


def workbook(rows: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def test_a_workbook_is_shown_as_a_table(tmp_path: Path) -> None:
    made, _ = shown(tmp_path, "s", kept(tmp_path, workbook([["name", "total"], ["a", 3], [None, 4.5]]), XLSX))
    assert made["show"] == "table"
    assert made["rows"] == [["name", "total"], ["a", "3"], ["", "4.5"]]


def test_a_broken_workbook_says_so(tmp_path: Path) -> None:
    made, _ = shown(tmp_path, "s", kept(tmp_path, b"PK\x03\x04nonsense", XLSX))
    assert made["rows"][0][0].startswith("This workbook cannot be read")


def test_a_workbook_that_unpacks_to_too_much_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifacts, "UNPACKED", 1000)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("xl/sharedStrings.xml", b"0" * 1_000_000)
    made, _ = shown(tmp_path, "s", kept(tmp_path, stream.getvalue(), XLSX))
    assert made["rows"] == [["This workbook unpacks to more than a page may read."]]
