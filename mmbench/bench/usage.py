"""Read what an answer of an OpenAI-compatible API says it cost, while it passes by."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

MAX_KEPT = 8 * 1024 * 1024
"""Bytes of an answer, or of one line of a stream, that are kept to be parsed."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer reported of itself; None is what it did not report."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    sound_seconds: float | None = None
    model: str = ""

    @property
    def known(self) -> bool:
        """Tell whether the answer reported any cost."""
        return (self.prompt_tokens, self.completion_tokens, self.sound_seconds) != (None, None, None)


class UsageReader:
    """Look for the usage in an answer that is fed piece by piece."""

    def __init__(self, content_type: str) -> None:
        self._stream = content_type.lower().startswith("text/event-stream")
        self._kept = bytearray()
        self._found: dict[str, Any] = {}

    def feed(self, piece: bytes) -> None:
        """Take the next bytes of the answer."""
        if len(self._kept) + len(piece) <= MAX_KEPT:
            self._kept += piece
        if self._stream and b"\n" in piece:
            *lines, rest = bytes(self._kept).split(b"\n")
            self._kept[:] = rest
            for line in lines:
                self._event(line)

    def finish(self) -> Usage:
        """Return the last usage that was seen."""
        if self._stream:
            self._event(bytes(self._kept))
        else:
            self._object(bytes(self._kept))
        usage, model = self._found.get("usage"), self._found.get("model")
        found = usage if isinstance(usage, dict) else {}
        return Usage(
            _whole(_number(found, "prompt_tokens", "input_tokens")),
            _whole(_number(found, "completion_tokens", "output_tokens")),
            _number(found, "seconds"),
            model[:200] if isinstance(model, str) else "",
        )

    def _event(self, line: bytes) -> None:
        head, _, data = line.partition(b":")
        if head == b"data" and b"{" in data:
            self._object(data)

    def _object(self, data: bytes) -> None:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            self._found |= {key: value[key] for key in ("usage", "model") if value.get(key)}


def _number(usage: dict[str, Any], *names: str) -> float | None:
    for name in names:
        value = usage.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12:
            return value
    return None


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
