"""Which files of a tree a text names: whole names at borders, with the path where a name is ambiguous.

A name counts in any spelling a reader takes for it: quoted, in Markdown with
escapes, percent-encoded, with backslashes for slashes, in either Unicode form,
and, where its bytes are not UTF-8, as escapes or replacement marks. A name inside a longer
name of the tree is the longer one: `old a.jpg` does not name `a.jpg`.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from mmbench.bench.grading.clean import UNSPACED, fold_name, is_word

_WORD = re.compile(rf"(?:(?![{UNSPACED}])\w)+|[{UNSPACED}]")
_STRAY = re.compile("[\udc80-\udcff]")  # a byte that is not UTF-8, as os.fsdecode gives it
_MARKDOWN_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~ ])")
# Left of a name these continue a longer name (my-a.jpg, .a.jpg); right of it, when more follows.
_LEFT_JOINS, _RIGHT_JOINS = frozenset("-.+~#%&$^"), frozenset("-.+~@/\\")
_ANYWHERE = frozenset({".", "..", "...", "…", "~"})


@dataclass(frozen=True, slots=True)
class _Spot:
    start: int
    end: int
    base: str


class Names:
    """The file names of a tree, to be looked for in texts."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
        for path in sorted(paths):
            for spelling in _spellings(path):
                *parents, base = spelling.split("/")
                self._paths[base].append((path, parents))

    def named_in(self, text: str) -> frozenset[str]:
        """Return the paths that the text names without ambiguity."""
        return frozenset(path for view in _views(text) for path in self._named_in_view(view))

    def _named_in_view(self, text: str) -> Iterator[str]:
        reached = 0
        for spot in sorted(self._spots(text), key=lambda s: (s.start, -s.end)):
            if spot.end <= reached:
                continue  # inside a longer name of the tree
            reached = spot.end
            path = _resolve(text, spot.start, self._paths[spot.base])
            if path is not None:
                yield path

    def _spots(self, text: str) -> Iterator[_Spot]:
        tokens: dict[str, list[int]] = defaultdict(list)
        for match in _WORD.finditer(text):
            tokens[match[0]].append(match.start())
        for base in self._paths:
            for start in _starts(text, base, tokens):
                end = start + len(base)
                if _is_left_border(text, start) and _is_right_border(text, end):
                    yield _Spot(start, end, base)


def _starts(text: str, base: str, tokens: dict[str, list[int]]) -> Iterator[int]:
    """Yield where the name stands in the text, found by the rarest of its words."""
    words = [(match.start(), tokens.get(match[0], [])) for match in _WORD.finditer(base)]
    if not words:
        yield from (match.start() for match in re.finditer(re.escape(base), text))
        return
    offset, places = min(words, key=lambda word: len(word[1]))
    yield from (at - offset for at in places if at >= offset and text.startswith(base, at - offset))


def _is_left_border(text: str, start: int) -> bool:
    if start == 0:
        return True
    last = text[start - 1]
    if last in "-+" and not text[max(0, start - 2) : start - 1].strip():
        return True  # a bullet without its space
    return not is_word(last) and last not in _LEFT_JOINS


def _is_right_border(text: str, end: int) -> bool:
    after, beyond = text[end : end + 1], text[end + 1 : end + 2]
    if after in _RIGHT_JOINS and beyond and is_word(beyond):
        return False
    return not after or (not is_word(after) and after != "~")


def _resolve(text: str, start: int, candidates: Sequence[tuple[str, list[str]]]) -> str | None:
    """Return the one path that the written parents fit, or None when none or several do."""
    fits = {path: fit for path, parents in candidates if (fit := _fit(text, start, parents)) is not None}
    if len(fits) == 1 and len({path for path, _ in candidates}) == 1:
        return next(iter(fits))
    full = {path: matched for path, (matched, whole) in fits.items() if whole}
    best = [path for path, matched in full.items() if matched == max(full.values())]
    if len(best) == 1:
        return best[0]
    return next(iter(fits)) if len(fits) == 1 else None


def _fit(text: str, start: int, parents: Sequence[str]) -> tuple[int, bool] | None:
    """Compare the path written left of a name with a file's parents.

    Returns how many parents are written and whether all are; None when another
    parent is written.
    """
    for matched, parent in enumerate(reversed(parents)):
        if start == 0 or text[start - 1] != "/":
            return matched, False
        at = start - 1 - len(parent)
        if (
            at < 0
            or not text.startswith(parent, at)
            or (at and text[at - 1] != "/" and not _is_left_border(text, at))
        ):
            return (matched, False) if _written_parent(text, start - 1) in _ANYWHERE else None
        start = at
    return len(parents), True


def _written_parent(text: str, end: int) -> str:
    start = end
    while start and end - start < 4 and text[start - 1] in ".…~":
        start -= 1
    return text[start:end]


def _views(text: str) -> set[str]:
    """Return the text as written and with the usual escapes undone."""
    text = fold_name(text)
    plain = _MARKDOWN_ESCAPE.sub(r"\1", text)
    views = {text, plain, html.unescape(plain), text.replace("\\", "/")}
    if "%" in text:
        views.add(fold_name(unquote(plain, errors="surrogateescape")))
    return views


def _spellings(path: str) -> list[str]:
    """Return how a path may be written; more than one way when its bytes are not UTF-8."""
    spellings = {fold_name(path)}
    if _STRAY.search(path):
        raw = path.encode("utf-8", "surrogateescape")
        spellings |= {fold_name(raw.decode("utf-8", "replace")), fold_name(raw.decode("latin-1"))}
        spellings |= {_STRAY.sub(_octal, path), _STRAY.sub(_hexadecimal, path)}
    return sorted(spellings)


def _octal(match: re.Match[str]) -> str:
    return rf"\{ord(match[0]) - 0xDC00:03o}"


def _hexadecimal(match: re.Match[str]) -> str:
    return rf"\x{ord(match[0]) - 0xDC00:02x}"
