"""What the truths of the cases share: the labels' type and paths within a case's subtree."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from mmbench.bench.fixture import tree

Labels = dict[str, Any]
Truth = dict[str, Any]
KINDS = {
    "picture": ("heic", "jpeg", "jpg", "png", "svg", "tif", "tiff", "webp"),
    "sound": ("flac", "mp3", "wav"),
    "film": ("mp4", "webm"),
}
Truths = dict[str, Callable[[Labels], Truth]]


def below(path: str, folder: str) -> str:
    """Return a path of the dataset relative to the subtree of a case."""
    return PurePosixPath(path).relative_to(folder).as_posix() if folder != "." else path


@cache
def manifest() -> tuple[tree.Entry, ...]:
    """Return the files of the dataset as they are committed to."""
    return tree.expected().entries


def extension(path: str) -> str:
    """Return the extension of a path in lower case, without its dot."""
    return PurePosixPath(path).suffix.lower().removeprefix(".")


def kind(path: str) -> str:
    """Return what a file is by its extension: picture, sound, film or other."""
    return next((name for name, known in KINDS.items() if extension(path) in known), "other")
