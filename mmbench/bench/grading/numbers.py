"""Numbers stated in a text, read as numbers at token borders.

The token rule. A number is a run of digits with its grouping and decimal marks,
taken whole: 342775.48 is not found in 1342775.489. It may carry a sign, a
currency (sign or code, before or after), a percent sign, an exponent (1.2e3,
1.2×10³) and a glued unit of a closed list (30s, 12MB). It does not count when
it is part of something else:

- a word or an identifier: IMG_2235, INV-2024-17, v1.2, #12, 2235.jpg, 2nd, 10², 007;
- a date or time: 2024-01-15, 15.01.2024, 15/01/24, 15 January 2024, 12:30;
- a version, an address, a fraction or a range: 1.2.3, 192.168.0.1, 3/15, 30-40;
- a phone number: +49 30 123456, (555) 123-4567;
- the marker of a numbered list.

Grouping may be by comma, point, apostrophe or any kind of space, in threes or
the Indian way. Where a token can be read in two ways, 1.234 as 1.234 and as
1234, either reading counts; 2,381.12 has only one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from mmbench.bench.grading.clean import is_word

MAX_DIGITS = 60
FLOAT_NOISE = Decimal("1e-13")  # of sums of amounts in double precision: 5028.800000000001
_GAP = "\u00a0"
_BLANK = "\x00"

_CODES = (
    "USD|EUR|GBP|CHF|JPY|CNY|AUD|CAD|NZD|HKD|SGD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|INR|BRL|MXN|ZAR|KRW|TRY|RUB|"
    "ILS|AED|SAR|THB|IDR|MYR|PHP|VND|TWD|ARS|CLP|COP|UAH"
)
_SIGNS = "$€£¥₹₩₽₺₴₪₫฿₦¢"
_MONEY = rf"(?:[A-Z]{{0,2}}[{_SIGNS}]|{_CODES})"
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_MASKED = re.compile(
    rf"\b(?:{_MONTHS})\b\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?(?:{_MONTHS})\b(?:[.,]? \d{{4}}\b)?"
    r"|\b(?:version|ver\.?|v\.?) ?\d[\d.]*"
    r"|\+\d{1,3}(?:[ \-.]\(?\d{2,8}\)?){2,5}\b"
    r"|\(\d{2,5}\) ?\d{2,4}[ \-]\d{2,5}\b",
    re.IGNORECASE,
)
_MARKER = re.compile(r"^[ >]{0,8}\(?(\d{1,3})[.)](?= )", re.MULTILINE)

_BODY = re.compile(rf"\d+(?:[.,'{_GAP}]\d+)*+|(?<![\d.])\.\d+")
_SPACED = re.compile(r"(?<!\d)\d++(?: \d++)++(?:[.,]\d+)?")
_LEFT = re.compile(rf"(?P<sign>[-+–]?)(?P<money>{_MONEY}[ {_GAP}]?)?(?P<inner>[-–]?)\Z")
_EXPONENT = re.compile(
    rf"[eE]([+-]?\d{{1,3}})(?!\w)|[ {_GAP}]?×[ {_GAP}]?10(?:(?:\^|\*\*)(-?\d{{1,3}})|([⁻⁰¹²³⁴-⁹]{{1,3}}))"
)
_PERCENT = re.compile(rf"[ {_GAP}]?%")
_UNIT = re.compile(
    r"(?:[kKMGT]?i?[Bb](?:ytes?|ps|its?)?|bytes?|[nmµ]?s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|d|days?|px|pt|dpi|"
    rf"fps|[kMG]?Hz|dB(?:FS)?|LUFS|[kmcdµn]?[mgl][²³]?|ft|in|lbs?|oz|{_CODES}|[{_SIGNS}])(?!\w)"
)
_COMPOUND = re.compile(r"-[a-z]{2,}(?![\w-])")
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_GROUPED = {
    mark: re.compile(rf"[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+(?:[{point}]\d+)?")
    for mark, point in ((",", "."), (".", ","), ("'", ".,"), (_GAP, ".,"))
}
_INDIAN = re.compile(r"[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?")
_PLAIN = re.compile(r"(?:0|[1-9]\d*)?(?:[.,]\d+)?")
_CANON = {
    "−": "-",
    "﹣": "-",
    "－": "-",
    "‐": "-",
    "‑": "-",
    "‒": "-",
    "٫": ".",
    "٬": ",",
    "’": "'",
    "٪": "%",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A number in a text: where its digits are and every value they may be read as."""

    start: int
    end: int
    readings: frozenset[Decimal]
    percent: bool = False


def find_numbers(text: str) -> Iterator[Token]:
    """Yield the numbers of a text; those grouped by plain spaces come last, beside their parts."""
    text = _blank_markers(_MASKED.sub(lambda match: _BLANK * len(match[0]), _canonical(text)))
    for match in _BODY.finditer(text):
        for start, end in _pieces(match[0], match.start()):
            yield from _token(text, start, end)
    for match in _SPACED.finditer(text):
        if _readings(match[0].replace(" ", _GAP)):
            yield from _token(text, match.start(), match.end())


def read_number(text: str) -> frozenset[Decimal]:
    """Return the readings of a text that states exactly one number, such as a table's cell; else none."""
    tokens = list(find_numbers(text))
    if not tokens:
        return frozenset()
    whole = tokens[-1]
    covered = all(whole.start <= token.start and token.end <= whole.end for token in tokens)
    return whole.readings if covered else frozenset()


def to_decimal(value: str | float) -> Decimal:
    """Return an expected value as the decimal number that is written in the case."""
    return Decimal(str(value).strip())


def is_near(token: Token, value: Decimal, tolerance: Decimal, *, percent: bool = False) -> bool:
    """Say whether a reading of the token equals the value; with `percent`, 12.5 % and 0.125 are the same."""
    readings = set(token.readings)
    if percent:
        readings |= {r.scaleb(-2 if token.percent else 2) for r in token.readings}
    return any(is_equal(reading, value, tolerance) for reading in readings)


def is_equal(found: Decimal, wanted: Decimal, tolerance: Decimal) -> bool:
    """Say whether two numbers are equal within the tolerance; the last digits of binary floats do not count."""
    return abs(found - wanted) <= tolerance + abs(wanted) * FLOAT_NOISE


def _canonical(text: str) -> str:
    """Write digits, minus signs, marks and spaces of every script in one way, character for character."""
    text = text.replace("\t", " ")
    return text if text.isascii() else "".join(c if c < "\x80" else _canonical_char(c) for c in text)


def _canonical_char(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    return _GAP if category == "Zs" else _CANON.get(char, char)


def _blank_markers(text: str) -> str:
    """Blank the markers of numbered lists: those whose number has a neighbour among the markers."""
    found = list(_MARKER.finditer(text))
    numbers = {int(match[1]) for match in found}
    if len(numbers) < 2:
        return text
    chars = list(text)
    for match in found:
        if {int(match[1]) - 1, int(match[1]) + 1} & numbers:
            chars[match.start() : match.end()] = _BLANK * len(match[0])
    return "".join(chars)


def _pieces(body: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a run that are read as one number: the whole run, or the fields of a list in it."""
    if _readings(body):
        yield start, start + len(body)
        return
    mark = next((mark for mark in (_GAP, "'", ",") if mark in body), None)
    for piece in body.split(mark) if mark else ():
        yield from _pieces(piece, start)
        start += len(piece) + 1


def _readings(body: str) -> frozenset[Decimal]:
    """Return every value the digits and marks may stand for; none when they are not one number."""
    if len(body) > MAX_DIGITS:
        return frozenset()
    values = [
        body.replace(mark, "").replace(",", ".") for mark, rule in _GROUPED.items() if rule.fullmatch(body)
    ]
    if _PLAIN.fullmatch(body):
        values.append(body.replace(",", "."))
    if _INDIAN.fullmatch(body):
        values.append(body.replace(",", ""))
    return frozenset(map(Decimal, values))


def _token(text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the token at a span unless its surroundings make it part of something else."""
    readings = _readings(text[start:end].replace(" ", _GAP))
    sign = _left(text, start)
    right = _right(text, end)
    if sign is None or right is None:
        return
    exponent, percent, closed = right
    values = {sign * reading.scaleb(exponent) for reading in readings}
    if closed and text[start - 1 : start] == "(":
        values |= {-value for value in values}  # accounting notation
    yield Token(start, end, frozenset(values), percent)


def _left(text: str, start: int) -> int | None:
    """Return the sign, 1 or -1, or None when what stands before makes it no number."""
    match = _LEFT.search(text, max(0, start - 8), start)
    assert match is not None
    sign, money, edge = match["sign"] or match["inner"], match["money"], match.start()
    last, before = text[edge - 1 : edge], text[max(0, edge - 2) : edge - 1]
    if money and not match["sign"]:
        return None if last.isdigit() else (-1 if sign in ("-", "–") else 1)
    if sign == "–" and last.isalpha():
        return 1  # an en dash between a label and its value
    if sign:
        return None if last and (is_word(last) or last in "-./") else (1 if sign == "+" else -1)
    glued = (last in tuple("./\\") and before.isalnum()) or (last == ":" and before.isdigit())
    return None if last and (is_word(last) or last in "#@^" or glued) else 1


def _right(text: str, end: int) -> tuple[int, bool, bool] | None:
    """Return exponent, percent and whether `)` follows, or None when what follows makes it no number."""
    exponent = 0
    if power := _EXPONENT.match(text, end):
        exponent = _power(power)
        end = power.end()
    if percent := _PERCENT.match(text, end):
        end = percent.end()
    unit = _UNIT.match(text, end)
    end = unit.end() if unit else end
    after, beyond = text[end : end + 1], text[end + 1 : end + 2]
    glued = after in tuple("-–./:\\@^") and beyond.isalnum() and not _COMPOUND.match(text, end)
    if after and (is_word(after) or (glued and not (unit and after == "/"))):
        return None
    return exponent, bool(percent), after == ")"


def _power(match: re.Match[str]) -> int:
    text = (match[1] or match[2] or match[3]).translate(_SUPERSCRIPTS)
    return int(text) if re.fullmatch(r"[+-]?\d{1,3}", text) else 0
