"""How a prompt gets to a program whole: what an argument can hold, and what a CLI would take for a command."""

from __future__ import annotations

from mmbench.bench.agents.base import LaunchError
from mmbench.outcome import Failure

LIMIT = 128 * 1024
"""Bytes of one argument on Linux, its terminating NUL included."""


def checked(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the arguments; raises LaunchError for one that the system would refuse."""
    for argument in argv:
        size = len(argument.encode("utf-8", "surrogateescape")) + 1
        if size > LIMIT:
            message = f"{argv[0]} takes the prompt as an argument: {size} bytes, and the limit is {LIMIT}."
            raise LaunchError(Failure("argv_limit", message))
        if "\0" in argument:
            message = f"{argv[0]} takes the prompt as an argument, and this one holds a NUL."
            raise LaunchError(Failure("argv_limit", message))
    return argv


def typed(prompt: str) -> bytes:
    """Return the prompt as standard input; a line feed before a leading slash keeps it from being a command."""
    return ("\n" + prompt if prompt.startswith("/") else prompt).encode("utf-8", "surrogateescape")
