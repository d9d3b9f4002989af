"""The real mm against the real local backend: what `-m accurate` gives with no account and no network."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import imageio_ffmpeg
import pytest
from PIL import Image

from mmbench.bench.endpoint import ping
from mmbench.bench.fixture import media
from mmbench.bench.local import LocalServer, serve
from mmbench.bench.meter import Meter
from mmbench.bench.mmhome import materialise, mm_env, read_mm_db
from mmbench.bench.profiles import local
from tests.bench.local.conftest import picture
from tests.support import whisper
from tests.support.mm import EXECUTABLE as MM

pytestmark = pytest.mark.live

CLIP = "meeting_decided"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    weights = whisper.weights(tmp_path_factory.mktemp("whisper"))
    if weights is None:
        pytest.skip(whisper.WHY_NOT)
    with serve(weights) as running:
        yield running


@dataclass(frozen=True)
class Trial:
    """A folder of files and an mm that works in it through the meter."""

    folder: Path
    home: Path
    url: str
    meter: Meter
    tools: Path

    def mm(self, *args: str) -> str:
        env = {"PATH": f"{self.tools}:/usr/bin:/bin", **mm_env(self.home, self.url)}
        done = subprocess.run(
            [MM, *args], cwd=self.folder, env=env, capture_output=True, text=True, check=True
        )
        return done.stdout


@pytest.fixture
def trial(server: LocalServer, tmp_path: Path) -> Iterator[Trial]:
    folder, home, tools = (tmp_path / name for name in ("files", "home", "tools"))
    for made in (folder, home, tools):
        made.mkdir()
    (tools / "ffmpeg").symlink_to(imageio_ffmpeg.get_ffmpeg_exe())
    with Meter(local(server.base_url, server.key)) as meter:
        url = meter.open("t")
        materialise(local(), url, home)
        yield Trial(folder, home, url, meter, tools)


def test_it_answers_a_ping(server: LocalServer) -> None:
    assert (server.ocr, server.speech, server.reason) == (True, True, "")
    assert ping(local(server.base_url, server.key)).model == "mmbench-local"


def test_a_photo_is_read(trial: Trial) -> None:
    (trial.folder / "photo.png").write_bytes(picture("Invoice 2024-117", "Total 342,775.48 EUR"))
    with Image.open(trial.folder / "photo.png") as image:
        image.convert("RGB").save(trial.folder / "photo.jpg")
    said = trial.mm("cat", "photo.jpg", "-m", "accurate")
    assert "Invoice 2024-117\nTotal 342,775.48 EUR" in said
    counts, noted = trial.meter.close("t"), read_mm_db(trial.home)
    assert (counts.requests, counts.errors) == (1, {})
    assert counts.prompt_tokens > 100
    if noted is not None and noted.prompt:
        assert noted.prompt == counts.prompt_tokens


def test_a_scanned_pdf_is_read_page_by_page(trial: Trial) -> None:
    pages = []
    for number in (1, 2):
        path = trial.folder / f"{number}.png"
        path.write_bytes(picture(f"Page number {number}", "Lease of a garden"))
        with Image.open(path) as image:
            pages.append(image.convert("RGB"))
        path.unlink()
    pages[0].save(trial.folder / "scan.pdf", save_all=True, append_images=pages[1:])
    said = trial.mm("cat", "scan.pdf", "-m", "accurate", "-p", "rasterize")
    assert "Page number 1\nLease of a garden" in said
    assert "Page number 2\nLease of a garden" in said


def test_a_recording_is_transcribed_the_same_way_twice(trial: Trial) -> None:
    (trial.folder / "note.flac").write_bytes(media.raw(f"speech/{CLIP}.flac"))
    shutil.copy(trial.folder / "note.flac", trial.folder / "again.flac")
    first, again = (
        trial.mm("cat", name, "--no-cache").split("\n\n", 1)[1] for name in ("note.flac", "again.flac")
    )
    assert _lines(first) == _lines(again)
    assert len(_lines(first)) >= 2
    counts = trial.meter.close("t")
    assert counts.errors == {}
    assert counts.sound_seconds > 5
    assert counts.unmetered == 0


def _lines(transcript: str) -> list[str]:
    return [line for line in transcript.splitlines() if line.startswith("[") and "s - " in line]


def test_another_endpoint_is_out_of_reach(trial: Trial) -> None:
    (trial.folder / "photo.png").write_bytes(picture("Private letter"))
    said = trial.mm("--profile", "gateway", "cat", "photo.png", "-m", "accurate")
    assert "[LLM error" in said
    counts = trial.meter.close("t")
    assert set(counts.errors) == {"other_hosts"}
    assert counts.bytes_in == 0
