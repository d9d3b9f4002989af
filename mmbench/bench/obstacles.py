"""What stands in a variant's way beside its files: programs, the user's shell, and space on the disk.

Obstacles made of files are setup steps (mmbench/variants.py). Both arms of a
variant get the same obstacle, and no obstacle touches `mm`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mmbench.bench import tree
from mmbench.bench.process import MIB, Limits

Obstacle = Mapping[str, Any]

PROGRAMS = ("missing_tool", "renamed_tool")
SPARE_MB = 32
SHELL_FILES = (".profile", ".bashrc", ".zshenv")


def of_programs(obstacle: Obstacle | None) -> bool:
    """Tell whether an obstacle needs a folder of programs of its own."""
    return obstacle is not None and obstacle["obstacle"] in PROGRAMS


def programs(obstacle: Obstacle, folder: Path) -> None:
    """Take a program's entry out of a trial's own folder, or give it the other name; one not there stays so."""
    entry = folder / obstacle["tool"]
    if not entry.is_symlink():
        return
    if obstacle["obstacle"] == "renamed_tool":
        entry.rename(folder / obstacle["as"])
    else:
        entry.unlink()


def shell(obstacle: Obstacle | None, home: Path) -> None:
    """Write a misleading alias into the files that shells read at their start, scripts of bash included."""
    if obstacle is None or obstacle["obstacle"] != "misleading_alias":
        return
    alias = f"alias {obstacle['tool']}='{obstacle['as']}'\n"
    # Aliases are off in shells that run one command, which is how most agents use them.
    text = f'[ -n "$BASH_VERSION" ] && shopt -s expand_aliases\n{alias}'
    for name in SHELL_FILES:
        with (home / name).open("a", encoding="utf-8") as file:
            file.write(text)


def limits(obstacle: Obstacle | None, wanted: Limits, watched: list[Path]) -> Limits:
    """Return a trial's limits: with a full quota little more may be written than what is there already."""
    if obstacle is None or obstacle["obstacle"] != "full_quota":
        return wanted
    used = sum(tree.disk_usage(folder, wanted.disk_bytes) for folder in watched)
    spare = int(obstacle.get("spare_mb", SPARE_MB)) * MIB
    return replace(wanted, disk_bytes=min(wanted.disk_bytes, used + spare))


def copy_links(source: Path, target: Path) -> None:
    """Give a trial a folder of programs of its own, link by link."""
    target.mkdir()
    for link in source.iterdir():
        os.symlink(link.readlink(), target / link.name)  # noqa: PTH211 (as they are, whatever they lead to)
