"""Text of others on a terminal: agents, endpoints and files must not drive it."""

from __future__ import annotations


def visible(text: str) -> str:
    """Return text in which every character that a terminal would act upon is written out; lines and tabs stay."""
    return "".join(char if char.isprintable() or char in "\n\t" else ascii(char)[1:-1] for char in text)
