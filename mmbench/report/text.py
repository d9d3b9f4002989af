"""Text that others wrote, made harmless to look at.

Markup is Jinja's work (everything is escaped). This is about what escaping
leaves in: terminal codes, controls, and characters that reorder or hide text.
"""

from __future__ import annotations

import re

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


def excerpt(text: str, limit: int) -> tuple[str, int]:
    """Return the head and tail of a text as far as a page shows it, and how many characters are cut."""
    if len(text) <= limit:
        return text, 0
    half = limit // 2
    cut = len(text) - 2 * half
    return f"{text[:half]}\n[… {cut} characters are not shown here …]\n{text[-half:]}", cut
