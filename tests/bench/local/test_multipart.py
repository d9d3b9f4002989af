from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urllib3.filepost import encode_multipart_formdata

from mmbench.bench.local.answer import Refused
from mmbench.bench.local.multipart import fields


@given(st.binary(max_size=400), st.text(st.characters(codec="utf-8"), max_size=30))
def test_every_byte_of_an_upload_survives(data: bytes, value: str) -> None:
    body, kind = encode_multipart_formdata({"file": ("a b.wav", data, "audio/wav"), "language": value})
    assert fields(kind, body) == {"file": data, "language": value.encode()}


def test_line_ends_and_dashes_in_binary_parts_are_kept() -> None:
    data = b"\r\n--\r\n\n--almost\r\r\n"
    body, kind = encode_multipart_formdata({"file": ("x", data)}, boundary="almost-not")
    assert fields(kind, body)["file"] == data


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b"{}"),
        ("multipart/form-data", b"--x\r\n"),
        ("multipart/form-data; boundary=x", b""),
        ("multipart/form-data; boundary=x", b'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'),
        ("multipart/form-data; boundary=x", b"--x\r\n\r\n1\r\n--x--\r\n"),
    ],
)
def test_broken_forms_are_refused(kind: str, body: bytes) -> None:
    with pytest.raises(Refused):
        fields(kind, body)
