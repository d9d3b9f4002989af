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
    check = {"kind": "image_match", "same_as": "a.png", "format": "jpeg", "width": 160, "height": 120}
    picture(1).resize((160, 120)).save(made.tree / "good.jpg")
    picture(1).save(made.tree / "large.jpg", "PNG")
    picture(2).resize((160, 120)).save(made.tree / "other.jpg")
    made.write("empty.jpg", b"")
    names = ("good.jpg", "large.jpg", "other.jpg", "empty.jpg")
    good, large, other, empty = made.results([{**check, "path": name} for name in names])
    assert (good.score, large.score, other.score, empty.score) == (1, 0.25, 0, 0)
    assert large.reason.startswith("large.jpg: its format is png, not jpeg; its width is 320 pixels, not 160")


def test_image_match_of_a_crop(made: Trial) -> None:
    picture(1).crop((20, 20, 220, 170)).save(made.tree / "crop.png")
    check = {"kind": "image_match", "path": "crop.png", "same_as": "a.png"}
    right, wrong = made.scores({**check, "transform": [{"crop": [20, 20, 220, 170]}]}, check)
    assert right == 1
    assert wrong < 0.7


def test_audio_match(made: Trial) -> None:
    save_wav(made.tree / "swapped.wav", chatter(2, 4), chatter(1, 4))
    save_wav(made.tree / "other.wav", chatter(8, 4), chatter(9, 4))
    check = {"kind": "audio_match", "same_as": "a.wav", "duration_s": 4, "sample_rate": 48_000}
    swapped = {**check, "path": "swapped.wav"}
    assert made.scores(
        {**swapped, "channel_order": "swapped"},
        {**swapped, "channel_order": "same"},
        {**swapped, "lufs": -3, "loudness_tolerance": 0.1},
        {**check, "path": "other.wav"},
    ) == [1, 0, 0.75, 0]


def test_audio_match_of_a_cut(made: Trial) -> None:
    save_wav(made.tree / "out.wav", *(chatter(seed, 4)[48_000:144_000] for seed in (1, 2)))
    check = {"kind": "audio_match", "path": "out.wav", "same_as": "a.wav", "start_s": 1, "end_s": 3}
    right, long, elsewhere = made.scores(
        {**check, "duration_s": 2}, {**check, "duration_s": 2.5}, {**check, "start_s": 0, "end_s": 2}
    )
    assert (right, elsewhere) == (1, 0)
    assert long == pytest.approx(0.5 + 0.5 * 2 / 3, abs=0.01)


def test_video_match(made: Trial) -> None:
    save_video(made.tree / "out.mp4", lambda time: picture(int(time + 1 + 1e-6), (96, 64)), 2)
    check = {"kind": "video_match", "path": "out.mp4", "same_as": "a.mp4", "start_s": 1, "frames": [0.5, 1.5]}
    assert made.scores(
        {**check, "duration_s": 2, "fps": 10, "sound": False, "codec": "mpeg4", "width": 96},
        {**check, "start_s": 2, "frames": [0.5]},
        {**check, "sound": True},
    ) == [1, 0, 0.5]


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
    kinds = {"x.png": "image_match", "x.wav": "audio_match", "x.mp4": "video_match"}
    for name in kinds:
        made.write(name, b"\0" * 1000)
    results = made.results(
        [{"kind": kind, "path": name, "same_as": f"a{name[1:]}"} for name, kind in kinds.items()]
    )
    assert [result.score for result in results] == [0, 0, 0]
    assert [result.reason.partition(" (")[0] for result in results] == [
        "x.png is malformed: it is not an image that can be read",
        "x.wav is malformed: it is not a sound file that can be read",
        "x.mp4 is malformed: it is not a video that can be read",
    ]
