"""Every failure a user can cause, one class per exit code.

A message says what happened, where, and the next command to type. Only
`mmbench.cli` prints these errors and exits; everything else raises.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class MmbenchError(Exception):
    """A failure with a message for the user and an exit code for the shell."""

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(what)

    def __str__(self) -> str:
        parts = (self.what, f"Where: {self.where}." if self.where else "", self.fix)
        return " ".join(part for part in parts if part)


class UsageError(MmbenchError):
    """The command line or the configuration is wrong."""

    exit_code = 2


class PrerequisiteError(MmbenchError):
    """Something the run needs is missing on this machine or at an endpoint."""

    exit_code = 3


class DataError(MmbenchError):
    """A case, a result or a dataset is invalid."""

    exit_code = 4


class Interrupted(MmbenchError):  # noqa: N818 (an interruption, not an error)
    """The user stopped the run; what was finished is in the ledger."""

    exit_code = 130


def refused(error: OSError, *, fix: str = "") -> PrerequisiteError:
    """Build the error for what this machine refuses: a folder that is closed, a disk that is full, and the like."""
    return PrerequisiteError(
        f"This machine refuses a step: {error.strerror or error}.",
        where=str(error.filename or ""),
        fix=fix or "Mend that, then run the same command again.",
    )


def unknown(kind: str, name: str, known: Iterable[str], *, fix: str = "") -> UsageError:
    """Build the error for an unknown name, with the nearest known ones."""
    choices = sorted(known)
    near = get_close_matches(name, choices, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(choices) or 'none'}."
    return UsageError(f"There is no {kind} '{name}'.", fix=f"{hint} {fix}".strip())
