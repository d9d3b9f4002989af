"""Text that others wrote, made harmless to look at.

Markup is Jinja's work (everything is escaped). This is about what escaping
leaves in: terminal codes, controls, and characters that reorder or hide text.
"""

from __future__ import annotations

import re
from typing import Any

from markupsafe import escape

_SHOWN = {
    **{code: f"‹U+{code:04X}›" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"},
    0x00: "‹NUL›",
    0x07: "‹BEL›",
    0x08: "‹BS›",
    0x0D: "‹CR›",
    0x1B: "‹ESC›",
    0x7F: "‹DEL›",
    **{
        code: f"‹U+{code:04X}›"
        for code in (0x061C, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070))
    },
    0xFEFF: "‹U+FEFF›",
    **{code: f"‹U+{code:X}›" for code in range(0xE0000, 0xE0080)},
}
_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\U000e0000-\U000e007f]"
)
_JOINERS = re.compile("(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])")
_SURROGATE = re.compile("[\ud800-\udfff]")


def visible(text: str) -> str:
    """Return text with every control, direction and invisible character shown as a sign.

    Joiners between letters beyond ASCII stay: emoji and many scripts need them.
    """
    if _ODD.search(text) is None:
        return text
    text = _SURROGATE.sub("\ufffd", text.replace("\r\n", "\n"))
    kept = _JOINERS.sub(lambda match: "\ue000" if match[0] == "\u200c" else "\ue001", text)
    return kept.translate(_SHOWN).replace("\ue000", "\u200c").replace("\ue001", "\u200d")


def spreadsheet_safe(value: Any) -> Any:
    """Return a value for a CSV cell: a text that a spreadsheet would run as a formula gets a quote before it."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value


def weight(text: str) -> int:
    """Return how many bytes a text takes on a page, escaped and with its hidden characters shown."""
    return len(escape(visible(text)).encode())


def excerpt(text: str, limit: int) -> tuple[str, int]:
    """Return head and tail of a text within about `limit` bytes on the page, and how many characters are cut."""
    if len(text) * _HEAVIEST <= limit:
        return text, 0
    heavy = weight(text[: 4 * limit])
    if len(text) <= 4 * limit and heavy <= limit:
        return text, 0
    half = max(1, min(len(text), 4 * limit) * limit // heavy // 2)
    while half > 1 and weight(text[:half]) + weight(text[-half:]) > limit:
        half = half * 2 // 3
    cut = len(text) - 2 * half
    if cut <= 0:
        return text, 0
    return f"{text[:half]}\n[… {cut} characters are not shown here …]\n{text[-half:]}", cut


_HEAVIEST = 11
"""Most bytes of one character on a page: ‹U+200B›."""
