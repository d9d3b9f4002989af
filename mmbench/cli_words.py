"""How words of the command line are read: what several commands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from mmbench.layout import Project

Run = Callable[[argparse.Namespace, Project], int]
"""What does a command and returns the exit code."""
Add = Callable[[str, Run, str], argparse.ArgumentParser]
"""What adds a command: its name, what does it, and a line of help."""


def names(text: str) -> tuple[str, ...]:
    """Read names that stand between commas, each once; ArgumentTypeError without any."""
    found = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not found:
        raise argparse.ArgumentTypeError("is empty")
    return found


def count(text: str) -> int:
    """Read a whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1")
    return int(text)


def seed(text: str) -> int:
    """Read a whole number from 0, as sessions hold it."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 0")
    return int(text)


def port(text: str) -> int:
    """Read the number of a port; 0 stands for any that is free."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port from 0 to 65535")
    return int(text)


def amount(text: str) -> float:
    """Read a number over 0 of seconds, days or megabytes, no more of them than a million."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number over 0")
    return value


def key(text: str) -> str:
    """Read a key, or with env:NAME the variable that holds it: a command line can be seen by all users of a machine."""
    if not text.startswith("env:"):
        return text
    name = text.removeprefix("env:")
    if not os.environ.get(name):
        raise argparse.ArgumentTypeError(f"the variable {name or 'without a name'} is not set or empty")
    return os.environ[name]


def results(command: argparse.ArgumentParser) -> None:
    """Add the option that names another results folder."""
    command.add_argument("--results", type=Path, help="folder of results files (default results/)")
