"""Checks of what must survive the work: the rest of the tree, EXIF data, times and permissions.

An idle agent preserves everything, so these are guards unless they name files
at new places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mmbench.bench.grading.answer import listed
from mmbench.bench.grading.base import CheckFailedToRun, FileFact, Finding, KindSpec, Params, Refused
from mmbench.bench.grading.look import Look, matches
from mmbench.bench.grading.params import GLOBS, PATH, described, flag

DAMAGE_FACTOR = 0.25
MAX_DAMAGE = 3


def tree_unchanged_except(p: Params, look: Look) -> Finding:
    """Score 1 when nothing but what is allowed was added, changed or deleted; a quarter for each damage, 0 over three.

    Files, links and special files count by content, folders only where an
    empty one was added. As a guard it is worth the share of the other checks.
    """
    damage = sorted({*_added(p, look), *_deleted(p, look), *_changed(p, look)})
    if not damage:
        return Finding(1.0, "Nothing else was added, changed or deleted.", guard=True)
    score = DAMAGE_FACTOR ** len(damage) if len(damage) <= MAX_DAMAGE else 0.0
    return Finding(score, f"{len(damage)} other entries are not as they were: {listed(damage)}.", guard=True)


def mtime_preserved(p: Params, look: Look) -> Finding:
    """Score the share of the files that kept their modification time, wherever they are now."""

    def kept(now: FileFact, then: FileFact) -> bool:
        return abs(now.mtime_ns - then.mtime_ns) <= float(p["tolerance_s"]) * 1e9

    return _preserved(p, look, kept, "modification time")


def mode_preserved(p: Params, look: Look) -> Finding:
    """Score the share of the files that kept their permissions, wherever they are now."""
    return _preserved(p, look, lambda now, then: now.mode == then.mode, "permissions")


def exif_preserved(p: Params, look: Look) -> Finding:
    """Score the share of the EXIF tags of the originals that their successors still carry with the same value."""
    shares: list[float] = []
    lost: list[str] = []
    for final, original in sorted(p["files"].items()):
        wanted = _reference_exif(look.original(original), p, look)
        found = _exif_now(final, look)
        kept = [tag for tag, value in wanted.items() if found.get(tag) == value]
        shares.append(len(kept) / len(wanted))
        lost += [f"{tag} of {final}" for tag in sorted(wanted.keys() - set(kept))]
    guard = all(look.original(original) == final for final, original in p["files"].items())
    reason = f"Lost: {listed(lost)}." if lost else f"All EXIF tags of {len(shares)} files are kept."
    return Finding(sum(shares) / len(shares), reason, guard=guard)


def _added(p: Params, look: Look) -> list[str]:
    new = [path for path in look.now if path not in look.before and not _allowed(path, "added", p)]
    full = {path.rpartition("/")[0] for path in look.now}
    return [f"{path} (added)" for path in new if look.now[path].kind != "directory" or path not in full]


def _deleted(p: Params, look: Look) -> list[str]:
    gone = [path for path in look.before if path not in look.now and look.before[path].kind != "directory"]
    return [f"{path} (deleted)" for path in gone if not _allowed(path, "deleted", p)]


def _changed(p: Params, look: Look) -> list[str]:
    both = [path for path in look.now if path in look.before and not _allowed(path, "changed", p)]
    return [f"{path} ({how})" for path in both if (how := _how_changed(path, p, look))]


def _how_changed(path: str, p: Params, look: Look) -> str:
    now, then = look.now[path], look.before[path]
    if not look.is_untouched(path):
        return "changed"
    if p["modes"] and now.mode != then.mode:
        return "permissions changed"
    if p["mtimes"] and now.kind == "file" and abs(now.mtime_ns - then.mtime_ns) > 2e9:
        return "time changed"
    return ""


def _allowed(path: str, how: str, p: Params) -> bool:
    return any(matches(path, glob) for glob in [*p["allow"], *p[f"allow_{how}"]])


def _preserved(p: Params, look: Look, kept: Callable[[FileFact, FileFact], bool], what: str) -> Finding:
    """Grade a property over named files, or over all originals of some globs wherever their content is now."""
    places = _places(p, look)
    if not places:
        raise CheckFailedToRun(f"{what}: the check speaks of no file")
    lost = [
        original
        for original, finals in places.items()
        if not any(kept(look.now[final], look.before[original]) for final in finals)
    ]
    guard = p["files"] is None or all(look.original(old) == final for final, old in p["files"].items())
    reason = f"{len(places) - len(lost)} of {len(places)} files kept their {what}"
    return Finding(
        1 - len(lost) / len(places), f"{reason}; not {listed(lost)}." if lost else f"{reason}.", guard=guard
    )


def _places(p: Params, look: Look) -> dict[str, list[str]]:
    """Return where each file is now, by its path at the start."""
    if p["files"] is not None:
        found = {look.original(original): look.find(final) for final, original in p["files"].items()}
        return {original: [final] if final is not None else [] for original, final in found.items()}
    originals = [path for path, fact in sorted(look.before.items()) if fact.kind == "file"]
    chosen = [path for path in originals if any(matches(path, glob) for glob in p["originals"])]
    return {path: [path] if look.is_untouched(path) else look.copies_of(path) for path in chosen}


def _reference_exif(original: str, p: Params, look: Look) -> Mapping[str, Any]:
    try:
        tags: dict[str, Any] = look.reader.ask("exif", original, path=str(look.reference_file(original)))
    except Refused as refusal:
        raise CheckFailedToRun(f"the EXIF data of {original} cannot be read: {refusal}") from refusal
    wanted = {tag: value for tag, value in tags.items() if p["tags"] is None or tag in p["tags"]}
    if not wanted:
        raise CheckFailedToRun(f"{original} has none of the EXIF tags that are asked for")
    return wanted


def _exif_now(final: str, look: Look) -> Mapping[str, Any]:
    try:
        path = look.find(final)
        real = look.real_file(path) if path is not None else None
        tags: dict[str, Any] = look.reader.ask("exif", final, path=str(real)) if real is not None else {}
    except Refused:
        return {}
    return tags


_FILES = {
    "type": "object",
    "additionalProperties": PATH,
    "minProperties": 1,
    "description": "Path in the final tree of each file, with its path at the start.",
}
_ORIGINALS = described(
    GLOBS, "Without `files`: the files of the start that are followed, by content.", default=["**"]
)

KINDS = {
    "tree_unchanged_except": KindSpec(
        tree_unchanged_except,
        {
            "allow": described(GLOBS, "What may be added, changed or deleted.", default=[]),
            "allow_added": described(GLOBS, "What may be added.", default=[]),
            "allow_changed": described(GLOBS, "What may be changed.", default=[]),
            "allow_deleted": described(GLOBS, "What may be deleted.", default=[]),
            "modes": flag("A change of permissions counts."),
            "mtimes": flag("A change of a file's modification time by over 2 s counts."),
        },
    ),
    "mtime_preserved": KindSpec(
        mtime_preserved,
        {
            "files": _FILES,
            "originals": _ORIGINALS,
            "tolerance_s": {
                "type": "number",
                "minimum": 0,
                "default": 2,
                "description": "Accepted difference in seconds.",
            },
        },
    ),
    "mode_preserved": KindSpec(mode_preserved, {"files": _FILES, "originals": _ORIGINALS}),
    "exif_preserved": KindSpec(
        exif_preserved,
        {
            "files": _FILES,
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "description": "Names of tags, DateTimeOriginal for instance; by default all that describe the photo.",
            },
        },
        ("files",),
    ),
}
