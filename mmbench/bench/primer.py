"""What an arm's agent is told besides the task: the primer, the placebo or nothing.

Both texts are part of the method: their hashes stand in every session.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from mmbench.errors import unknown

_TEXTS = {"with_mm": "primer.md", "placebo": "placebo.md", "without_mm": "", "unprimed": ""}


@cache
def text(arm: str) -> str:
    """Return what stands before the task in an arm, empty where nothing does.

    Raises UsageError for an unknown arm.
    """
    if arm not in _TEXTS:
        raise unknown("arm", arm, _TEXTS)
    name = _TEXTS[arm]
    return files(__package__).joinpath(name).read_text(encoding="utf-8") if name else ""


def sha256(arm: str) -> str | None:
    """Return the hash of an arm's text, None where there is none."""
    return hashlib.sha256(text(arm).encode()).hexdigest() if text(arm) else None


def compose(arm: str, prompt: str) -> str:
    """Return what an agent of an arm is given: its text, a rule, and the task's prompt verbatim."""
    return f"{text(arm)}\n---\n\n{prompt}" if text(arm) else prompt
