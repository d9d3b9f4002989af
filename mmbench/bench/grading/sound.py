"""Sound listened to by the parser process: duration, loudness (ITU-R BS.1770), likeness and channel identity."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from mmbench.bench.grading.malformed import Malformed, parsing

MAX_SECONDS = 900
RATE = 48_000
COARSE = 8_000
MAX_LAG_SECONDS = 0.5
SILENCE = 1e-4
Samples = npt.NDArray[np.float32]


def audio(path: str, reference: str | None, start: float, end: float | None, loud: bool) -> dict[str, Any]:
    """Return format, duration, on request loudness and, against a stretch of a reference, likeness and channel order.

    `likeness` is the correlation of the two in mono at the best lag, 0..1;
    `side` that of left minus right: near 1 with the channels as in the
    reference, near -1 with them swapped, None where the reference is mono.
    """
    facts, samples = _decode(path)
    if loud:
        facts |= loudness(samples)
    if reference is not None:
        wanted = _cut(_decode(reference)[1], start, end)
        facts |= compare(_coarse(samples), _coarse(wanted))
    return facts


def loudness(samples: Samples) -> dict[str, float | None]:
    """Return RMS in dBFS and gated loudness in LUFS of samples shaped (channels, n) at 48 kHz; None for silence."""
    power = float(np.mean(samples.astype(np.float64) ** 2)) if samples.size else 0.0
    return {"rms_dbfs": 10 * math.log10(power) if power > SILENCE**4 else None, "lufs": _lufs(samples)}


def compare(found: Samples, wanted: Samples) -> dict[str, float | None]:
    """Return the likeness of two sounds in mono at the best lag, and of their side signals at that lag."""
    lag = _lag(found.mean(axis=0), wanted.mean(axis=0))
    a, b = _overlap(found, wanted, lag)
    share = min(1.0, b.shape[1] / max(1, wanted.shape[1]))
    side = _correlation(_side(a), _side(b)) if _rms(_side(b)) > SILENCE else None
    return {"likeness": max(0.0, _correlation(a.mean(axis=0), b.mean(axis=0))) * share, "side": side}


def _decode(path: str) -> tuple[dict[str, Any], Samples]:
    """Return what the first sound stream is and its samples as two channels at 48 kHz, float32."""
    with parsing("it is not a sound file that can be read"), av.open(path) as container:
        if not container.streams.audio:
            raise Malformed("it has no sound")
        stream = container.streams.audio[0]
        channels = stream.codec_context.channels
        resampler = av.AudioResampler(format="fltp", layout="stereo", rate=RATE)
        parts, length = [], 0
        for frame in chain(container.decode(stream), [None]):
            for piece in resampler.resample(frame):
                parts.append(piece.to_ndarray())
                length += piece.samples
            if length > MAX_SECONDS * RATE:
                raise Malformed(f"it is longer than {MAX_SECONDS} s")
        facts = {
            "container": container.format.name,
            "codec": stream.codec_context.name,
            "sample_rate": stream.codec_context.sample_rate,
            "channels": channels,
            "duration": length / RATE,
        }
    samples = np.concatenate(parts, axis=1) if parts else np.zeros((2, 0), dtype=np.float32)
    return facts, np.nan_to_num(np.asarray(samples, dtype=np.float32))


def _cut(samples: Samples, start: float, end: float | None) -> Samples:
    return samples[:, round(start * RATE) : None if end is None else round(end * RATE)]


def _coarse(samples: Samples) -> Samples:
    """Average down to 8 kHz: enough to know a sound again."""
    step = RATE // COARSE
    kept = samples.shape[1] // step * step
    return np.asarray(samples[:, :kept].reshape(samples.shape[0], -1, step).mean(axis=2), dtype=np.float32)


def _lag(found: Samples, wanted: Samples) -> int:
    """Return by how many samples `found` is late, by the peak of the cross-correlation within half a second."""
    if not found.size or not wanted.size:
        return 0
    size = 1 << (len(found) + len(wanted)).bit_length()
    product = np.fft.rfft(found, size) * np.conj(np.fft.rfft(wanted, size))
    correlation = np.fft.irfft(product, size)
    reach = min(round(MAX_LAG_SECONDS * COARSE), size // 2 - 1)
    lags = np.concatenate([correlation[: reach + 1], correlation[-reach:]])
    best = int(np.argmax(lags))
    return best if best <= reach else best - len(lags)


def _overlap(found: Samples, wanted: Samples, lag: int) -> tuple[Samples, Samples]:
    a, b = found[:, max(0, lag) :], wanted[:, max(0, -lag) :]
    length = min(a.shape[1], b.shape[1])
    return a[:, :length], b[:, :length]


def _side(samples: Samples) -> Samples:
    return np.asarray(samples[0] - samples[1], dtype=np.float32)


def _rms(signal: Samples) -> float:
    return float(np.sqrt(np.mean(signal.astype(np.float64) ** 2))) if signal.size else 0.0


def _correlation(a: Samples, b: Samples) -> float:
    """Return the correlation of two signals, 1 for two silences and 0 for a silence and a sound."""
    quiet = (_rms(a) < SILENCE, _rms(b) < SILENCE)
    if any(quiet):
        return float(all(quiet) and b.size > 0)
    x, y = a.astype(np.float64), b.astype(np.float64)
    return float(np.dot(x, y) / math.sqrt(np.dot(x, x) * np.dot(y, y)))


def _lufs(samples: Samples) -> float | None:
    """Return the gated loudness of BS.1770-4: K-weighted power of 400 ms blocks, gates at -70 LUFS and -10 LU."""
    block, hop = RATE * 4 // 10, RATE // 10
    if samples.shape[1] < block:
        return None
    tenths = _weighted_power(samples)[: samples.shape[1] // hop]
    blocks = np.convolve(tenths, np.ones(4) / 4, mode="valid")
    loud = blocks[blocks > 10 ** ((-70 + 0.691) / 10)]
    if not loud.size:
        return None
    gated = loud[loud > loud.mean() / 10]
    return float(-0.691 + 10 * math.log10(gated.mean()))


def _weighted_power(samples: Samples) -> npt.NDArray[np.float64]:
    """Return the summed K-weighted mean power of the channels in every tenth of a second.

    The filter is applied to the spectrum of ten-second pieces, each with a
    second of run-up, which outlasts the filter's response.
    """
    hop, piece, run_up = RATE // 10, RATE * 10, RATE
    powers = []
    for start in range(0, samples.shape[1], piece):
        begin = max(0, start - run_up)
        stretch = samples[:, begin : start + piece].astype(np.float64)
        size = stretch.shape[1] + run_up
        filtered = np.fft.irfft(np.fft.rfft(stretch, size) * _k_response(size), size)[
            :, start - begin : stretch.shape[1]
        ]
        kept = filtered.shape[1] // hop * hop
        powers.append((filtered[:, :kept].reshape(2, -1, hop) ** 2).mean(axis=2).sum(axis=0))
    return np.concatenate(powers)


def _k_response(size: int) -> npt.NDArray[np.complex128]:
    """Return the K-weighting at the frequencies of a real transform of `size` samples at 48 kHz.

    Coefficients: ITU-R BS.1770-4, tables 1 and 2.
    """
    z = np.exp(-2j * np.pi * np.fft.rfftfreq(size))
    shelf_b, shelf_a = (
        (1.53512485958697, -2.69169618940638, 1.19839281085285),
        (1.0, -1.69065929318241, 0.73248077421585),
    )
    high_b, high_a = (1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621)
    shelf = np.polyval(shelf_b[::-1], z) / np.polyval(shelf_a[::-1], z)
    return np.asarray(shelf * np.polyval(high_b[::-1], z) / np.polyval(high_a[::-1], z), dtype=np.complex128)
