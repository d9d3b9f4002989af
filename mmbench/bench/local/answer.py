"""What the local backend answers to a chat: the material it was given, read aloud as text.

Pure code. The first text of a message is taken as the instruction (mm puts its prompt
there). All that follows is material: text stays as it is, an image becomes the text on
it, a sound becomes what is said in it, in the order given. There is no language model
behind it, and an instruction without material is told so.

Token counts follow one rule, so that they are the same everywhere: a text costs one token
per four characters, an image one per 32 x 32 pixels, a sound 25 per second, each rounded up.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NO_MATERIAL = "This backend reads the text in images and the speech in sound. It has no language model."
NO_TEXT = "(no text found in this image)"
NO_SPEECH = "(no speech found in this sound)"


class Refused(Exception):  # noqa: N818 (an answer to the client, not a fault)
    """A request the backend does not serve, as an HTTP status and an OpenAI error object."""

    def __init__(self, status: int, message: str, code: str) -> None:
        self.status, self.message, self.code = status, message, code
        super().__init__(message)

    def body(self) -> dict[str, Any]:
        """Return the JSON body of the answer."""
        return {
            "error": {
                "message": self.message,
                "type": "invalid_request_error",
                "param": None,
                "code": self.code,
            }
        }


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text that is passed on as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An encoded image."""

    data: bytes


@dataclass(frozen=True, slots=True)
class SoundPart:
    """An encoded sound."""

    data: bytes


Part = TextPart | ImagePart | SoundPart


@dataclass(frozen=True, slots=True)
class Message:
    """The instruction of a chat and the material that comes with it."""

    instruction: str
    material: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of an answer and its cost in tokens."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int

    def usage(self) -> dict[str, int]:
        """Return the usage object of the API."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
        }


def message(request: Mapping[str, Any]) -> Message:
    """Read the last user message of a chat request; raise Refused for what is not served."""
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "messages must be a list with at least one message.", "invalid_messages")
    asked = [item for item in messages if isinstance(item, dict) and item.get("role") == "user"]
    content = asked[-1].get("content") if asked else ""
    if isinstance(content, str):
        return Message(content, ())
    if not isinstance(content, list):
        raise Refused(400, "content must be a text or a list of parts.", "invalid_content")
    parts = [_part(item) for item in content]
    if parts and isinstance(parts[0], TextPart):
        return Message(parts[0].text, tuple(parts[1:]))
    return Message("", tuple(parts))


def _part(item: Any) -> Part:
    kind = item.get("type") if isinstance(item, dict) else None
    if kind == "text" and isinstance(item.get("text"), str):
        return TextPart(item["text"])
    if kind == "image_url":
        value = item.get("image_url")
        return ImagePart(_data_url(value.get("url") if isinstance(value, dict) else value))
    if kind == "input_audio" and isinstance(item.get("input_audio"), dict):
        return SoundPart(_base64(item["input_audio"].get("data")))
    raise Refused(400, f"Parts of type {kind!r} are not served by the local backend.", "unsupported_part")


def _data_url(url: Any) -> bytes:
    head, comma, body = url.partition(",") if isinstance(url, str) else ("", "", "")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        raise Refused(400, "Images are taken as base64 data: URLs only.", "invalid_image_url")
    return _base64(body)


def _base64(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise Refused(400, f"The base64 data is broken: {error}.", "invalid_base64") from error


def compose(texts: Sequence[str], cost: int, limit: object) -> Answer:
    """Join the texts of all parts to an answer of at most `limit` tokens.

    `cost` is what the request cost in tokens.
    """
    text = "\n\n".join(part.strip("\n") for part in texts) or NO_MATERIAL
    finish = "stop"
    if isinstance(limit, int) and not isinstance(limit, bool) and 0 < limit < text_tokens(text):
        text, finish = text[: 4 * limit], "length"
    return Answer(text, finish, cost, text_tokens(text))


def text_tokens(text: str) -> int:
    """Count a text's tokens by the rule of this module."""
    return math.ceil(len(text) / 4)


def image_tokens(width: int, height: int) -> int:
    """Count an image's tokens by the rule of this module; sides in pixels."""
    return math.ceil(width / 32) * math.ceil(height / 32)


def sound_tokens(seconds: float) -> int:
    """Count a sound's tokens by the rule of this module."""
    return math.ceil(25 * seconds)
