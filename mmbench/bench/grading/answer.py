"""Checks of what the agent said: the files it names, the numbers and the texts it states."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import Decimal

from mmbench.bench.grading.base import Finding, KindSpec, Params
from mmbench.bench.grading.clean import fold_text, has_phrase
from mmbench.bench.grading.look import Look
from mmbench.bench.grading.numbers import Token, is_near, to_decimal
from mmbench.bench.grading.params import COUNT, NUMBER, PATH, TEXT, TEXTS, TOLERANCE, described, flag


def names_file(p: Params, look: Look) -> Finding:
    """Score the share of the wanted files that the answer names, whole and at word borders.

    An ambiguous name needs its path. More than `max_other_files` other files of the tree: 0.
    """
    wanted = [look.original(path) for path in _as_list(p["path"])]
    missing = [path for path in wanted if path not in look.named]
    others = sorted(look.named - look.wanted_names)
    score = (len(wanted) - len(missing)) / len(wanted)
    if len(others) > p["max_other_files"]:
        allowed = p["max_other_files"]
        return Finding(0.0, f"The answer names {len(others)} other files ({listed(others)}), over {allowed}.")
    says = f"does not name {listed(missing)}" if missing else f"names {listed(wanted)}"
    return Finding(score, f"The answer {says}.")


def contains_number(p: Params, look: Look) -> Finding:
    """Score 1 when the answer states the number, as a number and at token borders, within the tolerance."""
    value, tolerance = to_decimal(p["value"]), _tolerance(p)
    tokens = look.numbers
    there = tokens if p["near"] is None else _near(tokens, look.answer, p["near"], p["within"])
    hits = [token for token in there if is_near(token, value, tolerance, percent=p["percent"])]
    if not hits:
        return Finding(0.0, f"The answer does not state {p['value']}{_around(p)}; it states {_shown(there)}.")
    return _unless_hedged(p, tokens, hits, tolerance)


def contains_text(p: Params, look: Look) -> Finding:
    """Score the share of the wanted texts that the answer holds as whole words; 0 for too many wrong ones.

    Case, white space, quotes, dashes and Unicode form do not matter.
    """
    return find_texts(p, look.folded_answer, "The answer")


def find_texts(p: Params, folded: str, holder: str) -> Finding:
    """Grade `value`, `any_of`, `all_of` and `none_of` against a folded text."""
    plain = folded.translate(_EMPHASIS)

    def present(phrase: str | float) -> bool:
        wanted = fold_text(str(phrase))
        return has_phrase(folded, wanted) or has_phrase(plain, wanted)

    if not folded:
        return Finding(0.0, f"{holder} is empty.")
    if p["max_words"] is not None and folded.count(" ") >= p["max_words"]:
        return Finding(0.0, f"{holder} has more than {p['max_words']:,} words.")
    return weigh(p, present, holder)


def weigh(p: Params, present: Callable[[str | float], bool], holder: str) -> Finding:
    """Grade `value`, `any_of`, `all_of` and `none_of` by a test of what is present."""
    wrong = [value for value in p["none_of"] or () if present(value)]
    if len(wrong) > p["max_wrong"]:
        return Finding(0.0, f"{holder} holds {listed(wrong)}, which it must not.")
    wanted = [[p["value"]]] if p["value"] is not None else []
    wanted += [p["any_of"]] if p["any_of"] else []
    wanted += [[value] for value in p["all_of"] or ()]
    missing = [choices for choices in wanted if not any(map(present, choices))]
    if missing:
        lacks = "; ".join(" or ".join(map(repr, choices[:5])) for choices in missing[:5])
        share = 1 - len(missing) / len(wanted)
        return Finding(share, f"{holder} lacks {len(missing)} of {len(wanted)}: {lacks}.")
    return Finding(1.0, f"{holder} holds what it should and nothing that it must not.", guard=not wanted)


_EMPHASIS = str.maketrans("", "", "*`~\\")


def _unless_hedged(p: Params, tokens: Sequence[Token], hits: Sequence[Token], tolerance: Decimal) -> Finding:
    values = [(value, to_decimal(value)) for value in p["none_of"] or ()]
    wrong = [value for value, number in values if any(is_near(token, number, tolerance) for token in tokens)]
    if wrong:
        return Finding(0.0, f"The answer also states {', '.join(map(str, wrong))}, which is wrong.")
    others = len({token.readings for token in tokens} - {token.readings for token in hits})
    if others > p["max_other_numbers"]:
        return Finding(0.0, f"The answer states {others:,} other numbers, over {p['max_other_numbers']:,}.")
    return Finding(1.0, f"The answer states {p['value']}{_around(p)}.")


def _tolerance(p: Params) -> Decimal:
    relative = abs(to_decimal(p["value"])) * to_decimal(p["relative_tolerance"])
    return max(to_decimal(p["tolerance"]), relative)


def _near(tokens: Sequence[Token], answer: str, phrase: str, within: int) -> list[Token]:
    """Return the tokens that stand within so many characters of the phrase, whatever its case."""
    spans = [match.span() for match in re.finditer(re.escape(phrase), answer, re.IGNORECASE)]
    starts = [start - within for start, _ in spans]
    found = []
    for token in tokens:
        last = bisect_right(starts, token.start) - 1
        if last >= 0 and token.start < spans[last][1] + within:
            found.append(token)
    return found


def _around(p: Params) -> str:
    return f" near {p['near']!r}" if p["near"] is not None else ""


def _shown(tokens: Sequence[Token]) -> str:
    if not tokens:
        return "no number there"
    return ", ".join(" or ".join(f"{value:f}" for value in sorted(token.readings)) for token in tokens[:5])


def _as_list(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def listed(names: Sequence[object]) -> str:
    """Return the first few of some names for a sentence, and how many more there are."""
    shown = ", ".join(map(str, names[:5]))
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


TEXT_PARAMS = {
    "value": described(TEXT, "A text that must be there."),
    "any_of": described(TEXTS, "Texts of which one must be there."),
    "all_of": described(TEXTS, "Texts that must all be there; the score is the share that is."),
    "none_of": described(TEXTS, "Wrong alternatives; naming more than `max_wrong` of them earns 0."),
    "max_wrong": described(COUNT, "How many of `none_of` may be named.", default=0),
    "max_words": described(COUNT, "Longer texts earn 0.", default=5000),
}
TEXT_RULES = {"anyOf": [{"required": [name]} for name in ("value", "any_of", "all_of", "none_of")]}

KINDS = {
    "names_file": KindSpec(
        names_file,
        {
            "path": {
                "anyOf": [PATH, {"type": "array", "items": PATH, "minItems": 1, "uniqueItems": True}],
                "description": "File or files to name; a bare name will do where only one file has it.",
            },
            "max_other_files": described(
                COUNT, "How many files that no names_file check wants may be named.", default=20
            ),
        },
        ("path",),
    ),
    "contains_number": KindSpec(
        contains_number,
        {
            "value": NUMBER,
            "tolerance": TOLERANCE,
            "relative_tolerance": described(TOLERANCE, "The same as a share of the value."),
            "percent": flag("Take 12.5 % and 0.125 for the same."),
            "near": described(TEXT, "The number must stand near this text."),
            "within": described(COUNT, "How many characters away `near` reaches.", default=200),
            "none_of": {"type": "array", "items": NUMBER, "description": "Wrong values: one earns 0."},
            "max_other_numbers": described(COUNT, "How many others the answer may state.", default=200),
        },
        ("value",),
    ),
    "contains_text": KindSpec(contains_text, TEXT_PARAMS, (), TEXT_RULES),
}
