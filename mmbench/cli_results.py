"""The part of the command line that looks after results: it parses arguments and prints, like `cli`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from mmbench.layout import Project

Run = Callable[[argparse.Namespace, Project], int]
Add = Callable[[str, Run, str], argparse.ArgumentParser]


def register(add: Add) -> None:
    """Add these commands to the command line's parser."""
    command = add("verify", _verify, "prove that results files are whole and were only appended to")
    command.add_argument("paths", nargs="*", type=Path, metavar="FILE", help="results files (default: all)")
    command.add_argument("--since", metavar="REV", help="each file committed at REV must begin today's")
    command.add_argument("--expected-head", metavar="HASH", help="SHA-256 of the last line of the one FILE")
    _results(command)
    command = add("anchor", _anchor, "hold the head of a session by a git tag, signed where git can sign")
    command.add_argument("session", metavar="SESSION")
    _results(command)


def _results(command: argparse.ArgumentParser) -> None:
    command.add_argument("--results", type=Path, help="folder of results files (default results/)")


def _verify(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import verify

    found = verify.verify(where, arguments.paths, since=arguments.since, head=arguments.expected_head)
    for fault in found.faults:
        print(fault, file=sys.stderr)
    print(found.summary())
    return 4 if found.faults else 0


def _anchor(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import verify

    print(verify.anchor(where, arguments.session))
    return 0
