"""Text and files that try to break out of whatever shows them."""

from __future__ import annotations

import struct
import zlib

MARKUP = "</script><img src=x onerror=\"document.title='owned'\">"
FILE_NAME = "a\"><svg onload=\"document.title='owned'\">' &amp; \u202egnp.exe"
ALL = "\n".join(
    (
        MARKUP,
        "<script>document.title='owned'</script>",
        "<a href=\"javascript:document.title='owned'\">link</a> javascript:alert(1)",
        "{{ 7*7 }} {% include 'x' %} ${7*7} <!-- --> ]]> &lt;b&gt;",
        "bidi \u202e\u2066override\u2069\u202c end, zero\u200bwidth, line\u2028separator, next\u0085line",
        "ansi \x1b[31mred\x1b[0m \x1b]0;owned\x07 bell\x07 nul\x00 del\x7f c1\x9b31m",
        "lone surrogate \ud800 and a very long word " + "x" * 300,
    )
)
"""Every trick in one text; it holds a lone surrogate, which records replace."""

SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" onload="parent.document.title=\'owned\'">'
    b"<script>document.title='owned'</script><circle r=\"9\"/></svg>"
)
HTML = b"<!doctype html><script>document.title='owned'</script>"


def png(width: int = 24, height: int = 16) -> bytes:
    """Return a small valid PNG of one colour."""
    rows = b"".join(b"\x00" + b"\x2a\x6f\xb2" * width for _ in range(height))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    body = b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


ARTIFACTS: tuple[tuple[str, str, bytes], ...] = (
    ("out/picture.png", "image/png", png()),
    ("out/totals.csv", "text/csv", b"name,total\nrow <b>1</b>,10\n=cmd(),20\n"),
    ("out/data.json", "application/json", b'{"total": 3, "text": "</script>"}'),
    ("out/vector.svg", "image/svg+xml", SVG),
    (f"out/{FILE_NAME}.html", "text/html", HTML),
    ("out/notes.md", "text/markdown", b"# Notes\n\n<script>document.title='owned'</script>\n"),
)
"""(path in the sandbox, media type, bytes)."""
