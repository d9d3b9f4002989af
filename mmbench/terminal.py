"""What stands on a terminal: text of agents, endpoints and files must not drive it; a noun agrees with its number."""

from __future__ import annotations


def visible(text: str) -> str:
    """Return text in which every character that a terminal would act upon is written out; lines and tabs stay."""
    return "".join(char if char.isprintable() or char in "\n\t" else ascii(char)[1:-1] for char in text)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which takes an s but after one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
