"""Images looked at by the parser process: form, EXIF data, and likeness to another image."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import ExifTags, Image, ImageOps, TiffImagePlugin

from mmbench.bench.grading.malformed import Malformed, parsing

MAX_PIXELS = 120_000_000
SIDE = 64
FLAT = 0.01
LUMA = np.array([0.299, 0.587, 0.114])  # ITU-R BT.601, as Pillow's own grayscale
Pixels = npt.NDArray[np.float64]
# Where the pixels lie in the file and how they are stored: a converted copy must differ in these.
_TECHNICAL = frozenset(
    {
        "ExifOffset", "GPSInfo", "ExifInteroperabilityOffset", "MakerNote", "PrintImageMatching",
        "XMLPacket", "IPTCNAA", "ImageWidth", "ImageLength", "ExifImageWidth", "ExifImageHeight",
        "Compression", "BitsPerSample", "PhotometricInterpretation", "SamplesPerPixel",
        "PlanarConfiguration", "StripOffsets", "StripByteCounts", "RowsPerStrip", "JpegIFOffset",
        "JpegIFByteCount", "Orientation", "XResolution", "YResolution", "ResolutionUnit",
        "YCbCrPositioning", "YCbCrSubSampling", "ComponentsConfiguration", "Software", "ModifyDate",
        "DateTime", "ExifVersion", "FlashPixVersion", "InterColorProfile", "ColorSpace", "Predictor",
        "SampleFormat",
    }
)  # fmt: skip


def image(
    path: str, reference: str | None, transform: Sequence[Mapping[str, Any]], colour: bool
) -> dict[str, Any]:
    """Return format, size as it is displayed and, against a reference, likeness in 0..1."""
    picture, form = _open(path)
    facts: dict[str, Any] = {
        "format": form,
        "width": picture.width,
        "height": picture.height,
        "likeness": None,
    }
    if reference is not None:
        facts["likeness"] = likeness(picture, transformed(_open(reference)[0], transform), colour=colour)
    return facts


def exif(path: str) -> dict[str, str]:
    """Return the descriptive EXIF tags of an image by name, GPS ones included, as text."""
    with parsing("it is not an image"), _quiet(), Image.open(path) as picture:
        data = picture.getexif()
        groups = [data, data.get_ifd(ExifTags.IFD.Exif), data.get_ifd(ExifTags.IFD.GPSInfo)]
        names = [ExifTags.TAGS, ExifTags.TAGS, ExifTags.GPSTAGS]
        tags = {
            known.get(number, str(number)): _plain(value)
            for group, known in zip(groups, names, strict=True)
            for number, value in group.items()
        }
    return {name: value for name, value in tags.items() if name not in _TECHNICAL}


def likeness(found: Image.Image, wanted: Image.Image, *, colour: bool = True) -> float:
    """Return how alike two pictures look, 0..1, whatever their size and compression.

    Both are shrunk to 64 × 64. The measure is the correlation of their
    lightness, which sees layout, times one minus the mean difference of their
    colours, which sees tint and exposure. A flat picture has no layout: two
    flat ones are compared by colour alone, a flat one is unlike any other.
    """
    a, b = _small(found), _small(wanted)
    light_a, light_b = a @ LUMA, b @ LUMA
    flat_a, flat_b = light_a.std() < FLAT, light_b.std() < FLAT
    if flat_a != flat_b:
        return 0.0
    layout = 1.0 if flat_a else float(np.corrcoef(light_a.ravel(), light_b.ravel())[0, 1])
    tint = float(np.abs(a - b).mean()) if colour or flat_a else 0.0
    return min(1.0, max(0.0, layout)) * (1 - tint)


def transformed(picture: Image.Image, steps: Sequence[Mapping[str, Any]]) -> Image.Image:
    """Return a picture after the steps a task asks for: crop, rotate (clockwise), flip, resize, grayscale."""
    for step in steps:
        if "crop" in step:
            picture = picture.crop(tuple(step["crop"]))
        elif "rotate" in step:
            picture = picture.rotate(-step["rotate"], expand=True)
        elif "flip" in step:
            picture = ImageOps.mirror(picture) if step["flip"] == "horizontal" else ImageOps.flip(picture)
        elif "resize" in step:
            picture = picture.resize(tuple(step["resize"]))
        elif "grayscale" in step:
            picture = ImageOps.grayscale(picture).convert("RGB")
    return picture


def _open(path: str) -> tuple[Image.Image, str]:
    """Return a picture upright, in RGB on white, and its format's name."""
    _register()
    with parsing("it is not an image that can be read"), _quiet(), Image.open(path) as picture:
        if picture.width * picture.height > MAX_PIXELS:
            raise Malformed(f"it has {picture.width} × {picture.height} pixels")
        form = (picture.format or "").lower()
        upright = ImageOps.exif_transpose(picture).convert("RGBA")
        page = Image.new("RGBA", upright.size, "white")
        return Image.alpha_composite(page, upright).convert("RGB"), {"mpo": "jpeg", "heif": "heic"}.get(
            form, form
        )


def _register() -> None:
    import pillow_heif

    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    pillow_heif.register_heif_opener()


def _quiet() -> warnings.catch_warnings[None]:
    guard: warnings.catch_warnings[None] = warnings.catch_warnings(action="ignore")
    return guard


def _small(picture: Image.Image) -> Pixels:
    return np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float64) / 255


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return value.rstrip(b"\0").hex()
    if isinstance(value, TiffImagePlugin.IFDRational):
        return f"{float(value):.6g}" if value.denominator else "nan"
    if isinstance(value, tuple):
        return " ".join(map(_plain, value))
    return str(value).strip("\0 ")
