"""Text made comparable: escape sequences stripped, spelling variants folded, borders of words."""

from __future__ import annotations

import re
import unicodedata

from mmbench.terminal import visible

MAX_REASON = 600

# CSI, OSC and the other string sequences (ended by BEL or ST, never running past a line), two-byte escapes.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Zero-width and bidirectional marks: invisible, so no reader can have meant them.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SPACES = re.compile(r"\s+")
_QUOTES = str.maketrans("‘’‚‛′“”„‟″", "'''''\"\"\"\"\"")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹣－", "-"))

# Scripts written without spaces between words: every character is a border of its own.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_UNSPACED = re.compile(f"[{UNSPACED}]")


def clean_text(text: str) -> str:
    """Return the text as a reader sees it: no terminal escapes, controls or invisible marks, `\\n` lines."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return _INVISIBLE.sub("", _CONTROLS.sub("", text.replace("\r", "\n")))


def fold_name(text: str) -> str:
    """Fold what may differ in the spelling of one file name: Unicode form, kinds of space and of quote."""
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text)).translate(_QUOTES)
    return (
        "".join(" " if unicodedata.category(c) == "Zs" else c for c in text) if not text.isascii() else text
    )


def fold_text(text: str) -> str:
    """Fold for comparison: NFKC, case, quotes, dashes, runs of white space."""
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_QUOTES).translate(_DASHES)
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", folded.casefold())).strip()


def is_word(char: str) -> bool:
    """Say whether a character continues a word when it stands beside one."""
    return (char.isalnum() or char == "_") and not _UNSPACED.match(char)


def has_phrase(folded: str, phrase: str) -> bool:
    """Say whether a folded text holds a folded phrase at word borders."""
    at = folded.find(phrase) if phrase else -1
    while at >= 0:
        end = at + len(phrase)
        left = at == 0 or not (is_word(phrase[0]) and is_word(folded[at - 1]))
        right = end == len(folded) or not (is_word(phrase[-1]) and is_word(folded[end]))
        if left and right:
            return True
        at = folded.find(phrase, at + 1)
    return False


def one_line(text: str, limit: int = MAX_REASON) -> str:
    """Return the text as one line that any encoder takes: controls and surrogates escaped, cut off."""
    text = text if len(text) <= limit else f"{text[: limit - 1]}…"
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return visible(text.replace("\n", " ").replace("\t", " "))
