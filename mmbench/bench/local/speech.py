"""Speech in sound, by Whisper on CTranslate2, from a folder of checked weights."""

from __future__ import annotations

import io
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench.bench.local.answer import Refused

THREADS = 2
BEAM = 5
MAX_SECONDS = 3600.0
"""Longest sound taken: 16 kHz floats of an hour are 230 MB."""


@dataclass(frozen=True, slots=True)
class Segment:
    """What was said from one second to another."""

    start: float
    end: float
    text: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """All that was said in a sound of so many seconds."""

    segments: tuple[Segment, ...]
    language: str
    seconds: float

    @property
    def text(self) -> str:
        """Return the words without times."""
        return " ".join(segment.text for segment in self.segments)


class SoundReader:
    """Transcribe sounds, one at a time, the same way each time."""

    def __init__(self, folder: Path) -> None:
        from faster_whisper import WhisperModel  # type: ignore[import-untyped]

        self._model: Any = WhisperModel(
            str(folder),
            device="cpu",
            compute_type="int8",
            cpu_threads=THREADS,
            num_workers=1,
            local_files_only=True,
        )
        self._lock = threading.Lock()

    def read(self, data: bytes, language: str | None = None) -> Transcript:
        """Return what is said in an encoded sound; raise Refused if it is none.

        Silence and noise are cut out first: Whisper invents words for them.
        """
        if language is not None and language not in self._model.supported_languages:
            raise Refused(400, f"Whisper does not know the language {language!r}.", "invalid_language")
        options = {
            "beam_size": BEAM,
            "temperature": 0.0,
            "condition_on_previous_text": False,
            "vad_filter": True,
        }
        samples = _samples(data)
        with self._lock:
            found, info = self._model.transcribe(samples, language=language, **options)
            segments = tuple(Segment(round(s.start, 2), round(s.end, 2), s.text.strip()) for s in found)
        return Transcript(segments, info.language, round(info.duration, 2))


def _samples(data: bytes) -> Any:
    import av
    from faster_whisper import decode_audio

    try:
        with av.open(io.BytesIO(data), "r") as container:
            if (container.duration or 0) / av.time_base > MAX_SECONDS:
                raise Refused(413, f"The sound is longer than {MAX_SECONDS:.0f} s.", "sound_too_long")
        return decode_audio(io.BytesIO(data), sampling_rate=16000)
    except (av.FFmpegError, IndexError, ValueError) as error:
        raise Refused(400, f"The sound cannot be decoded: {error}.", "invalid_sound") from error
