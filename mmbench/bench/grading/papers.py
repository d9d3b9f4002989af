"""Text of PDF and Word files, read by the parser process."""

from __future__ import annotations

import io
import logging
import re
from typing import Any

from mmbench.bench.grading.malformed import Malformed, parsing
from mmbench.bench.grading.spreadsheet import check_package

MAX_PAGES = 500
MAX_TEXT = 5_000_000
_PARTS = re.compile(r"/word/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def pdf(path: str) -> dict[str, Any]:
    """Return the text of each page of a PDF."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    with parsing("it is not a PDF that can be read"):
        reader = pypdf.PdfReader(path)
        if len(reader.pages) > MAX_PAGES:
            raise Malformed(f"it has more than {MAX_PAGES} pages")
        pages = [page.extract_text() for page in reader.pages]
    return {"pages": [page[:MAX_TEXT] for page in pages]}


def docx(path: str) -> dict[str, Any]:
    """Return the text of a Word file, headers, footers, notes and comments included, one paragraph a line."""
    import docx as library

    with open(path, "rb") as file:  # noqa: PTH123 (a path that may not be UTF-8)
        data = file.read()
    check_package(data)
    with parsing("it is not a Word file that can be read"):
        package = library.Document(io.BytesIO(data)).part.package
        parts = sorted(
            (str(part.partname), part)
            for part in package.iter_parts()
            if _PARTS.fullmatch(str(part.partname))
        )
        paragraphs = [_paragraph(node) for _, part in parts for node in _root(part).iter(f"{_W}p")]
    return {"pages": ["\n".join(paragraphs)[:MAX_TEXT]]}


def _root(part: Any) -> Any:
    if hasattr(part, "element"):
        return part.element
    from docx.oxml import parse_xml

    return parse_xml(part.blob)


def _paragraph(node: Any) -> str:
    """Return the text of a paragraph as it stands: deleted text is not there, tabs and breaks are spaces."""
    pieces = []
    for child in node.iter(f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}p"):
        if child.tag == f"{_W}t":
            pieces.append(child.text or "")
        elif child is not node:
            pieces.append(" ")
    return "".join(pieces)
