"""Small real images, sounds and videos for the tests of media checks."""

from __future__ import annotations

import wave
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PIL import Image, ImageDraw

RATE = 48_000


def picture(seed: int, size: tuple[int, int] = (320, 240)) -> Image.Image:
    """Return a picture whose layout and colours depend on the seed."""
    random = np.random.default_rng(seed)
    image = Image.new("RGB", size, tuple(int(c) for c in random.integers(0, 256, 3)))
    draw = ImageDraw.Draw(image)
    for _ in range(12):
        x, y = random.integers(0, size[0]), random.integers(0, size[1])
        w, h = random.integers(20, 140, 2)
        draw.rectangle((x, y, x + w, y + h), fill=tuple(int(c) for c in random.integers(0, 256, 3)))
    return image


def tone(frequency: float, seconds: float, level: float = 0.5) -> np.ndarray:
    return level * np.sin(2 * np.pi * frequency * np.arange(round(seconds * RATE)) / RATE)


def chatter(seed: int, seconds: float, level: float = 0.2) -> np.ndarray:
    """Return band-limited noise with a slow envelope, a stand-in for speech."""
    random = np.random.default_rng(seed)
    noise = np.convolve(random.normal(size=round(seconds * RATE)), np.ones(24) / 24, mode="same")
    envelope = 0.6 + 0.4 * np.sin(2 * np.pi * random.uniform(1, 3) * np.arange(len(noise)) / RATE)
    return level * envelope * noise / np.abs(noise).max()


def save_wav(path: Path, *channels: np.ndarray, rate: int = RATE) -> Path:
    data = np.stack(channels, axis=1)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(len(channels))
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(data, -1, 1) * 32767).astype("<i2").tobytes())
    return path


def save_encoded(path: Path, codec: str, *channels: np.ndarray) -> Path:
    """Save a sound through PyAV in a lossy or other codec."""
    layout = "stereo" if len(channels) == 2 else "mono"
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=RATE, layout=layout)
        data = np.stack(channels).astype(np.float32)
        frame = av.AudioFrame.from_ndarray(data, format="fltp", layout=layout)
        frame.sample_rate = RATE
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    return path


def save_video(
    path: Path, draw: Callable[[float], Image.Image], seconds: float, *, fps: int = 10, sound: bool = False
) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=fps)
        first = draw(0.0)
        stream.width, stream.height, stream.pix_fmt = first.width, first.height, "yuv420p"
        stream.time_base = Fraction(1, fps)
        audio = container.add_stream("aac", rate=RATE, layout="mono") if sound else None
        for number in range(round(seconds * fps)):
            frame = av.VideoFrame.from_image(draw(number / fps))
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if audio is not None:
            data = tone(440, seconds).astype(np.float32)[None, :]
            piece = av.AudioFrame.from_ndarray(data, format="fltp", layout="mono")
            piece.sample_rate = RATE
            container.mux(audio.encode(piece))
            container.mux(audio.encode(None))
    return path
