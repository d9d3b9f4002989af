import re
import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest

from mmbench.bench.grading.malformed import Malformed
from mmbench.bench.grading.sound import audio
from tests.bench.grading.samples import chatter, save_encoded, save_wav, tone


def listen(path: Path, reference: Path | None = None, start: float = 0, end: float | None = None) -> dict:
    return audio(str(path), None if reference is None else str(reference), start, end, loud=True)


def test_what_a_file_is(tmp_path: Path) -> None:
    facts = listen(save_wav(tmp_path / "a.wav", tone(440, 1.5), rate=48_000))
    assert (facts["sample_rate"], facts["channels"], facts["codec"]) == (48_000, 1, "pcm_s16le")
    assert facts["duration"] == pytest.approx(1.5, abs=0.01)


def test_loudness_of_the_standards_own_tone(tmp_path: Path) -> None:
    """ITU-R BS.1770: a full-scale sine of 997 Hz in one channel is -3.01 LKFS."""
    full = tone(997, 4, level=1.0)
    facts = listen(save_wav(tmp_path / "a.wav", full, np.zeros_like(full)))
    assert facts["lufs"] == pytest.approx(-3.01, abs=0.05)
    assert facts["rms_dbfs"] == pytest.approx(-6.02, abs=0.05)


def test_loudness_agrees_with_another_meter(tmp_path: Path) -> None:
    loud = np.concatenate([chatter(1, 6, 0.6), chatter(2, 6, 0.02), np.zeros(48_000 * 3), chatter(3, 8, 0.3)])
    path = save_wav(tmp_path / "a.wav", loud, np.roll(loud, 4800) * 0.5)
    command = [
        imageio_ffmpeg.get_ffmpeg_exe(),
        "-hide_banner",
        "-i",
        str(path),
        "-af",
        "ebur128",
        "-f",
        "null",
        "-",
    ]
    meter = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    integrated = float(re.findall(r"I:\s+(-?[\d.]+) LUFS", meter)[-1])
    assert listen(path)["lufs"] == pytest.approx(integrated, abs=0.15)


def test_silence_has_no_loudness(tmp_path: Path) -> None:
    facts = listen(save_wav(tmp_path / "a.wav", np.zeros(48_000)))
    assert (facts["lufs"], facts["rms_dbfs"]) == (None, None)


@pytest.mark.parametrize(("name", "codec"), [("b.mp3", "mp3"), ("b.m4a", "aac"), ("b.flac", "flac")])
def test_a_sound_is_like_itself_in_another_codec(tmp_path: Path, name: str, codec: str) -> None:
    left, right = chatter(1, 3), chatter(2, 3)
    original = save_wav(tmp_path / "a.wav", left, right)
    if codec == "flac":
        frames = imageio_ffmpeg.get_ffmpeg_exe()
        subprocess.run([frames, "-v", "error", "-i", str(original), str(tmp_path / name)], check=True)
    else:
        save_encoded(tmp_path / name, "libmp3lame" if codec == "mp3" else codec, left, right)
    facts = listen(tmp_path / name, original)
    assert facts["likeness"] > 0.95
    assert facts["side"] > 0.9


def test_another_sound_is_not_alike(tmp_path: Path) -> None:
    original = save_wav(tmp_path / "a.wav", chatter(1, 3))
    for seed in range(2, 8):
        assert listen(save_wav(tmp_path / "b.wav", chatter(seed, 3)), original)["likeness"] < 0.3
    assert listen(save_wav(tmp_path / "b.wav", np.zeros(144_000)), original)["likeness"] == 0


def test_a_cut_is_like_its_stretch_of_the_original(tmp_path: Path) -> None:
    whole = chatter(1, 8)
    original = save_wav(tmp_path / "a.wav", whole)
    cut = save_wav(tmp_path / "b.wav", whole[3 * 48_000 : 5 * 48_000])
    assert listen(cut, original, 3, 5)["likeness"] > 0.98
    assert listen(cut, original, 3.2, 5.2)["likeness"] == pytest.approx(0.9, abs=0.02)
    assert listen(cut, original, 5, 7)["likeness"] < 0.3
    assert listen(cut, original)["likeness"] < 0.3


def test_channels_in_order_swapped_and_mixed(tmp_path: Path) -> None:
    left, right = chatter(1, 3), chatter(2, 3)
    original = save_wav(tmp_path / "a.wav", left, right)
    assert listen(save_wav(tmp_path / "b.wav", left, right), original)["side"] > 0.99
    assert listen(save_wav(tmp_path / "b.wav", right, left), original)["side"] < -0.99
    mixed = (left + right) / 2
    assert listen(save_wav(tmp_path / "b.wav", mixed, mixed), original)["side"] == 0
    assert listen(save_wav(tmp_path / "b.wav", left), save_wav(tmp_path / "m.wav", left))["side"] is None


@pytest.mark.parametrize("data", [b"", b"RIFF", b"ID3" + b"\0" * 100, b"not a sound"])
def test_what_is_no_sound_is_malformed(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.mp3").write_bytes(data)
    with pytest.raises(Malformed):
        listen(tmp_path / "x.mp3")
