"""One trial's evidence as the checks see it: looked at once, remembered, compared with the start."""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mmbench.bench.grading import tree
from mmbench.bench.grading.base import CheckFailedToRun, Evidence, FileFact, Params, Refused
from mmbench.bench.grading.clean import clean_text, fold_name, fold_text
from mmbench.bench.grading.filenames import Names
from mmbench.bench.grading.malformed import Malformed
from mmbench.bench.grading.numbers import Token, find_numbers
from mmbench.bench.grading.reader import Reader
from mmbench.bench.grading.tables import Document, format_of, parse

MAX_ANSWER = 200_000
MAX_DOCUMENT = 32 << 20
MAX_MEDIA = 512 << 20
MAX_PARSED_HERE = 256 << 10


class Look:
    """The evidence of one trial with its caches; a context manager, since it may hold a parser process."""

    def __init__(self, evidence: Evidence, checks: Sequence[Params] = ()) -> None:
        self.evidence = evidence
        self.checks = checks
        self._hashes: dict[str, str] = {}
        self._original_hashes: dict[str, str] = {}
        self._documents: dict[tuple[str, str | None, str | None], Document | Refused] = {}
        self.reader = Reader()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.reader.close()

    @cached_property
    def answer(self) -> str:
        """The agent's answer as a reader sees it; raises Refused when it is longer than anyone reads."""
        if len(self.evidence.answer) > MAX_ANSWER:
            raise Refused(f"The answer is longer than {MAX_ANSWER:,} characters.")
        return clean_text(self.evidence.answer)

    @cached_property
    def folded_answer(self) -> str:
        """The answer folded for text comparison."""
        return fold_text(self.answer)

    @cached_property
    def numbers(self) -> list[Token]:
        """The numbers that the answer states."""
        return list(find_numbers(self.answer))

    @cached_property
    def named(self) -> frozenset[str]:
        """The files of the tree at its start, and of the checks, that the answer names."""
        files = {path for path, fact in self.before.items() if fact.kind != "directory"}
        return Names(files | self.wanted_names).named_in(self.answer)

    @cached_property
    def wanted_names(self) -> frozenset[str]:
        """The files that the case's names_file checks ask for, by their full path."""
        wanted = (check["path"] for check in self.checks if check.get("kind") == "names_file")
        return frozenset(
            self.original(path) for paths in wanted for path in ([paths] if isinstance(paths, str) else paths)
        )

    @property
    def before(self) -> Mapping[str, FileFact]:
        """What was in the tree at the start."""
        return self.evidence.before

    @cached_property
    def now(self) -> dict[str, FileFact]:
        """What is in the tree now; raises Refused for a tree beyond all limits."""
        return tree.survey(self.evidence.tree)

    def original(self, path: str) -> str:
        """Return the path at the start that a path or a unique file name means; else the path itself.

        Raises CheckFailedToRun for a bare name that several files have.
        """
        found = self._spelled(self.before, self._folded_before, path)
        if found is None and "/" not in path:
            named = [other for other in self.before if other.rpartition("/")[2] == path]
            if len(named) > 1:
                raise CheckFailedToRun(f"{path} is the name of {len(named)} files of the dataset")
            found = named[0] if named else None
        return found if found is not None else path

    def find(self, path: str) -> str | None:
        """Return the path in the tree now that is meant, whatever its Unicode form."""
        return self._spelled(self.now, self._folded_now, path)

    def _spelled(self, facts: Mapping[str, FileFact], folded: Mapping[str, str], path: str) -> str | None:
        path = path.rstrip("/")
        return path if path in facts else folded.get(fold_name(path))

    @cached_property
    def _folded_before(self) -> dict[str, str]:
        return {fold_name(path): path for path in self.before}

    @cached_property
    def _folded_now(self) -> dict[str, str]:
        return {fold_name(path): path for path in self.now}

    def paths_now(self, path: str, *, glob: bool = False) -> list[str]:
        """Return the paths of the tree now that a path, or a glob, stands for."""
        if glob:
            return [name for name in self.now if matches(name, path)]
        found = self.find(path)
        return [] if found is None else [found]

    def paths_before(self, path: str, *, glob: bool = False) -> list[str]:
        """Return the paths of the tree at the start that a path, or a glob, stands for."""
        if glob:
            return [name for name in sorted(self.before) if matches(name, path)]
        found = self._spelled(self.before, self._folded_before, path)
        return [] if found is None else [found]

    def hash_of(self, path: str) -> str:
        """Return the SHA-256 of a file of the tree now; raises Refused when it may not be read."""
        if path not in self._hashes:
            self._hashes[path] = tree.sha256_regular(self.evidence.tree, path)
        return self._hashes[path]

    def original_hash(self, path: str) -> str:
        """Return the SHA-256 a file had at the start; raises CheckFailedToRun when nothing tells it."""
        fact = self.before.get(path)
        if fact is None or fact.kind != "file":
            raise CheckFailedToRun(f"{path} is not a file of the dataset")
        if fact.sha256 is not None:
            return fact.sha256
        if path not in self._original_hashes:
            self._original_hashes[path] = self._reference_hash(path)
        return self._original_hashes[path]

    def reference_file(self, path: str) -> Path:
        """Return where the pristine copy of a file is; raises CheckFailedToRun when there is none."""
        if self.evidence.reference is None:
            raise CheckFailedToRun(f"the original of {path} is not known: there is no reference tree")
        try:
            return tree.real_path(self.evidence.reference, path, tree.MAX_HASHED)
        except Refused as refusal:
            raise CheckFailedToRun(f"the original of {path} cannot be read: {refusal}") from refusal

    def _reference_hash(self, path: str) -> str:
        file = self.reference_file(path)
        if file.stat().st_size != self.before[path].size:
            raise CheckFailedToRun(f"the original of {path} is not the one in the reference tree")
        return tree.sha256_regular(file.parent, file.name)

    def is_original(self, path: str, original: str) -> bool:
        """Say whether a regular file of the tree now has the content that another path had at the start."""
        now, then = self.now.get(path), self.before.get(original)
        wanted = self.original_hash(original)
        if now is None or then is None or now.kind != "file" or now.size != then.size:
            return False
        return self.hash_of(path) == wanted

    def real_file(self, path: str, cap: int = MAX_MEDIA) -> Path:
        """Return the path on disk of a regular file of the tree, for the parser process; raises Refused."""
        return tree.real_path(self.evidence.tree, path, cap)

    def ask_with_original(self, operation: str, path: str, original: str | None, **arguments: Any) -> Any:
        """Let the parser process look at a file of the tree beside the pristine copy of an original.

        Raises Refused for the file of the tree, CheckFailedToRun when the original is at fault.
        """
        reference = str(self.reference_file(self.original(original))) if original is not None else None
        try:
            return self.reader.ask(
                operation, path, path=str(self.real_file(path)), reference=reference, **arguments
            )
        except Refused:
            if reference is not None:
                self._prove(operation, str(original), reference, arguments)
            raise

    def _prove(self, operation: str, original: str, reference: str, arguments: Mapping[str, Any]) -> None:
        """Make sure that an original can be read, so that a refusal is the agent's."""
        try:
            self.reader.ask(operation, original, path=reference, reference=reference, **arguments)
        except Refused as refusal:
            raise CheckFailedToRun(f"the original {refusal}") from refusal

    def document(self, path: str, form: str | None = None, sheet: str | None = None) -> Document:
        """Parse a file of the tree now; raises Refused, with the reason, when it cannot be."""
        key = (path, form, sheet)
        if key not in self._documents:
            try:
                self._documents[key] = self._parse(path, form, sheet)
            except Refused as refusal:
                self._documents[key] = refusal
        found = self._documents[key]
        if isinstance(found, Refused):
            raise found
        return found

    def _parse(self, path: str, form: str | None, sheet: str | None) -> Document:
        real = tree.real_path(self.evidence.tree, path, MAX_DOCUMENT)
        if real.stat().st_size > MAX_PARSED_HERE or format_of(path, form) == "xlsx":
            fields = self.reader.ask("document", path, path=str(real), name=path, form=form, sheet=sheet)
            return Document(**fields)
        try:
            return parse(tree.read_regular(self.evidence.tree, path, MAX_DOCUMENT), path, form)
        except Malformed as fault:
            raise Refused(f"{path} is malformed: {fault}.") from fault

    def copies_of(self, original: str) -> list[str]:
        """Return where the content that a path had at the start is found in the tree now."""
        size = self.before[original].size
        return [
            p
            for p, fact in self.now.items()
            if fact.kind == "file" and fact.size == size and self._same(p, original)
        ]

    def _same(self, path: str, original: str) -> bool:
        try:
            return self.is_original(path, original)
        except Refused:
            return False

    def is_untouched(self, path: str) -> bool:
        """Say whether a path holds what it held at the start."""
        now, then = self.now.get(path), self.before.get(path)
        if now is None or then is None or now.kind != then.kind:
            return False
        if then.ctime_ns is not None and (now.ctime_ns, now.inode) == (then.ctime_ns, then.inode):
            return True  # no program can set the inode's change time
        if now.kind == "file" and not now.mode & then.mode & stat.S_IRUSR:
            return (now.size, now.mtime_ns) == (
                then.size,
                then.mtime_ns,
            )  # its content was, or is, closed to all
        if now.kind == "file":
            return now.size == then.size and self._same(path, path)
        if now.kind == "symlink" and then.target is not None:
            return now.target == then.target
        return now.mtime_ns == then.mtime_ns or now.kind == "directory"


@lru_cache(maxsize=512)
def _parts(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.split("/"))


def matches(path: str, pattern: str) -> bool:
    """Say whether a path matches a glob: `*` and `?` stay within a name, `**` spans folders."""
    return _matches(tuple(path.split("/")), _parts(pattern))


def _matches(names: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(_matches(names[i:], parts[1:]) for i in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], parts[0]) and _matches(names[1:], parts[1:])
