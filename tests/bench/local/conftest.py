from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from PIL import Image, ImageDraw

from mmbench.bench.local import LocalServer, Missing, serve


@pytest.fixture(scope="session")
def ocr_server() -> Iterator[LocalServer]:
    """The real backend without speech."""
    with serve(Missing("no weights in this test")) as server:
        yield server


def picture(*lines: str, size: tuple[int, int] = (640, 320)) -> bytes:
    """Draw lines of text on white, as PNG."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((30, 30 + 70 * number), line, fill="black", font_size=32)
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()
