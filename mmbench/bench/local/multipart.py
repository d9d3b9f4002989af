"""Read a multipart/form-data body: the form in which audio is uploaded.

The standard library lost its parser with `cgi`, and `email` rewrites line ends in binary
parts; a split at the boundary keeps every byte.
"""

from __future__ import annotations

from email.message import Message
from email.parser import BytesHeaderParser

from mmbench.bench.local.answer import Refused


def fields(content_type: str, body: bytes) -> dict[str, bytes]:
    """Return the parts of a body by name; of repeated names the last one. Raise Refused."""
    header = Message()
    header["content-type"] = content_type
    boundary = header.get_param("boundary")
    if header.get_content_type() != "multipart/form-data" or not isinstance(boundary, str) or not boundary:
        raise Refused(400, "The body must be multipart/form-data.", "invalid_form")
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary.encode("latin-1", "replace"))
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise Refused(400, "The form ends before its last boundary.", "invalid_form")
    return dict(_field(piece) for piece in pieces[1:-1])


def _field(piece: bytes) -> tuple[str, bytes]:
    head, blank, value = piece.partition(b"\r\n\r\n")
    headers = BytesHeaderParser().parsebytes(head.lstrip(b"\r\n") + b"\r\n\r\n")
    name = headers.get_param("name", header="content-disposition")
    if not blank or not isinstance(name, str):
        raise Refused(400, "A part of the form has no name.", "invalid_form")
    return name, value
