"""Video watched by the parser process: streams, duration, and frames compared with those of another video."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import av
from PIL import Image

from mmbench.bench.grading.malformed import Malformed, parsing
from mmbench.bench.grading.pixels import MAX_PIXELS, likeness

MAX_FRAMES = 20_000
SLACK_SECONDS = 0.1
EXACT_SECONDS = 1e-3
MAX_SHOWN_SECONDS = 1.0
"""A frame that is older than this at the time asked for is the last one of a video that is too short."""


def video(path: str, reference: str | None, start: float, times: Sequence[float]) -> dict[str, Any]:
    """Return the properties of a video and, against a reference, the likeness of its frames at some times.

    Times are seconds from the video's own beginning, `start` where that is in
    the reference. The best frame within a tenth of a second counts.
    """
    facts = _facts(path)
    if reference is not None:
        wanted = frames(reference, [start + time for time in times], slack=0.0)
        found = frames(path, times, slack=SLACK_SECONDS)
        facts["likeness"] = [
            max((likeness(frame, one[0]) for frame in near), default=0.0) if one else None
            for near, one in zip(found, wanted, strict=True)
        ]
    return facts


def frames(path: str, times: Sequence[float], *, slack: float) -> list[list[Image.Image]]:
    """Return for each time the frame that is on show then, and all others within the slack of it."""
    shown: list[tuple[float, Any] | None] = [None for _ in times]
    near: list[list[Any]] = [[] for _ in times]
    with parsing("its frames cannot be decoded"):
        for at, frame in _decode(path, until=max(times) + slack):
            for number, time in enumerate(times):
                if at <= time + EXACT_SECONDS:
                    shown[number] = (at, frame)
                if abs(at - time) <= slack:
                    near[number].append(frame)
        for number, (time, last) in enumerate(zip(times, shown, strict=True)):
            if last is not None and last[1] not in near[number] and time - last[0] < MAX_SHOWN_SECONDS:
                near[number].append(last[1])
        return [[frame.to_image() for frame in some] for some in near]


def _facts(path: str) -> dict[str, Any]:
    with parsing("it is not a video that can be read"), av.open(path) as container:
        if not container.streams.video:
            raise Malformed("it has no pictures")
        stream = container.streams.video[0]
        if stream.width * stream.height > MAX_PIXELS:
            raise Malformed(f"it has {stream.width} × {stream.height} pixels")
        sound = container.streams.audio[0] if container.streams.audio else None
        return {
            "container": container.format.name,
            "codec": stream.codec_context.name,
            "width": stream.width,
            "height": stream.height,
            "fps": float(stream.average_rate) if stream.average_rate else None,
            "audio_codec": sound.codec_context.name if sound else None,
            "duration": _duration(container, stream),
            "subtitles": len(container.streams.subtitles),
        }


def _duration(container: Any, stream: Any) -> float:
    """Return the seconds from the first picture to the end of the last: counted, not what the header claims."""
    first, end = None, 0.0
    for number, packet in enumerate(container.demux(stream)):
        if number > MAX_FRAMES:
            raise Malformed(f"it has more than {MAX_FRAMES:,} frames")
        if packet.pts is not None:
            at = float(packet.pts * packet.time_base)
            first = at if first is None else min(first, at)
            end = max(end, at + float((packet.duration or 0) * packet.time_base))
    return max(0.0, end - (first or 0.0))


def _decode(path: str, until: float) -> Iterator[tuple[float, Any]]:
    """Yield frames with their seconds from the first one."""
    with av.open(path) as container:
        first: float | None = None
        for number, frame in enumerate(container.decode(container.streams.video[0])):
            if number > MAX_FRAMES:
                raise Malformed(f"it has more than {MAX_FRAMES:,} frames")
            at = float(frame.time or 0.0)
            first = at if first is None else first
            if at - first > until + EXACT_SECONDS:
                return
            yield at - first, frame
