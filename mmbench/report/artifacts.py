"""Files that agents wrote: which are published, under what name, and how a page shows them.

A name that an agent chose never becomes an address: a file is published by
its hash, with an ending from a closed list. What a browser would run (HTML,
SVG, XML) is published as plain text.
"""

from __future__ import annotations

import csv
import io
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from mmbench import jsontext
from mmbench.report.render import File
from mmbench.report.text import excerpt

Show = Literal["image", "audio", "video", "pdf", "table", "text", "none"]
_LOST = "the kept file is missing or was changed"
LARGEST = 8_000_000
"""Bytes; larger files are not published."""
UNPACKED = 50_000_000
"""Bytes that a workbook may unpack to before it is read."""
TEXT, ROWS, COLUMNS, CELL = 8_000, 30, 12, 80
"""What a page shows of a text and of a table."""

_BINARY: dict[str, tuple[str, Show]] = {
    "image/png": ("png", "image"),
    "image/jpeg": ("jpg", "image"),
    "image/gif": ("gif", "image"),
    "image/webp": ("webp", "image"),
    "audio/mpeg": ("mp3", "audio"),
    "audio/wav": ("wav", "audio"),
    "audio/x-wav": ("wav", "audio"),
    "audio/flac": ("flac", "audio"),
    "audio/ogg": ("ogg", "audio"),
    "video/mp4": ("mp4", "video"),
    "video/webm": ("webm", "video"),
    "application/pdf": ("pdf", "pdf"),
    "application/zip": ("zip", "none"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ("xlsx", "table"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ("docx", "none"),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ("pptx", "none"),
}
_TABLES = {"text/csv": ",", "text/tab-separated-values": "\t"}
_MAGIC: dict[str, tuple[bytes, ...]] = {
    "png": (b"\x89PNG\r\n\x1a\n",),
    "jpg": (b"\xff\xd8\xff",),
    "gif": (b"GIF87a", b"GIF89a"),
    "webp": (b"RIFF",),
    "wav": (b"RIFF",),
    "flac": (b"fLaC",),
    "ogg": (b"OggS",),
    "pdf": (b"%PDF-",),
    "zip": (b"PK",),
    "xlsx": (b"PK",),
    "docx": (b"PK",),
    "pptx": (b"PK",),
}


def kind(media: str, data: bytes) -> tuple[str, Show]:
    """Return the ending to publish a file under and how to show it; the bytes have the last word."""
    ending, show = _BINARY.get(media, ("", "none"))
    if ending and data.startswith(_MAGIC.get(ending, (b"",))):
        return ending, show
    try:
        data.decode()
    except UnicodeDecodeError:
        return "bin", "none"
    if b"\x00" in data:
        return "bin", "none"
    return "txt", "table" if media in _TABLES else "text"


def read(root: Path, stored: str | None, digest: str | None) -> bytes | None:
    """Read a kept file; None unless it is a regular file below artifacts/ with the recorded bytes."""
    if stored is None or digest is None:
        return None
    parts = stored.split("/")
    if parts[0] != "artifacts" or any(part in ("", ".", "..") for part in parts):
        return None
    path = root.joinpath(*parts)
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    return data if jsontext.sha256(data) == digest else None


def state(root: Path, stored: str | None, digest: str | None) -> str:
    """Tell what there is of a kept file: `whole`, `gone`, or `other` for anything that is not published."""
    if stored is None:
        return "gone"
    if read(root, stored, digest) is not None:
        return "whole"
    return "other" if (root / stored).exists() else "gone"


def shown(
    root: Path, session: str, item: dict[str, Any], removed: str | None = None
) -> tuple[dict[str, Any], File | None]:
    """Return what a page shows of one artifact, and the file to publish beside it.

    `removed` is when a clean-up took the session's kept files away, if one did.
    """
    data = read(root, item["stored"], item["sha256"])
    made = {name: item[name] for name in ("path", "media_type", "size", "refused")} | {"removed": None}
    if data is None:
        lost = item["stored"] is not None and item["refused"] is None
        made["removed"] = removed if lost and not (root / str(item["stored"])).exists() else None
        gone = item["refused"] or (_LOST if lost and made["removed"] is None else None)
        return made | {"href": None, "show": "none", "refused": gone}, None
    ending, show = kind(item["media_type"], data)
    file = File(f"artifacts/{session}/{item['sha256']}.{ending}", data)
    made |= {"href": file.path, "show": show}
    if show == "table":
        made |= _table(item["media_type"], data)
    elif show == "text":
        text, cut = excerpt(data.decode(), TEXT)
        made |= {"text": text, "note": f"{cut:,} characters are left out on this page." if cut else ""}
    return made, file


def _table(media: str, data: bytes) -> dict[str, Any]:
    delimiter = _TABLES.get(media)
    rows = list(_csv(data, delimiter)) if delimiter else list(_xlsx(data))
    note = f"The first {ROWS} rows are shown." if len(rows) > ROWS else ""
    return {"rows": [[value[:CELL] for value in row[:COLUMNS]] for row in rows[:ROWS]], "note": note}


def _csv(data: bytes, delimiter: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter)
    try:
        for number, row in enumerate(reader):
            if number > ROWS:
                return
            yield row
    except csv.Error as error:
        yield [f"The rest cannot be read as a table: {error}"]


def _xlsx(data: bytes) -> Iterator[list[str]]:
    """Yield the first rows of the first sheet; a broken workbook says so in a row."""
    from zipfile import BadZipFile, ZipFile

    from openpyxl import load_workbook

    try:
        if sum(entry.file_size for entry in ZipFile(io.BytesIO(data)).infolist()) > UNPACKED:
            yield ["This workbook unpacks to more than a page may read."]
            return
        sheet = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets[0]
        for row in sheet.iter_rows(max_row=ROWS + 1, max_col=COLUMNS, values_only=True):
            values = ["" if value is None else str(value) for value in row]
            filled = max((place for place, value in enumerate(values, start=1) if value), default=0)
            yield values[:filled]
    except (BadZipFile, KeyError, ValueError, IndexError, OSError) as error:
        yield [f"This workbook cannot be read: {error}"]
