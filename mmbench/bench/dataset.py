"""Datasets: a verified tree of files, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mmbench import jsontext
from mmbench.bench import tree
from mmbench.errors import DataError, PrerequisiteError, UsageError

EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A tree on disk whose every file's hash is known."""

    name: str
    revision: str
    root: Path
    digest: str
    hashes: Mapping[str, str] = field(repr=False)
    """SHA-256 by relative path."""
    size: int

    def record(self) -> dict[str, Any]:
        """Return what the session line says of it."""
        return {
            "name": self.name,
            "revision": self.revision,
            "digest": self.digest,
            "files": len(self.hashes),
            "bytes": self.size,
        }

    def subtree(self, path: str) -> tuple[Path, dict[str, str]]:
        """Return a folder of the tree and the hashes below it; DataError when there is none."""
        if path in (".", ""):
            return self.root, dict(self.hashes)
        folder, prefix = self.root / path, f"{path.rstrip('/')}/"
        if not folder.is_dir():
            raise DataError(
                f"The dataset {self.name} has no folder '{path}'.",
                where=self.name,
                fix="Run `nox -s fetch`, or correct the case's `dataset`.",
            )
        return folder, {
            name.removeprefix(prefix): value for name, value in self.hashes.items() if name.startswith(prefix)
        }


def resolve(name: str, datasets: Path) -> Dataset:
    """Return a dataset by name, made or verified first.

    `embedded` is built offline; `hf` and `hf:OWNER/NAME@REVISION` come from the
    Hugging Face hub; a path names a folder of one's own.
    """
    if name == EMBEDDED:
        return _embedded(datasets)
    if name == "hf" or name.startswith("hf:"):
        from mmbench.bench import hub

        return hub.fetch(name, datasets)
    if "/" in name or name.startswith("."):
        return _folder(Path(name))
    raise UsageError(
        f"There is no dataset '{name}'.",
        fix="Use `embedded`, `hf`, `hf:OWNER/NAME@REVISION` or the path of a folder.",
    )


def _embedded(datasets: Path) -> Dataset:
    try:
        from mmbench.bench.fixture.store import ensure
    except ImportError as error:
        raise PrerequisiteError(
            f"The dataset builder needs {error.name}, which is not installed.",
            fix="Run it through Nox (`nox -s bench`), which installs what is needed.",
        ) from error
    built = ensure(datasets)
    entries = built.manifest.entries
    hashes = {entry.path: entry.sha256 for entry in entries}
    return Dataset(
        EMBEDDED, built.manifest.digest[:12], built.root, built.manifest.digest, hashes, built.manifest.size
    )


def _folder(root: Path) -> Dataset:
    if not root.is_dir():
        raise PrerequisiteError(f"There is no dataset folder at {root}.", fix="Name an existing folder.")
    hashes: dict[str, str] = {}
    size = 0
    for path, mark in tree.marks(root).items():
        if mark.kind == "other":
            raise DataError(
                f"The dataset holds a pipe, socket or device: {tree.shown(path)}.",
                where=str(root),
                fix="Take it out of the folder: it cannot be copied.",
            )
        if mark.kind == "file":
            hashes[path] = _require_hash(root / path)
            size += mark.size
    digest = jsontext.digest(sorted(hashes.items()))
    return Dataset("folder", digest[:12], root.resolve(), digest, hashes, size)


def _require_hash(path: Path) -> str:
    digest = tree.file_hash(path)
    if digest is None:
        raise PrerequisiteError(
            f"A file of the dataset cannot be read: {path.name}.",
            where=str(path.parent),
            fix="Make it readable, or take it out of the folder.",
        )
    return digest
