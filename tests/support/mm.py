"""The real mm for tests, with a tree of real files and a scripted model on loopback."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import threading
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mmbench.bench.mm import Mm, at
from mmbench.layout import project

EXECUTABLE = Path(os.environ.get("MMBENCH_MM") or project().state / "mm" / "bin" / "mm")
"""The pinned mm: MMBENCH_MM names its program, else it is the project's own."""

SPEECH = "the tide turns at four"


@pytest.fixture(name="mm", scope="session")
def installed_mm() -> Mm:
    """Describe the pinned mm; fail with the command that installs it."""
    if not EXECUTABLE.is_file():
        pytest.fail(
            f"These tests need the real mm, and {EXECUTABLE} does not exist. Run `nox -s tests`, which "
            "installs it, or set MMBENCH_MM to the `mm` of a virtualenv that holds only the pinned mm-ctx.",
            pytrace=False,
        )
    return at(EXECUTABLE)


@dataclass
class Backend:
    """An OpenAI-compatible server that answers every chat with `answer`."""

    url: str
    answer: str = "a small boat at a pier"
    requests: list[tuple[str, Any]] = field(default_factory=list)


@contextmanager
def backend() -> Iterator[Backend]:
    """Serve chat completions and transcriptions on loopback until the block ends."""
    state = Backend("")

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Keep the test's output clean."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            speech = self.path.endswith("/audio/transcriptions")
            state.requests.append((self.path, None if speech else json.loads(body)))
            reply = json.dumps(_transcript() if speech else _chat(state.answer)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def mm_env(home: Path, url: str = "http://127.0.0.1:9/v1") -> dict[str, str]:
    """Make a home for mm whose only profile in use is at `url`, and return the variables that select it."""
    config = home / ".config" / "mm"
    config.mkdir(parents=True, exist_ok=True)
    (config / "mm.toml").write_text(
        f'active_profile = "bench"\n[profile.bench]\nbase_url = "{url}"\napi_key = "none"\nmodel = "vlm"\n',
        encoding="utf-8",
    )
    return {
        "HOME": str(home),
        "MM_PROFILE": "bench",
        "MM_CACHE_DIR": str(home / "cache"),
        "MM_EMBEDDING_BASE_URL": url,
        "MM_TRANSCRIPTION_BASE_URL": url,
    }


def ffmpeg_folder(folder: Path) -> Path:
    """Link the packaged ffmpeg under its plain name into a folder."""
    import imageio_ffmpeg

    folder.mkdir(exist_ok=True)
    (folder / "ffmpeg").symlink_to(imageio_ffmpeg.get_ffmpeg_exe())
    return folder


def make_tree(root: Path) -> Path:
    """Write a dozen small files of many kinds; the same names as in the primer's examples."""
    for name in ("photos", "docs", "data", "audio", "video"):
        (root / name).mkdir(parents=True)
    _images(root / "photos")
    _pdfs(root / "docs")
    _office(root)
    for name in ("stock.csv", "stock again.csv"):
        (root / "data" / name).write_text("item,count\nrope,3\nlamp,4\n", encoding="utf-8")
    (root / "docs" / "todo.md").write_text("# To do\nprint the tide table\n", encoding="utf-8")
    _sound(root / "audio" / "memo.wav")
    _clip(root / "video" / "clip.mp4")
    return root


def _images(folder: Path) -> None:
    from PIL import Image, ImageDraw
    from pillow_heif import register_heif_opener

    register_heif_opener()
    picture = Image.new("RGB", (320, 240), (90, 140, 200))
    draw = ImageDraw.Draw(picture)
    draw.polygon([(40, 180), (280, 180), (230, 220), (90, 220)], fill=(120, 60, 20))
    draw.line([(160, 40), (160, 180)], fill=(20, 20, 20), width=6)
    exif = Image.Exif()
    exif[0x010F] = "Acme"
    exif.get_ifd(0x8769)[0x9003] = "2023:07:14 09:30:00"
    exif.get_ifd(0x8825).update({1: "N", 2: (53.0, 33.0, 0.0), 3: "E", 4: (9.0, 58.0, 0.0)})
    picture.save(folder / "harbour.jpg", exif=exif)
    picture.save(folder / "COPY.JPG")
    picture.save(folder / "phone.heic", exif=exif)
    garden = Image.new("RGB", (240, 240), (40, 120, 50))
    ImageDraw.Draw(garden).ellipse((20, 120, 140, 230), fill=(230, 200, 40))
    garden.save(folder / "garden.png")


def _pdfs(folder: Path) -> None:
    from fpdf import FPDF
    from PIL import Image, ImageDraw

    text = FPDF()
    text.set_title("Harbour handbook")
    text.set_author("R. Doe")
    text.set_font("helvetica", size=12)
    for line in ("Rules of the harbour", "The tide table hangs at pier 7", "Berths and fees"):
        text.add_page()
        text.cell(text=line)
    text.output(str(folder / "handbook.pdf"))
    page = Image.new("RGB", (600, 800), "white")
    ImageDraw.Draw(page).text((60, 60), "LOG OF THE PILOT", fill="black")
    page.save(folder / "scan.pdf")


def _office(root: Path) -> None:
    import docx
    import openpyxl
    import pptx

    minutes = docx.Document()
    minutes.add_paragraph("Minutes: the tide table was approved")
    minutes.save(str(root / "docs" / "minutes.docx"))
    talk = pptx.Presentation()
    slide = talk.slides.add_slide(talk.slide_layouts[5])
    slide.shapes.title.text = "Harbour plans"
    slide.notes_slide.notes_text_frame.text = "mention the dredging"
    talk.save(str(root / "docs" / "talk.pptx"))
    stock = openpyxl.Workbook()
    stock.active.title = "Shed"
    stock.active.append(["rope", 12])
    stock.create_sheet("Sums").append(["total", "=12+30"])
    stock.save(root / "data" / "stock.xlsx")


def _sound(path: Path) -> None:
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, 16000, 0, "NONE", ""))
        out.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(i / 10))) for i in range(32000)))


def _clip(path: Path) -> None:
    import imageio_ffmpeg

    picture = ("-f", "lavfi", "-i", "testsrc=duration=1:size=160x120:rate=5")
    sound = ("-f", "lavfi", "-i", "sine=duration=1")
    argv = (imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", *picture, *sound, "-shortest", str(path))
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, timeout=60)


def _chat(answer: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
    usage = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "vlm",
        "choices": [choice],
        "usage": usage,
    }


def _transcript() -> dict[str, Any]:
    part = {"id": 0, "start": 0.0, "end": 1.0, "text": SPEECH}
    return {"text": SPEECH, "segments": [part], "language": "en", "duration": 1.0}
