"""The child process that runs the local backend until its parent is gone.

    python -m mmbench.bench.local --port-file FILE [--weights DIR] [--reason TEXT]

It loads the models, writes its port and abilities to the file and serves until its
standard input ends. Its key is in the environment. The parent holds the other end, so even a parent that was killed
leaves nothing behind.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import threading
from pathlib import Path

from mmbench.bench.local.ocr import WORKERS
from mmbench.bench.local.server import KEY_VARIABLE, LocalHTTPServer, Readers, ReadsImages, ReadsSound


def main() -> None:
    """Load, announce, serve."""
    parser = argparse.ArgumentParser(prog="mmbench.bench.local", description="The local mm backend.")
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--reason", default="no weights were given")
    options = parser.parse_args()
    key = os.environ.pop(KEY_VARIABLE, "")
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    sound = _sound(options.weights)
    images, why_not = _images()
    readers = Readers(images, sound, why_not or options.reason)
    with LocalHTTPServer(readers, key) as server:
        _announce(options.port_file, server)
        server.serve_forever()


def _leave_with_parent() -> None:
    # Not by sys.stdin: its lock, held here, would abort an interpreter that ends by itself.
    while os.read(0, 4096):
        pass
    # Nothing is kept between requests, so there is nothing to put in order first.
    os._exit(0)


def _images() -> tuple[ReadsImages | None, str]:
    try:
        from mmbench.bench.local.ocr import ImageReader

        reader = ImageReader()
    except ImportError as error:
        return None, f"{error.name} is not installed"
    for _ in range(WORKERS):  # an engine's first call is three times slower; no trial shall pay for it
        reader.read(_blank())
    return reader, ""


def _sound(weights: Path | None) -> ReadsSound | None:
    if weights is None:
        return None
    from mmbench.bench.local.speech import SoundReader

    return SoundReader(weights)


def _blank() -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (320, 80), "white")
    ImageDraw.Draw(image).text((20, 20), "ready", fill="black", font_size=32)
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


def _announce(path: Path, server: LocalHTTPServer) -> None:
    """Write the file in one step: the parent reads it as soon as it exists."""
    readers = server.readers
    value = {
        "port": server.server_address[1],
        "ocr": readers.images is not None,
        "speech": readers.sound is not None,
        "reason": "" if readers.images and readers.sound else readers.reason,
    }
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(value), encoding="utf-8")
    partial.rename(path)


if __name__ == "__main__":
    main()
