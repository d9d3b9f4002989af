"""Checks of what is where in the final tree, by content and not by name alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmbench.bench.grading.base import KIND_NAMES, FileFact, Finding, KindSpec, Params, Refused
from mmbench.bench.grading.look import Look
from mmbench.bench.grading.params import COUNT, PATH, described, flag


def path_exists(p: Params, look: Look) -> Finding:
    """Score 1 when the path exists, as the kind of entry and with the content that are asked for.

    Links do not count as what they point to. A file that is not asked to be
    an original must not be empty, unless the one at that path was.
    """
    found = look.paths_now(p["path"], glob=p["glob"])
    if not found:
        return Finding(0.0, f"{p['path']} does not exist.")
    faults = [_fault(path, p, look) for path in found]
    if None in faults:
        return Finding(1.0, f"{found[faults.index(None)]} is there as it should be.")
    return Finding(0.0, f"{faults[0]}")


def path_absent(p: Params, look: Look) -> Finding:
    """Score 1 when what stood at the path is gone from it and, unless `survives` is false, is kept elsewhere.

    For a path where nothing stood at the start this is a guard: nothing may appear there.
    """
    found = look.paths_now(p["path"], glob=p["glob"])
    if found:
        return Finding(
            0.0, f"{found[0]} is still there." if found[0] in look.before else f"{found[0]} has appeared."
        )
    originals = look.paths_before(p["path"], glob=p["glob"])
    if not originals:
        return Finding(1.0, f"Nothing has appeared at {p['path']}.", guard=True)
    lost = [path for path in _files_of(originals, look) if p["survives"] and not look.copies_of(path)]
    if lost:
        return Finding(0.0, f"{lost[0]} is gone and its content is nowhere in the tree.")
    return Finding(1.0, f"{originals[0]} is gone from its place.")


def _files_of(paths: Sequence[str], look: Look) -> list[str]:
    """Return the regular files at or under paths of the start."""
    return [
        name
        for name, fact in look.before.items()
        if fact.kind == "file" and any(name == path or name.startswith(f"{path}/") for path in paths)
    ]


def _fault(path: str, p: Params, look: Look) -> str | None:
    """Return what is wrong with the entry at a path, or None."""
    fact = look.now[path]
    kind: Any = "directory" if p["path"].endswith("/") else p["type"]
    wants_content = p["sha256"] is not None or p["same_as"] is not None
    if wants_content:
        kind = "file"
    if kind not in ("any", fact.kind):
        return f"{path} is a {KIND_NAMES[fact.kind]}, not a {KIND_NAMES[kind]}."
    if wants_content:
        return _content_fault(path, p, look)
    if fact.kind == "file" and fact.size < p["min_bytes"] and not _was_so_small(path, fact, look):
        return f"{path} has {fact.size} bytes; at least {p['min_bytes']} are expected."
    return None


def _was_so_small(path: str, fact: FileFact, look: Look) -> bool:
    then = look.before.get(path)
    return then is not None and then.size <= fact.size


def _content_fault(path: str, p: Params, look: Look) -> str | None:
    try:
        if p["same_as"] is not None:
            original = look.original(p["same_as"])
            return (
                None
                if look.is_original(path, original)
                else f"{path} does not have the content of {original}."
            )
        return (
            None
            if look.hash_of(path) == p["sha256"]
            else f"{path} does not have the content that is expected."
        )
    except Refused as refusal:
        return str(refusal)


KINDS = {
    "path_exists": KindSpec(
        path_exists,
        {
            "path": PATH,
            "glob": flag("Read the path as a glob; one match that fits is enough."),
            "type": {"enum": ["file", "directory", "symlink", "any"], "default": "any"},
            "sha256": {
                "type": "string",
                "pattern": "^[0-9a-f]{64}$",
                "description": "Hash of the content to find there.",
            },
            "same_as": described(
                PATH, "The file of the dataset whose content must be there, by its path at the start."
            ),
            "min_bytes": described(COUNT, "Smallest size of a file.", default=1),
        },
        ("path",),
    ),
    "path_absent": KindSpec(
        path_absent,
        {
            "path": PATH,
            "glob": flag("Read the path as a glob; nothing may match it."),
            "survives": flag("What stood there must be elsewhere in the tree.", default=True),
        },
        ("path",),
    ),
}
