"""Keep the files that an agent wrote and that its checks or its judge speak of, beside the records."""

from __future__ import annotations

import mimetypes
import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mmbench import atomic, jsontext
from mmbench.bench import tree
from mmbench.bench.redact import Redactor
from mmbench.bench.trial import Executed, TrialSpec

MAX_ARTIFACTS = 20
MAX_ARTIFACT = 2 << 20
MAX_OTHERS = 8
MAX_OTHER = 64 << 10


def keep(
    spec: TrialSpec, executed: Executed, folder: Path, results: Path, redactor: Redactor
) -> list[dict[str, Any]]:
    """Copy what the agent wrote: the files that the checks name, then a few other small ones for the judge.

    Regular files only, stored by content hash; what is refused is listed with its reason.
    """
    if executed.sandbox is None or spec.case.document["archetype"] == "organization":
        return []
    named = {str(check["path"]) for check in spec.case.checks if "path" in check}
    written = [change for change in executed.changes if change.change != "deleted"]
    wanted = [change for change in written if change.path in named]
    known = set(spec.hashes.values())
    others = [change for change in written if change.path not in named and _is_small_new(change, known)]
    kept: list[dict[str, Any]] = []
    for change in wanted[:MAX_ARTIFACTS] + others[:MAX_OTHERS]:
        entry = {
            "path": tree.shown(change.path),
            "size": change.size,
            "sha256": change.sha256,
            "media_type": _media_type(PurePosixPath(change.path)),
            "stored": None,
            "refused": _refusal(change),
        }
        data = (
            None
            if entry["refused"]
            else tree.read_regular(executed.sandbox.path("work"), change.path, MAX_ARTIFACT)
        )
        if data is not None and redactor.hit(os.fsencode(change.path) + b"\n" + data):
            entry |= {"refused": "it holds a secret, or a name of the machine it was made on"}
        elif data is not None:
            stored = folder / f"{jsontext.sha256(data)[:16]}-{_safe(change.path)}"
            if not stored.exists():
                atomic.write(stored, data)
            entry |= {"stored": stored.relative_to(results).as_posix()}
        kept.append(entry)
    return kept


def _is_small_new(change: tree.TreeChange, known: set[str]) -> bool:
    """Tell a small file with contents of its own; what was moved or copied is in the dataset."""
    return change.kind == "file" and 0 < change.size <= MAX_OTHER and change.sha256 not in known


def _refusal(change: tree.TreeChange) -> str | None:
    if change.kind != "file":
        return "it is a pipe, socket or device" if change.kind == "other" else f"it is a {change.kind}"
    return (
        f"it has {change.size:,} bytes, over the limit of {MAX_ARTIFACT:,}"
        if change.size > MAX_ARTIFACT
        else None
    )


def _safe(path: str) -> str:
    name = os.fsencode(path.rpartition("/")[2]).decode("ascii", "replace").replace("\ufffd", "_")
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[-60:].lstrip(".") or "file"


def _media_type(path: PurePosixPath) -> str:
    """Guess a file's media type from its name."""
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"
