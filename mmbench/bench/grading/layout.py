"""Checks of how a tree is laid out: how many files, of which kind and name, and in which folders."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from mmbench.bench.grading.answer import listed
from mmbench.bench.grading.base import CheckFailedToRun, Finding, KindSpec, Params, Refused
from mmbench.bench.grading.clean import fold_name
from mmbench.bench.grading.look import Look, matches
from mmbench.bench.grading.params import COUNT, GLOBS, described, flag


def file_count(p: Params, look: Look) -> Finding:
    """Score how near the number of regular files in a folder is to the count: 1 when equal, 0 at none and at double."""
    files = _files(p, look)
    away = max(0, abs(len(files) - p["count"]) - p["tolerance"])
    reason = f"There are {len(files)} such files {_where(p)}; {p['count']} are expected."
    return Finding(max(0.0, 1 - away / max(1, p["count"])), reason)


def extension_share(p: Params, look: Look) -> Finding:
    """Score the share of the files of a folder that have one of the extensions, whatever its case.

    With fewer such files than `count` the share is of that number.
    """
    files = _files(p, look)
    wanted = {extension.lower().lstrip(".") for extension in p["extensions"]}
    right = [path for path in files if path.rpartition("/")[2].lower().rpartition(".")[2] in wanted]
    return _share(right, files, p, f"the extension {' or '.join(sorted(wanted))}")


def naming_pattern(p: Params, look: Look) -> Finding:
    """Score the share of the files of a folder whose whole name fits a regular expression.

    With fewer such files than `count` the share is of that number; with
    `sequence` the numbers in the names must count on from the first by ones.
    """
    files = _files(p, look)
    pattern = _compiled(p["pattern"])
    right = [path for path in files if pattern.fullmatch(fold_name(path.rpartition("/")[2]))]
    if p["sequence"]:
        right = _in_sequence(right)
    return _share(right, files, p, f"a name of the form {p['pattern']}")


def grouping(p: Params, look: Look) -> Finding:
    """Score files sorted into folders, by content: those in the right folder over all that belong or are there.

    A file counts when its content is in its folder (under its own name, unless
    `renames`) and gone from its old place (unless `copies`). What else lies in
    the folders of the truth lowers the score.
    """
    right = wrong = total = 0
    faults: list[str] = []
    for folder, paths in sorted(p["truth"].items()):
        originals = [_known(path, look) for path in paths]
        sizes = {look.before[path].size for path in originals}
        found = Counter(_found_mark(path, look, p, sizes) for path in _inside(folder, look))
        wanted = Counter(_mark(look.original_hash(path), path, p) for path in originals)
        stayed = Counter(
            _mark(look.original_hash(path), path, p) for path in originals if _stayed(path, folder, look, p)
        )
        placed = {mark: max(0, min(number, found[mark]) - stayed[mark]) for mark, number in wanted.items()}
        right += sum(placed.values())
        wrong += sum((found - wanted).values())
        total += len(originals)
        faults += sorted(
            {path for path in originals if placed[_mark(look.original_hash(path), path, p)] == 0}
        )
    reason = f"{right} of {total} files are in their folders, {wrong} others are there too"
    return Finding(
        right / (total + wrong) if total else 0.0,
        f"{reason}; not sorted: {listed(faults)}." if faults else f"{reason}.",
    )


def _files(p: Params, look: Look) -> list[str]:
    """Return the regular files of a folder that fit the check's filters, links and undersized ones left out."""
    top = _top(p["under"], look)
    below = {path: path[len(top) :] for path in _inside(p["under"], look)}
    return [
        path
        for path, name in below.items()
        if (p["recursive"] or "/" not in name)
        and (p["hidden"] or not any(part.startswith(".") for part in name.split("/")))
        and (p["only"] is None or any(matches(name, glob) for glob in p["only"]))
        and look.now[path].size >= p["min_bytes"]
        and not (p["new"] and look.is_untouched(path))
    ]


def _top(folder: str, look: Look) -> str:
    """Return the folder's path in the tree now with its slash; empty for the tree itself or a missing folder."""
    found = look.find(folder) if folder.strip("/.") else None
    return f"{found}/" if found is not None else ""


def _inside(folder: str, look: Look) -> list[str]:
    """Return the regular files of the tree now in a folder and further down."""
    top = _top(folder, look)
    if folder.strip("/.") and not top:
        return []
    return [path for path, fact in look.now.items() if fact.kind == "file" and path.startswith(top)]


def _where(p: Params) -> str:
    return "in the tree" if p["under"].strip("/") in ("", ".") else f"in {p['under']}"


def _share(right: Sequence[str], files: Sequence[str], p: Params, what: str) -> Finding:
    if not files:
        return Finding(0.0, f"There are no such files {_where(p)}.")
    odd = [path for path in files if path not in set(right)]
    reason = f"{len(right)} of {len(files)} files {_where(p)} have {what}"
    reason += f"; at least {p['count']} are expected" if len(right) < p["count"] else ""
    return Finding(
        len(right) / max(len(files), p["count"]), f"{reason}; not {listed(odd)}." if odd else f"{reason}."
    )


def _in_sequence(paths: Sequence[str]) -> list[str]:
    """Return the files whose last number goes on from 1, or from 0, without a gap or a double."""
    numbered: dict[int, str] = {}
    for path in paths:
        digits = re.findall(r"\d+", path.rpartition("/")[2].rpartition(".")[0])
        if digits and len(digits[-1]) < 10:
            numbered.setdefault(int(digits[-1]), path)
    at = 0 if 0 in numbered else 1
    run = []
    while at in numbered:
        run.append(numbered[at])
        at += 1
    return run


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise CheckFailedToRun(f"the pattern {pattern!r} is not a regular expression: {error}") from error


def _known(path: str, look: Look) -> str:
    found = look.original(path)
    if look.before.get(found) is None or look.before[found].kind != "file":
        raise CheckFailedToRun(f"grouping: {path} is not a file of the dataset")
    return found


def _mark(content: str, path: str, p: Params) -> tuple[str, str]:
    """Return what a file is recognised by: its content and, unless renames are free, its name."""
    return content, "" if p["renames"] else fold_name(path.rpartition("/")[2])


def _found_mark(path: str, look: Look, p: Params, sizes: set[int]) -> tuple[str, str]:
    """Return the mark of a file of the tree now; only one of a size that is wanted is read."""
    if look.now[path].size not in sizes:
        return _mark("of another size", path, p)
    try:
        return _mark(look.hash_of(path), path, p)
    except Refused:
        return _mark("unreadable", path, p)


def _stayed(path: str, folder: str, look: Look, p: Params) -> bool:
    if p["copies"] or path.startswith(f"{folder.strip('/')}/"):
        return False
    return look.is_untouched(path)


_FILTERS: dict[str, Any] = {
    "under": {"type": "string", "default": "", "description": "The folder; the whole tree when left out."},
    "recursive": flag("Count the files of its subfolders too.", default=True),
    "only": described(GLOBS, "Count the files that match one of these, relative to the folder."),
    "hidden": flag("Count hidden files and those in hidden folders."),
    "new": flag("Count only files that are not as they were at the start."),
    "min_bytes": described(COUNT, "Smaller files do not count.", default=1),
}
_LEAST = described(COUNT, "At least so many files are expected.", default=1)

KINDS = {
    "file_count": KindSpec(
        file_count,
        {**_FILTERS, "count": COUNT, "tolerance": described(COUNT, "Accepted difference.", default=0)},
        ("count",),
    ),
    "extension_share": KindSpec(
        extension_share,
        {
            **_FILTERS,
            "extensions": {
                "type": "array",
                "items": {"type": "string", "pattern": r"^\.?[A-Za-z0-9]+$"},
                "minItems": 1,
            },
            "count": _LEAST,
        },
        ("extensions",),
    ),
    "naming_pattern": KindSpec(
        naming_pattern,
        {
            **_FILTERS,
            "pattern": {
                "type": "string",
                "minLength": 1,
                "maxLength": 500,
                "description": "Regular expression of a name.",
            },
            "count": _LEAST,
            "sequence": flag("The last number of each name must count up from 1 or 0 without a gap."),
        },
        ("pattern",),
    ),
    "grouping": KindSpec(
        grouping,
        {
            "truth": {
                "type": "object",
                "additionalProperties": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1},
                    "minItems": 1,
                },
                "minProperties": 1,
                "description": "Which files of the dataset belong into which folder of the final tree.",
            },
            "renames": flag("The files may have new names.", default=True),
            "copies": flag("The originals may stay where they were."),
        },
        ("truth",),
    ),
}
