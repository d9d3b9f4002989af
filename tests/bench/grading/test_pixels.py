import pytest
from PIL import Image, ImageEnhance, ImageOps

from mmbench.bench.grading.malformed import Malformed
from mmbench.bench.grading.pixels import exif, image, likeness, transformed
from tests.bench.grading.samples import picture


def test_a_picture_is_like_itself_whatever_was_done_to_its_file(tmp_path) -> None:
    original = picture(1)
    original.save(tmp_path / "a.png")
    for name, options in {
        "a.jpg": {"quality": 40},
        "a.webp": {"quality": 50},
        "a.gif": {},
        "a.tiff": {},
    }.items():
        original.save(tmp_path / name, **options)
        facts = image(str(tmp_path / name), str(tmp_path / "a.png"), [], True)
        assert facts["likeness"] > 0.95, name
    original.resize((80, 60)).save(tmp_path / "small.png")
    assert image(str(tmp_path / "small.png"), str(tmp_path / "a.png"), [], True)["likeness"] > 0.98


def test_other_pictures_are_not_alike() -> None:
    pairs = [(a, b) for a in range(12) for b in range(a)]
    assert max(likeness(picture(a), picture(b)) for a, b in pairs) < 0.5


@pytest.mark.parametrize(
    "change",
    [
        ImageOps.invert,
        ImageOps.mirror,
        ImageOps.flip,
        lambda p: p.rotate(90),
        lambda p: p.crop((0, 0, 160, 120)),
    ],
)
def test_a_picture_that_was_spoilt_is_not_alike(change) -> None:
    assert likeness(change(picture(3)), picture(3)) < 0.8


def test_flat_pictures_are_told_by_colour_and_from_any_other() -> None:
    red, blue = Image.new("RGB", (9, 9), "red"), Image.new("RGB", (9, 9), "blue")
    assert likeness(red, red) == 1
    assert likeness(red, blue) < 0.5
    assert likeness(red, picture(1)) == likeness(picture(1), red) == 0


def test_colour_counts_unless_it_need_not() -> None:
    gray = ImageOps.grayscale(picture(4)).convert("RGB")
    assert likeness(gray, picture(4)) < likeness(gray, picture(4), colour=False)
    assert likeness(gray, picture(4), colour=False) > 0.9


def test_exposure_lowers_likeness_a_little() -> None:
    darker = ImageEnhance.Brightness(picture(5)).enhance(0.6)
    assert 0.5 < likeness(darker, picture(5)) < 0.95


def test_the_steps_of_a_task() -> None:
    original = picture(6)
    steps = [
        {"crop": [10, 10, 210, 110]},
        {"rotate": 90},
        {"flip": "horizontal"},
        {"resize": [50, 100]},
        {"grayscale": True},
    ]
    done = transformed(original, steps)
    assert done.size == (50, 100)
    by_hand = ImageOps.mirror(original.crop((10, 10, 210, 110)).transpose(Image.Transpose.ROTATE_270)).resize(
        (50, 100)
    )
    assert likeness(done, by_hand, colour=False) > 0.99


def test_a_turned_photo_is_seen_upright(tmp_path) -> None:
    original = picture(7)
    data = original.getexif()
    data[0x0112] = 6
    original.transpose(Image.Transpose.ROTATE_90).save(tmp_path / "a.jpg", exif=data)
    original.save(tmp_path / "b.png")
    facts = image(str(tmp_path / "a.jpg"), str(tmp_path / "b.png"), [], True)
    assert (facts["width"], facts["height"]) == (320, 240)
    assert facts["likeness"] > 0.95


def test_transparency_is_seen_on_white(tmp_path) -> None:
    Image.new("RGBA", (20, 20), (0, 0, 0, 0)).save(tmp_path / "a.png")
    Image.new("RGB", (20, 20), "white").save(tmp_path / "b.png")
    assert image(str(tmp_path / "a.png"), str(tmp_path / "b.png"), [], True)["likeness"] == 1


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"\xff\xd8\xff\xe0" + b"\0" * 50, b"not an image"])
def test_what_is_no_image_is_malformed(tmp_path, data: bytes) -> None:
    (tmp_path / "x.png").write_bytes(data)
    with pytest.raises(Malformed):
        image(str(tmp_path / "x.png"), None, [], True)
    with pytest.raises(Malformed):
        exif(str(tmp_path / "x.png"))


def test_a_decompression_bomb_is_refused(tmp_path) -> None:
    Image.new("1", (20_000, 20_000)).save(tmp_path / "bomb.png")
    with pytest.raises(Malformed):
        image(str(tmp_path / "bomb.png"), None, [], True)
