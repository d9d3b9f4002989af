"""Checks of images, sounds and videos that agents write: properties, and likeness to what they were made from.

Each property that a check asks for is one part of its score, all parts equal.
Likeness is the essential part: where it is asked for and is 0, the check is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mmbench.bench.grading.artifact import written
from mmbench.bench.grading.base import CheckFailedToRun, Finding, KindSpec, Params
from mmbench.bench.grading.look import Look
from mmbench.bench.grading.params import PATH, described, flag

FLOOR = 0.5
"""Likeness at and below which two things are not alike at all."""


@dataclass(frozen=True, slots=True)
class Part:
    """One property: its score in 0..1 and, when short of 1, what is wrong with it."""

    score: float
    fault: str
    essential: bool = False


def image_match(p: Params, look: Look) -> Finding:
    """Score an image the agent wrote: format, size in pixels as displayed, and likeness to an original.

    The original may first be transformed as the task asks. Likeness scores 1
    from `min_likeness` up and falls to 0 at 0.5.
    """
    path = written(p["path"], look)
    facts = look.ask_with_original("image", path, p["same_as"], transform=p["transform"], colour=p["colour"])
    parts = [_equal(facts, name, p[name]) for name in ("format",) if p[name] is not None]
    parts += [
        _near(facts, name, p[name], p["size_tolerance"], "pixels")
        for name in ("width", "height")
        if p[name] is not None
    ]
    if p["same_as"] is not None:
        parts.append(_alike(facts["likeness"], p["min_likeness"]))
    return _weigh(path, parts)


def audio_match(p: Params, look: Look) -> Finding:
    """Score a sound the agent wrote: duration, format, loudness, likeness to an original, and its channels' order.

    Loudness is gated LUFS by ITU-R BS.1770, or plain RMS in dBFS. Channels
    are told by the correlation of left minus right with the original's.
    """
    path = written(p["path"], look)
    loud = p["lufs"] is not None or p["rms_dbfs"] is not None
    facts = look.ask_with_original("audio", path, p["same_as"], start=p["start_s"], end=p["end_s"], loud=loud)
    parts = [
        _equal(facts, name, p[name]) for name in ("sample_rate", "channels", "codec") if p[name] is not None
    ]
    if p["duration_s"] is not None:
        parts.append(_near(facts, "duration", p["duration_s"], p["duration_tolerance_s"], "s"))
    parts += [
        _near(facts, name, p[name], p["loudness_tolerance"], "dB")
        for name in ("lufs", "rms_dbfs")
        if p[name] is not None
    ]
    if p["same_as"] is not None:
        parts.append(_alike(facts["likeness"], p["min_likeness"]))
    if p["channel_order"] is not None:
        parts.append(_ordered(facts.get("side"), p))
    return _weigh(path, parts)


def video_match(p: Params, look: Look) -> Finding:
    """Score a video the agent wrote: duration, size, frame rate, codec, sound, and frames against an original's.

    Frames are compared at times from the video's own beginning, which is at
    `start_s` in the original; the best within a tenth of a second counts.
    """
    path = written(p["path"], look)
    facts = look.ask_with_original("video", path, p["same_as"], start=p["start_s"], times=p["frames"])
    parts = [_equal(facts, name, p[name]) for name in ("width", "height", "codec") if p[name] is not None]
    if p["duration_s"] is not None:
        parts.append(_near(facts, "duration", p["duration_s"], p["duration_tolerance_s"], "s"))
    if p["fps"] is not None:
        parts.append(_near(facts, "fps", p["fps"], 0.05, "frames a second"))
    if p["sound"] is not None:
        has = facts["audio_codec"] is not None
        parts.append(Part(float(has == p["sound"]), f"it has {'a' if has else 'no'} sound track"))
    if p["same_as"] is not None:
        parts.append(_alike_frames(facts["likeness"], p))
    return _weigh(path, parts)


def _weigh(path: str, parts: Sequence[Part]) -> Finding:
    if not parts:
        return Finding(1.0, f"{path} can be read.")
    faults = [part.fault for part in parts if part.score < 1]
    score = sum(part.score for part in parts) / len(parts)
    if any(part.essential and part.score == 0 for part in parts):
        score = 0.0
    return Finding(score, f"{path}: {'; '.join(faults)}." if faults else f"{path} is as it should be.")


def _equal(facts: dict[str, Any], name: str, wanted: object) -> Part:
    what = name.replace("_", " ")
    return Part(float(facts[name] == wanted), f"its {what} is {facts[name]}, not {wanted}")


def _near(facts: dict[str, Any], name: str, wanted: float, tolerance: float, unit: str) -> Part:
    """Score 1 within the tolerance, falling to 0 at four times of it."""
    found = facts[name]
    if found is None:
        return Part(0.0, f"its {name} cannot be told")
    away = abs(found - wanted)
    score = (
        1.0
        if away <= tolerance + 1e-9
        else max(0.0, 1 - (away - tolerance) / (3 * tolerance))
        if tolerance
        else 0.0
    )
    return Part(score, f"its {name} is {found:.6g} {unit}, not {wanted:g}")


def _alike(likeness: float, enough: float) -> Part:
    score = min(1.0, max(0.0, (likeness - FLOOR) / (enough - FLOOR)))
    return Part(score, f"its likeness to the original is {likeness:.2f}, below {enough:g}", essential=True)


def _alike_frames(likeness: Sequence[float | None], p: Params) -> Part:
    if any(one is None for one in likeness):
        raise CheckFailedToRun(f"video_match: {p['same_as']} has no frame at some of {p['frames']}")
    parts = [_alike(one, p["min_likeness"]) for one in likeness if one is not None]
    worst = min((one for one in likeness if one is not None), default=1.0)
    score = sum(part.score for part in parts) / len(parts)
    return Part(score, f"its frames are unlike the original's, {worst:.2f} at the worst", essential=True)


def _ordered(side: float | None, p: Params) -> Part:
    """Score the order of the channels: 1 from a correlation of 0.9 up, 0 from 0 down."""
    if p["same_as"] is None or side is None:
        raise CheckFailedToRun("audio_match: channel_order needs an original whose channels differ")
    signed = side if p["channel_order"] == "same" else -side
    fault = (
        f"its channels are not {'as in' if p['channel_order'] == 'same' else 'swapped against'} the original"
    )
    return Part(min(1.0, max(0.0, signed / 0.9)), f"{fault} (correlation {signed:.2f})", essential=True)


_SIZE = {"type": "integer", "minimum": 1}
_SECONDS = {"type": "number", "minimum": 0}
_LIKENESS = {"type": "number", "exclusiveMinimum": FLOOR, "maximum": 1}
_SAME_AS = described(PATH, "The file of the dataset it was made from, by its path at the start.")
_STEP = {
    "type": "object",
    "properties": {
        "crop": {"type": "array", "items": {"type": "integer"}, "minItems": 4, "maxItems": 4},
        "rotate": {"type": "number", "description": "Degrees clockwise."},
        "flip": {"enum": ["horizontal", "vertical"]},
        "resize": {"type": "array", "items": _SIZE, "minItems": 2, "maxItems": 2},
        "grayscale": {"const": True},
    },
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
}
_START = described(_SECONDS, "Where the file begins in the original, in seconds.", default=0)
_DURATION = {
    "duration_s": described(_SECONDS, "Duration in seconds."),
    "duration_tolerance_s": described(
        _SECONDS, "Accepted difference; four times of it earns 0.", default=0.25
    ),
}

KINDS = {
    "image_match": KindSpec(
        image_match,
        {
            "path": PATH,
            "format": {"enum": ["jpeg", "png", "webp", "tiff", "gif", "heic", "avif", "bmp"]},
            "width": _SIZE,
            "height": _SIZE,
            "size_tolerance": {"type": "integer", "minimum": 0, "default": 0},
            "same_as": _SAME_AS,
            "transform": {
                "type": "array",
                "items": _STEP,
                "default": [],
                "description": "What to do to the original first.",
            },
            "min_likeness": described(_LIKENESS, "Likeness that earns full marks.", default=0.9),
            "colour": flag("Colours count, not only lightness.", default=True),
        },
        ("path",),
    ),
    "audio_match": KindSpec(
        audio_match,
        {
            "path": PATH,
            **_DURATION,
            "sample_rate": _SIZE,
            "channels": _SIZE,
            "codec": {"type": "string", "minLength": 1},
            "lufs": {"type": "number", "description": "Gated loudness, ITU-R BS.1770."},
            "rms_dbfs": {"type": "number"},
            "loudness_tolerance": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 1,
                "description": "In dB.",
            },
            "same_as": _SAME_AS,
            "start_s": _START,
            "end_s": described(_SECONDS, "Where the file ends in the original; its end when left out."),
            "min_likeness": described(_LIKENESS, "Likeness that earns full marks.", default=0.9),
            "channel_order": {"enum": ["same", "swapped"], "description": "Against the original."},
        },
        ("path",),
    ),
    "video_match": KindSpec(
        video_match,
        {
            "path": PATH,
            **_DURATION,
            "width": _SIZE,
            "height": _SIZE,
            "fps": {"type": "number", "exclusiveMinimum": 0},
            "codec": {"type": "string", "minLength": 1},
            "sound": {"type": "boolean", "description": "Whether it must have a sound track."},
            "same_as": _SAME_AS,
            "start_s": _START,
            "frames": {
                "type": "array",
                "items": _SECONDS,
                "minItems": 1,
                "maxItems": 20,
                "default": [0],
                "description": "Seconds from its beginning at which frames are compared.",
            },
            "min_likeness": described(_LIKENESS, "Likeness that earns full marks.", default=0.85),
        },
        ("path",),
    ),
}
