"""The setup steps of a case: what is done to its subtree of the dataset before any agent sees it.

The steps are applied to a copy of the subtree, and that copy then stands in for
the dataset: the sandbox is made from it, and it is what graders compare with.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from mmbench.bench import tree
from mmbench.bench.dataset import Dataset
from mmbench.case import Case
from mmbench.errors import DataError

Step = Mapping[str, Any]


class _Refused(Exception):  # noqa: N818 (a fact about the step, told with the case's name)
    """A step cannot be done; the text is the reason."""


def source_of(dataset: Dataset, case: Case, folder: Path) -> tuple[Path, dict[str, str]]:
    """Return what a case starts from and the hashes of its files.

    Without setup steps that is the dataset's own subtree, else a copy below
    `folder` to which they were applied, made once. DataError when a step cannot
    be done.
    """
    source, hashes = dataset.subtree(case.dataset)
    if not case.setup:
        return source, hashes
    place = folder / case.id
    if not place.exists():
        _make(case, source, place)
    return place, _hashes(place)


def _make(case: Case, source: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    partial = place.with_name(f".{place.name}.part")
    tree.remove(partial)
    tree.copy(source, partial)
    try:
        apply(case.setup, partial)
    except _Refused as reason:
        tree.remove(partial)
        raise DataError(f"The setup of {case.id} cannot be done: {reason}.", where=case.source) from reason
    partial.rename(place)


def _hashes(place: Path) -> dict[str, str]:
    found = {
        path: tree.file_hash(place / path) for path, mark in tree.marks(place).items() if mark.kind == "file"
    }
    return {path: digest for path, digest in found.items() if digest is not None}


def apply(steps: Sequence[Step], root: Path) -> None:
    """Do the steps of a setup in a tree, in order; raises _Refused for the first that cannot be done."""
    for step in steps:
        target = _inside(root, str(step["path"]))
        try:
            STEPS[step["do"]](target, step, root)
        except OSError as error:
            raise _Refused(f"{step['do']} {step['path']}: {error.strerror}") from error


def _inside(root: Path, text: str) -> Path:
    """Return a path of the tree that no link leads out of; what is to be made need not be there."""
    pure = PurePosixPath(text)
    if not pure.parts or pure.is_absolute() or ".." in pure.parts or "\0" in text:
        raise _Refused(f"{text!r} is not a path inside the tree")
    place = root
    for part in pure.parts:
        place /= part
        if place.is_symlink():
            raise _Refused(f"{text} leads over a link")
    return place


def _write(target: Path, step: Step, root: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(str(step["text"]), encoding="utf-8")
    if "mode" in step:
        _mode(target, step, root)


def _mode(target: Path, step: Step, root: Path) -> None:
    """Set permissions; the owner must be able to look, or neither sandbox nor graders could."""
    mode = int(str(step["mode"]), 8)
    needed = stat.S_IRUSR | (stat.S_IXUSR if target.is_dir() else 0)
    if mode & needed != needed:
        raise _Refused(f"mode {step['mode']} closes {step['path']} to its owner")
    target.chmod(mode)


def _mtime(target: Path, step: Step, root: Path) -> None:
    moment = datetime.fromisoformat(str(step["at"])).timestamp()
    os.utime(target, (moment, moment))


def _copy(target: Path, step: Step, root: Path) -> None:
    to = _inside(root, str(step["to"]))
    to.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        shutil.copytree(target, to, symlinks=True)
    else:
        shutil.copy2(target, to)


def _remove(target: Path, step: Step, root: Path) -> None:
    if target.is_dir():
        tree.remove(target)
    else:
        target.unlink()


def _corrupt(target: Path, step: Step, root: Path) -> None:
    """Cut a file in half, as an interrupted copy leaves it; its times stay."""
    status = target.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size < 2:
        raise _Refused(f"{step['path']} is no file that can be damaged")
    target.write_bytes(target.read_bytes()[: status.st_size // 2])
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def _mkdir(target: Path, step: Step, root: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)


STEPS: dict[str, Callable[[Path, Step, Path], None]] = {
    "write": _write,
    "mode": _mode,
    "mtime": _mtime,
    "copy": _copy,
    "remove": _remove,
    "corrupt": _corrupt,
    "mkdir": _mkdir,
}
"""How each kind of step is done: the path it speaks of, the step, the root of the tree."""
