from pathlib import Path

import pytest

from mmbench.bench.grading import CheckFailedToRun
from tests.bench.grading.samples import chatter, picture, save_video, save_wav
from tests.bench.grading.trial import Trial, trial


@pytest.fixture
def made(tmp_path: Path) -> Trial:
    made = trial(tmp_path, ["notes.txt"])
    picture(1).save(made.reference / "a.png")
    save_wav(made.reference / "a.wav", chatter(1, 4), chatter(2, 4))
    save_video(made.reference / "a.mp4", lambda time: picture(int(time + 1e-6), (96, 64)), 4)
    return made


def test_image_match(made: Trial) -> None:
    check = {
        "kind": "image_match",
        "path": "out.jpg",
        "same_as": "a.png",
        "format": "jpeg",
        "width": 160,
        "height": 120,
    }
    picture(1).resize((160, 120)).save(made.tree / "out.jpg")
    assert made.share([check]) == 1
    picture(1).save(made.tree / "out.jpg", "PNG")
    result = made.results([check])[0]
    assert result.score == 0.25
    assert result.reason.startswith("out.jpg: its format is png, not jpeg; its width is 320 pixels, not 160")
    picture(2).resize((160, 120)).save(made.tree / "out.jpg")
    assert made.share([check]) == 0
    made.write("out.jpg", b"")
    assert made.share([check]) == 0


def test_image_match_of_a_crop(made: Trial) -> None:
    picture(1).crop((20, 20, 220, 170)).save(made.tree / "crop.png")
    check = {"kind": "image_match", "path": "crop.png", "same_as": "a.png"}
    assert made.share([{**check, "transform": [{"crop": [20, 20, 220, 170]}]}]) == 1
    assert made.share([check]) < 0.7


def test_audio_match(made: Trial) -> None:
    check = {
        "kind": "audio_match",
        "path": "out.wav",
        "same_as": "a.wav",
        "duration_s": 4,
        "sample_rate": 48_000,
    }
    save_wav(made.tree / "out.wav", chatter(2, 4), chatter(1, 4))
    assert made.share([{**check, "channel_order": "swapped"}]) == 1
    assert made.share([{**check, "channel_order": "same"}]) == 0
    assert made.share([{**check, "lufs": -3, "loudness_tolerance": 0.1}]) == 0.75
    save_wav(made.tree / "out.wav", chatter(8, 4), chatter(9, 4))
    assert made.share([check]) == 0


def test_audio_match_of_a_cut(made: Trial) -> None:
    save_wav(made.tree / "out.wav", *(chatter(seed, 4)[48_000:144_000] for seed in (1, 2)))
    check = {"kind": "audio_match", "path": "out.wav", "same_as": "a.wav", "start_s": 1, "end_s": 3}
    assert made.share([{**check, "duration_s": 2}]) == 1
    assert made.share([{**check, "duration_s": 2.5}]) == pytest.approx(0.5 + 0.5 * 2 / 3, abs=0.01)
    assert made.share([{**check, "start_s": 0, "end_s": 2}]) == 0


def test_video_match(made: Trial) -> None:
    save_video(made.tree / "out.mp4", lambda time: picture(int(time + 1 + 1e-6), (96, 64)), 2)
    check = {"kind": "video_match", "path": "out.mp4", "same_as": "a.mp4", "start_s": 1, "frames": [0.5, 1.5]}
    assert (
        made.share([{**check, "duration_s": 2, "fps": 10, "sound": False, "codec": "mpeg4", "width": 96}])
        == 1
    )
    assert made.share([{**check, "start_s": 2, "frames": [0.5]}]) == 0
    assert made.share([{**check, "sound": True}]) == 0.5


def test_a_case_that_asks_for_what_the_original_lacks_is_at_fault(made: Trial) -> None:
    picture(1).save(made.tree / "out.png")
    save_wav(made.tree / "out.wav", chatter(1, 1))
    save_video(made.tree / "out.mp4", lambda time: picture(0, (96, 64)), 1)
    for check in (
        {"kind": "image_match", "path": "out.png", "same_as": "notes.txt"},
        {"kind": "image_match", "path": "out.png", "same_as": "none.png"},
        {"kind": "audio_match", "path": "out.wav", "channel_order": "same"},
        {"kind": "video_match", "path": "out.mp4", "same_as": "a.mp4", "frames": [60]},
    ):
        with pytest.raises(CheckFailedToRun):
            made.share([check])


def test_an_untouched_original_is_not_a_result(made: Trial) -> None:
    picture(1).save(made.tree / "a.png")
    (made.tree / "a.png").write_bytes((made.reference / "a.png").read_bytes())
    assert made.score(kind="image_match", path="a.png", same_as="a.png") == 0


def test_a_malformed_file_fails_with_the_reason(made: Trial) -> None:
    for kind, name in (("image_match", "x.png"), ("audio_match", "x.wav"), ("video_match", "x.mp4")):
        made.write(name, b"\0" * 1000)
        result = made.result(kind=kind, path=name, same_as=f"a.{name[2:]}")
        assert result.score == 0
        assert result.reason.startswith(f"{name} is malformed: it is not a")
