"""The nouns of judging: what is asked, what came back, and why an answer is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mmbench import jsontext


@dataclass(frozen=True, slots=True)
class Image:
    """A picture shown to the judge, under the label that the text calls it by."""

    label: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask a judge: equal questions are equal bytes, whenever they are built."""

    system: str
    text: str
    schema: Mapping[str, Any]
    """JSON Schema of the reply."""
    images: tuple[Image, ...] = ()

    @property
    def sha256(self) -> str:
        """Return the hash of everything that is sent, pictures included."""
        pictures = [[image.label, image.media_type, jsontext.sha256(image.data)] for image in self.images]
        return jsontext.digest([self.system, self.text, self.schema, pictures])


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model returned, before it is read as a verdict."""

    text: str
    cut: bool = False
    """The reply was stopped at its length limit: nothing in it can be trusted."""
    refused: bool = False
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    without: tuple[str, ...] = ()
    """What the endpoint would not take and was left out: bounds, schema, images, temperature, max_tokens."""


class AskError(Exception):
    """A judge gave no usable verdict; `lasting` says that asking again is in vain."""

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        lasting: bool = False,
        retry_after: float | None = None,
        answer: Answer | None = None,
    ) -> None:
        self.kind, self.message, self.lasting = kind, message, lasting
        self.retry_after, self.answer = retry_after, answer
        self.tries = 1
        super().__init__(f"{kind}: {message}")


class Unreadable(ValueError):  # noqa: N818 (reads as a verdict on the reply)
    """A reply that is not a verdict; the text says why."""
