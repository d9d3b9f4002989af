"""Prove that results are what they were: each file by itself, against a revision, against an anchor.

A chain alone shows accidents and partial edits: whoever owns a file can build it
anew. What holds it is outside of it: git's history, or a tag with the hash of a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mmbench import git, ledger, validation
from mmbench.errors import UsageError
from mmbench.layout import Project, shown
from mmbench.terminal import counted
from mmbench.validation import Fault

TAG = "mmbench/"
_ANCHOR = re.compile(r"^lines: (\d+)\nhead: ([0-9a-f]{64})$", re.MULTILINE)


@dataclass(slots=True)
class Verification:
    """What was looked at, what holds it, and every fault."""

    files: int = 0
    lines: int = 0
    beside: int = 0
    """Clean-up logs and figures on judges."""
    anchored: int = 0
    """Files whose line is held by a tag."""
    since: str | None = None
    compared: int = 0
    """Files that were there at that revision."""
    faults: list[Fault] = field(default_factory=list)

    def summary(self) -> str:
        """Say in one line what was proved."""
        files, lines = counted(self.files, "results file"), counted(self.lines, "line")
        parts = [f"{files}, {lines}: {counted(len(self.faults), 'fault')}"]
        if self.beside:
            parts.append(f"{counted(self.beside, 'file')} beside them")
        if self.since is not None:
            parts.append(f"{counted(self.compared, 'file')} compared with {self.since[:12]}")
        if self.anchored:
            parts.append(f"{self.anchored} held by a tag")
        return "; ".join(parts)


def verify(
    where: Project, paths: Sequence[Path] = (), *, since: str | None = None, head: str | None = None
) -> Verification:
    """Verify the named results files, or all; `since` is a git revision, `head` the expected last hash."""
    files = _files(where, paths)
    if head is not None and len(files) != 1:
        raise UsageError("An expected head is that of one file.", fix="Name the one results file.")
    found = Verification()
    repository = git.top(where.results)
    for path in files:
        found.files += 1
        faults, lines = _file(path)
        found.lines += len(lines)
        found.faults += faults
        if head is not None:
            found.faults += _expected(path, lines, head)
        if repository is not None:
            anchor = git.tag_message(repository, TAG + path.stem)
            held = list(_anchored(path, lines, anchor)) if anchor is not None else None
            found.anchored += held == []
            found.faults += held or []
    if not paths:
        found.beside, faults = validation.beside(where.results)
        found.faults += faults
    if since is not None:
        _compare(where, repository, since, found)
    return found


def _files(where: Project, paths: Sequence[Path]) -> list[Path]:
    for path in paths:
        if not path.is_file():
            raise UsageError(f"There is no results file at {path}.", fix="Name files like results/ID.jsonl.")
    return list(paths) or list(ledger.ledgers(where.results))


def _file(path: Path) -> tuple[list[Fault], list[str]]:
    """Return the first fault of a file by itself, and the hashes of its lines."""
    lines, _ = ledger.split(path.read_bytes())
    faults = sorted(validation.ledger_faults(path), key=lambda fault: fault.line or 0)
    return faults[:1], [line.sha256 for line in lines]


def _expected(path: Path, hashes: Sequence[str], head: str) -> Iterator[Fault]:
    last = hashes[-1] if hashes else ""
    if last == head.lower():
        return
    known = f"it is line {hashes.index(head.lower()) + 1}'s" if head.lower() in hashes else "no line has it"
    yield Fault(
        shown(path),
        len(hashes),
        "/",
        f"the head is {last[:12]}…, not the expected {head[:12]}… ({known})",
    )


def _anchored(path: Path, hashes: Sequence[str], message: str) -> Iterator[Fault]:
    name, tag = shown(path), TAG + path.stem
    match = _ANCHOR.search(message)
    if match is None:
        yield Fault(name, None, "/", f"the tag {tag} holds no head")
        return
    line, head = int(match[1]), match[2]
    if line < 1 or hashes[line - 1 : line] != [head]:
        yield Fault(name, line, "/", f"the line is not the one that the tag {tag} holds ({head[:12]}…)")


def _compare(where: Project, repository: Path | None, since: str, found: Verification) -> None:
    """Check that every results file of a revision is a byte prefix of today's."""
    if repository is None:
        raise UsageError(
            "The results folder is in no git repository.", where=str(where.results), fix="Leave --since out."
        )
    found.since = git.commit(repository, since)
    for place in (Path(), Path("cleanup")):
        below = where.results.resolve().relative_to(repository.resolve()) / place
        for name, old in git.files(repository, found.since, below):
            if name.endswith(".jsonl"):
                found.compared += 1
                found.faults += _prefix(where.results, place / name, old, since)


def _prefix(results: Path, below: Path, old: bytes, since: str) -> Iterator[Fault]:
    path, name = results / below, f"results/{below.as_posix()}"
    if path.is_symlink() or not path.is_file():
        yield Fault(name, None, "/", f"it was there at {since} and is gone")
        return
    new = path.read_bytes()
    if new.startswith(old):
        return
    same = next(
        (at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    line = old.count(b"\n", 0, same) + 1
    what = "lines that were there are gone" if same == len(new) else "the line is not what it was"
    yield Fault(name, line, "/", f"{what} at {since}: results are only appended to")


def anchor(where: Project, session: str) -> str:
    """Hold a session's head by a git tag, signed where git is set up to sign; return what to say."""
    path = where.ledger(session)
    repository = git.top(where.results)
    if repository is None:
        raise UsageError("The results folder is in no git repository.", fix="Run `git init` and commit them.")
    faults, hashes = _file(path) if path.is_file() else ([], [])
    if not hashes:
        raise UsageError(f"There is no session '{session}'.", fix="Name the file in results/ without .jsonl.")
    if faults:
        raise UsageError(
            f"A damaged file is not anchored: {faults[0]}.", fix="See every fault with `verify`."
        )
    sign = git.signs(repository)
    message = f"mmbench anchor\n\nsession: {session}\nlines: {len(hashes)}\nhead: {hashes[-1]}\n"
    git.tag(repository, TAG + session, message, sign=sign)
    how = "signed tag" if sign else "tag (not signed: git has no signing key here)"
    return (
        f"{session}: line {len(hashes)} with head {hashes[-1]} is held by the {how} {TAG}{session}.\n"
        f"Publish it: git push origin {TAG}{session}"
    )
