"""Text on images, by RapidOCR with the models that its wheel carries."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from mmbench.bench.local.answer import Refused

WORKERS = 2
"""Images read at once, each by an engine of its own with a single thread.

Two threads in one engine wait for each other by spinning: they took 1.7 times the CPU time
on a busy machine. And the order of float sums, and so, rarely, a letter, would hang on them.
"""

MAX_PIXELS = 40_000_000


@dataclass(frozen=True, slots=True)
class Page:
    """The text on an image, line by line, and its size in pixels."""

    text: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Word:
    """A run of text that was found, with its place in pixels."""

    text: str
    left: float
    top: float
    bottom: float

    @property
    def middle(self) -> float:
        """Return the height at which it stands."""
        return (self.top + self.bottom) / 2


class ImageReader:
    """Read the text on images, a few at a time; more wait for their turn."""

    def __init__(self, workers: int = WORKERS) -> None:
        self._idle: SimpleQueue[Any] = SimpleQueue()
        for _ in range(workers):
            self._idle.put(_engine())

    def read(self, data: bytes) -> Page:
        """Return the text on an encoded image in reading order; raise Refused if it is none."""
        pixels = _pixels(data)
        engine = self._idle.get()
        try:
            result = engine(pixels)
        finally:
            self._idle.put(engine)
        found = () if result.boxes is None else zip(result.boxes, result.txts, strict=True)
        words = [_word(box, text) for box, text in found]
        height, width = pixels.shape[:2]
        return Page("\n".join(lines(words)), width, height)


def _engine() -> Any:
    from rapidocr import RapidOCR

    onnx = "EngineConfig.onnxruntime"
    one = {f"{onnx}.intra_op_num_threads": 1, f"{onnx}.inter_op_num_threads": 1}
    return RapidOCR(params={"Global.log_level": "critical", **one})


def lines(words: Sequence[Word]) -> list[str]:
    """Put words in reading order: those that stand at one height form a line, left to right."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word.middle, word.left)):
        if rows and _same_line(rows[-1][-1], word):
            rows[-1].append(word)
        else:
            rows.append([word])
    return ["  ".join(word.text for word in sorted(row, key=lambda word: word.left)) for row in rows]


def _same_line(one: Word, other: Word) -> bool:
    lower = min(one.bottom - one.top, other.bottom - other.top)
    return abs(one.middle - other.middle) < lower / 2


def _word(box: Any, text: str) -> Word:
    left, heights = float(box[:, 0].min()), box[:, 1]
    return Word(text, left, float(heights.min()), float(heights.max()))


def _pixels(data: bytes) -> Any:
    import numpy
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(data)) as image:
            if image.width * image.height > MAX_PIXELS:
                raise Refused(413, f"The image has more than {MAX_PIXELS} pixels.", "image_too_large")
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise Refused(400, f"The image cannot be decoded: {error}.", "invalid_image") from error
    return numpy.ascontiguousarray(numpy.asarray(upright)[:, :, ::-1])
