"""Take secrets, and names of the user's machine, out of everything before it is written.

A secret is found plain, URL-encoded, JSON-escaped, in base64 at any alignment,
and broken over lines, in any mixture: a text is first brought into a normal form
and searched there, which costs little; only a hit is then located and replaced.
What was found but cannot be located goes as a whole, so nothing found is written.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote

MARK = "[redacted]"
SHORTEST = 8
"""Characters from which a value is taken for a secret: shorter ones occur in any text."""
DEPTH = 8
"""Encodings within each other that are undone; each takes a pass over the text, most texts need one."""
PIECE = 6
"""Characters of a secret that a cut may leave at an edge before they are taken out too."""

ORDINARY = frozenset(
    "root agent user users home admin administrator ubuntu debian runner test tests guest nobody work "
    "build local localhost host server desktop laptop data mm mmbench docker node python oracle nop "
    "claude codex gemini qwen opencode openclaw hermes pi synthetic".split()
)
"""Names that say nothing about anybody, and would be taken out of the middle of answers."""

CLOSED = frozenset(
    "kind case arm prev at started_at sha256 digest hash status change ended parse session agent profile suite".split()
)
"""Fields with values of a closed form, which are never touched."""
OWN_WORDS = frozenset("name model models served_model stored".split())
"""Fields that name things of the benchmark; one that is called like the user keeps its name."""

# Each run of backslashes is tried at its beginning alone: from every place in it, a long one would take for ever.
_GAP = re.compile(r"(?<!\\)\\*(?:[\r\n]|\\[rn])(?:[\r\n \t]|\\+[rnt])*")
_ESCAPE = re.compile(r"(?<!\\)\\+u00([0-9a-fA-F]{2})")
_SPACE = r"(?:\\*(?:[\r\n]|\\[rn])(?:[\r\n \t]|\\+[rnt])*)?"
_CUT = re.compile(r"\n\[… \d+ characters cut …\]\n|\n\[mmbench: \d+ bytes of output left out\]\n")


def normal(text: str) -> str:
    """Return the form of a text in which secrets are searched: escapes and line breaks undone, in two readings.

    A percent sign may begin an escape, or just stand before a secret that begins with two digits.
    """
    plain = _undone(text, percent=False)
    return f"{plain}\0{_undone(text, percent=True)}" if "%" in plain else plain


def needles(secret: str) -> set[str]:
    """Return what to search for in normal forms: a secret can look like an escape itself."""
    return {_undone(secret, percent=percent) for percent in (False, True)} - {""}


def _undone(text: str, *, percent: bool) -> str:
    """Undo line breaks, JSON escapes and perhaps URL encoding, nested up to DEPTH; no backslash is left.

    How many of them are a secret's own cannot be told where it ends with one inside of JSON inside of JSON.
    """
    for _ in range(DEPTH):
        before = text
        if "\n" in text or "\r" in text or "\\" in text:
            text = _GAP.sub("", text)
        if percent and "%" in text:
            text = unquote(text, errors="surrogateescape")
        if "\\" in text:
            text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)), text)
        if text == before:
            break
    return text.replace("\\", "")


def base64_cores(secret: bytes) -> Iterator[str]:
    """Yield the characters of a secret's base64 that no neighbour changes, for all three alignments."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + secret).decode()
        core = encoded[-(-8 * shift // 6) : (8 * (shift + len(secret))) // 6]
        yield core
        if "+" in core or "/" in core:
            yield core.replace("+", "-").replace("/", "_")


def _character(char: str, before: str = "") -> str:
    """Return a pattern for a character in every way of writing it; `before` is what its backslashes begin with."""
    percent = "".join(f"%(?:25)*{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
    ways = [rf"{before}\\*{re.escape(char)}", rf"(?i:{percent})"]
    if ord(char) < 256:
        ways.append(rf"(?i:{before}\\+u00{ord(char):02x})")
    return f"(?:{'|'.join(ways)})"


def _located(text: str) -> str:
    """Return a pattern for a text in every way of writing it, linear in runs of backslashes like `_GAP`."""
    return _SPACE.join([_character(text[0], r"(?<!\\)"), *map(_character, text[1:])])


def _ends(text: str, more: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(text)}(?!{more})")


@dataclass(frozen=True, slots=True)
class _Word:
    """A folder or a name, and how to find it."""

    needle: str
    shown: str
    plain: re.Pattern[str] | None
    """Quick to search, for the plain form; what stands before it is looked at afterwards."""
    tolerant: re.Pattern[str]

    def taken_out(self, text: str) -> str:
        """Replace it in a text, in the plain form first."""
        if self.plain is not None:
            text = self.plain.sub(self._unless_inside, text)
            if self.needle not in normal(text):
                return text
        return self.tolerant.sub(self.shown, text)

    def _unless_inside(self, match: re.Match[str]) -> str:
        before = match.string[match.start() - 1 : match.start()]
        return match[0] if before and (before.isalnum() or before in "_.") else self.shown


@dataclass(frozen=True)
class Redactor:
    """Replaces secrets by a mark, folders by what they are to the reader, and names of user and host."""

    secrets: tuple[str, ...]
    folders: Mapping[str, str]
    """Absolute paths and what is written instead, for example the user's home and `~`."""
    names: Mapping[str, str]
    """Names of the user and the host and what is written instead."""

    @classmethod
    def of(
        cls,
        secrets: Iterable[str] = (),
        *,
        home: str = "",
        host: str = "",
        user: str = "",
        folders: Mapping[str, str] | None = None,
    ) -> Redactor:
        """Make a redactor; secrets of fewer than 8 characters and ordinary names are left out."""
        known = {secret for secret in secrets if len(secret.strip()) >= SHORTEST}
        places = {**(folders or {}), home: "~"}
        names = {user: "user", host: "host", host.partition(".")[0]: "host"}
        return cls(
            tuple(sorted(known, key=lambda secret: (-len(secret), secret))),
            {
                path.rstrip("/"): shown
                for path, shown in sorted(places.items(), key=lambda item: -len(item[0]))
                if path.startswith("/") and len(path.rstrip("/")) > 3
            },
            {name: shown for name, shown in names.items() if len(name) > 2 and name.lower() not in ORDINARY},
        )

    @cached_property
    def _needles(self) -> tuple[tuple[str, str], ...]:
        """Return (normal form to search, the same as written) of every form of every secret."""
        found: dict[str, str] = {}
        for secret in self.secrets:
            data = secret.encode("utf-8", "surrogatepass")
            forms = [secret, secret.replace(" ", "+"), *base64_cores(data)]
            for form in forms:
                for needle in sorted(needles(form)):
                    found.setdefault(needle, form)
        return tuple(found.items())

    @cached_property
    def _words(self) -> tuple[_Word, ...]:
        """Return every folder, longest first, then every name."""
        paths = [
            _Word(path, shown, _ends(path, r"[\w-]"), re.compile(rf"(?<![\w.]){_located(path)}(?![\w-])"))
            for path, shown in self.folders.items()
        ]
        border = r"(?:(?<![A-Za-z0-9])|(?<=%2[fF])|(?<=\\n)|(?<=\\t))"
        names = [
            _Word(name, shown, None, re.compile(rf"{border}{re.escape(name)}(?![A-Za-z0-9])"))
            for name, shown in self.names.items()
        ]
        return tuple(paths + names)

    def text(self, text: str, *, names: bool = True) -> str:
        """Return a text without secrets, folders and, unless told otherwise, names."""
        text = self._without_secrets(text)
        flat = normal(text)
        for word in self._words:
            if word.needle in flat and (names or word.needle not in self.names):
                text = word.taken_out(text)
                flat = normal(text)
        return text

    def data(self, data: bytes) -> bytes:
        """Return bytes without them; what is no UTF-8 is kept."""
        text = data.decode("utf-8", "surrogateescape")
        return self._edges(self.text(text)).encode("utf-8", "surrogateescape")

    def hit(self, data: bytes) -> bool:
        """Tell whether bytes hold anything that would be taken out."""
        text = data.decode("utf-8", "surrogateescape")
        return self.text(text) != text

    def record(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a record without them; most records hold none and come back as they are."""
        joined = "\0".join(_strings(fields))
        flat = normal(joined)
        found = any(needle in flat for needle, _ in self._needles)
        if found or any(word.needle in flat for word in self._words) or self._cut_short(fields):
            names = fields.get("kind") != "session"  # it tells of nobody, and parts of it are hashed
            return {key: self._value(value, key, names) for key, value in fields.items()}
        return dict(fields)

    def _value(self, value: Any, key: str, names: bool) -> Any:
        if isinstance(value, str):
            closed = key in CLOSED or (key == "name" and not names)
            return value if closed else self.text(value, names=names and key not in OWN_WORDS)
        if isinstance(value, Mapping):
            clean = {
                self._without_secrets(str(name)): self._value(item, name, names)
                for name, item in value.items()
            }
            return clean | {"text": self._edges(clean["text"])} if _is_capped(clean) else clean
        if isinstance(value, list | tuple):
            return [self._value(item, key, names) for item in value]
        return value

    def _without_secrets(self, text: str) -> str:
        flat = normal(text)
        if not any(needle in flat for needle, _ in self._needles):
            return text
        for secret in self.secrets:
            text = text.replace(secret, MARK)  # what is written plainly is most of it, and quick
        flat = normal(text)
        hits = [form for needle, form in self._needles if needle in flat]
        for form in sorted(hits, key=len, reverse=True):
            plain = form in self.secrets
            pattern = _located(form) if plain else f"[A-Za-z0-9+/_-]?{_located(form)}[A-Za-z0-9+/_=-]{{0,3}}"
            text = re.sub(pattern, MARK, text)
        flat = normal(text)
        # One that is short without its backslashes may be an ordinary word.
        return MARK if any(needle in flat for needle, _ in self._needles if len(needle) >= SHORTEST) else text

    def _cut_short(self, fields: Mapping[str, Any]) -> bool:
        return any(self._edges(text) != text for text in _capped_texts(fields))

    def _edges(self, text: str) -> str:
        """Take out what a cut left of a secret at the beginning, at the end and around its marker."""
        bounds = [0, *(at for cut in _CUT.finditer(text) for at in cut.span()), len(text)]
        parts = [text[start:end] for start, end in itertools.pairwise(bounds)]
        for index in range(0, len(parts), 2):
            parts[index] = self._edge(parts[index])
        return "".join(parts)

    def _edge(self, part: str) -> str:
        for secret in self.secrets:
            sizes = range(min(len(secret) - 1, len(part)), PIECE - 1, -1)
            if part[:PIECE] in secret:
                part = next((MARK + part[n:] for n in sizes if part.startswith(secret[-n:])), part)
            if part[-PIECE:] in secret:
                part = next((part[:-n] + MARK for n in sizes if part.endswith(secret[:n])), part)
        return part


def _is_capped(value: Mapping[str, Any]) -> bool:
    return value.keys() == {"text", "bytes", "truncated"} and isinstance(value["text"], str)


def _capped_texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if _is_capped(value):
            yield value["text"]
            return
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for item in value:
            yield from _capped_texts(item)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
