"""Make an agent's final tree again from the dataset, the recorded changes and the kept artifacts.

The record holds a digest of the tree as it was: what comes out is that tree or is refused.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from mmbench.bench import tree
from mmbench.bench.judge.left import stored_file
from mmbench.bench.tree import Mark
from mmbench.errors import DataError
from mmbench.layout import inside
from mmbench.records import Line


class NotKept(Exception):  # noqa: N818 (a fact about the past, not a fault)
    """The tree cannot be made again; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The subtree of the dataset that the agent was given."""

    source: Path
    hashes: Mapping[str, str] = field(repr=False)


def rebuild(trial: Line, origin: Origin, results: Path, target: Path) -> dict[str, Mark]:
    """Make the final tree at `target` and return the marks of the fresh copy; raises NotKept."""
    recorded = trial["tree"]
    if recorded["dropped"]:
        raise NotKept(f"{recorded['dropped']} of its changes were not recorded")
    tree.copy(origin.source, target)
    before = tree.marks(target)
    _Changes(trial, origin, results, target).apply()
    after = tree.marks(target)
    found = tree.changes(target, before, after)
    if tree.digest(after, found, origin.hashes) != recorded["digest"]:
        raise NotKept("its tree made again is not the one that was recorded")
    return before


class _Changes:
    """The recorded changes of one trial, to be made once more."""

    def __init__(self, trial: Line, origin: Origin, results: Path, target: Path) -> None:
        self._entries: list[Mapping[str, Any]] = trial["tree"]["changes"]
        self._origin, self._results, self._target = origin, results, target
        self._homes = {sha: path for path, sha in origin.hashes.items()}
        self._kept = {entry["sha256"]: entry for entry in trial["artifacts"] if entry["stored"]}

    def apply(self) -> None:
        """Make every change; raises NotKept for the first whose bytes are gone."""
        for entry in reversed(self._entries):
            if entry["change"] == "deleted":
                self._delete(self._path(entry))
        for entry in self._entries:
            if entry["change"] != "deleted":
                self._put(entry)

    def _path(self, entry: Mapping[str, Any]) -> Path:
        """Return where an entry lies; a recorded path is text from elsewhere and must stay inside."""
        path = PurePosixPath(entry["path"])
        place = self._target / path
        if path.is_absolute() or ".." in path.parts or not inside(place.parent, self._target):
            raise NotKept(f"{entry['path']} is not a path inside the tree")
        return place

    def _delete(self, path: Path) -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def _put(self, entry: Mapping[str, Any]) -> None:
        path = self._path(entry)
        if entry["kind"] == "directory":
            path.mkdir(parents=True, exist_ok=True)
        elif entry["kind"] == "file":
            self._put_file(entry, path)
        else:
            raise NotKept(f"what the {entry['kind']} {entry['path']} was is not recorded")

    def _put_file(self, entry: Mapping[str, Any], path: Path) -> None:
        sha = entry["sha256"]
        if sha is not None and self._origin.hashes.get(entry["path"]) == sha and path.is_file():
            return  # only its times or permissions changed
        path.parent.mkdir(parents=True, exist_ok=True)
        if sha in self._homes:
            shutil.copy2(self._origin.source / self._homes[sha], path)
        elif sha in self._kept:
            path.write_bytes(self._artifact(self._kept[sha]))
        else:
            raise NotKept(f"the bytes of {entry['path']} were not kept")

    def _artifact(self, entry: Mapping[str, Any]) -> bytes:
        try:
            return stored_file(self._results, entry).read_bytes()
        except DataError as error:
            raise NotKept(error.what) from error
