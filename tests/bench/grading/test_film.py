from pathlib import Path

import pytest
from PIL import Image

from mmbench.bench.grading.film import video
from mmbench.bench.grading.malformed import Malformed
from tests.bench.grading.samples import picture, save_video, save_wav, tone

SCENES = [picture(seed, (160, 120)) for seed in range(6)]


def scene(time: float) -> Image.Image:
    """Another picture every second."""
    return SCENES[int(time + 1e-6) % len(SCENES)]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_video(tmp_path_factory.mktemp("film") / "a.mp4", scene, 6, sound=True)


def watch(
    path: Path, reference: Path | None = None, start: float = 0, times: tuple[float, ...] = (0,)
) -> dict:
    return video(str(path), None if reference is None else str(reference), start, times)


def test_what_a_video_is(original: Path) -> None:
    facts = watch(original)
    assert (facts["width"], facts["height"], facts["codec"], facts["audio_codec"]) == (
        160,
        120,
        "mpeg4",
        "aac",
    )
    assert facts["duration"] == pytest.approx(6, abs=0.01)
    assert facts["fps"] == pytest.approx(10)


def test_a_cut_shows_the_frames_of_its_stretch(original: Path, tmp_path: Path) -> None:
    cut = save_video(tmp_path / "b.mp4", lambda time: scene(time + 2), 2)
    assert min(watch(cut, original, 2, (0, 0.5, 1.5))["likeness"]) > 0.9
    assert max(watch(cut, original, 3, (0.5, 1.5))["likeness"]) < 0.5
    assert watch(cut)["audio_codec"] is None


def test_a_frame_or_two_off_is_still_right(original: Path, tmp_path: Path) -> None:
    cut = save_video(tmp_path / "b.mp4", lambda time: scene(time + 2.1), 2)
    assert min(watch(cut, original, 2, (0, 1))["likeness"]) > 0.9


def test_a_video_that_ends_early_has_no_later_frames(original: Path, tmp_path: Path) -> None:
    short = save_video(tmp_path / "b.mp4", scene, 1)
    assert watch(short, original, 0, (0.5, 4))["likeness"][1] == 0
    assert watch(original, original, 0, (0, 30))["likeness"][1] is None


def test_the_header_does_not_decide_the_duration(original: Path, tmp_path: Path) -> None:
    data = original.read_bytes()
    at = data.find(b"mvhd") + 4 + 16
    (tmp_path / "b.mp4").write_bytes(data[:at] + (999_999_999).to_bytes(4, "big") + data[at + 4 :])
    assert watch(tmp_path / "b.mp4")["duration"] == pytest.approx(6, abs=0.01)


def test_what_is_no_video_is_malformed(original: Path, tmp_path: Path) -> None:
    for name, data in {"a.mp4": b"", "b.mp4": b"x" * 99, "c.mp4": original.read_bytes()[:2000]}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(Malformed):
            watch(tmp_path / name)
    with pytest.raises(Malformed, match="no pictures"):
        watch(save_wav(tmp_path / "a.wav", tone(440, 1)))
