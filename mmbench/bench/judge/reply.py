"""Read a judge's reply strictly: a verdict is read rightly or not at all, never guessed.

A reply is one JSON object, bare or in a single code fence. The score judge may
also answer with the bare figure, or with one line that is labelled as the
score; a figure anywhere else in prose is no verdict.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from mmbench import jsontext
from mmbench.bench.judge.question import Unreadable

MAX_SCORE = 5
MAX_REASON = 2_000
Choice = Literal["A", "B", "tie"]

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"^```[A-Za-z0-9_-]*[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
# A dash may open a list item, but between label and figure it would be a minus sign.
_OPENING = r"[\s*_#>`\"'-]*"
_MARKS = r"[\s*_`\"']*"
_LABEL = re.compile(
    rf"^{_OPENING}(?:(?:final|overall|my)\s+)?(score|verdict)\b(.*)$", re.IGNORECASE | re.MULTILINE
)
_LABELLED = re.compile(rf"{_MARKS}(?:is{_MARKS})?[:=]?{_MARKS}([0-5])(?:\s*(?:/|out of)\s*5)?[\s*_`\"'.!]*")
_BARE = re.compile(r"[\s*`]*([0-5])(?:\s*/\s*5)?[\s*`]*\.?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ScoreReply:
    """A score 0..5 and why."""

    score: int
    reason: str


@dataclass(frozen=True, slots=True)
class ChoiceReply:
    """The response that is preferred, as shown, and why."""

    choice: Choice
    reason: str


def score(text: str) -> ScoreReply:
    """Read the reply of a score judge; raises Unreadable with the reason."""
    body = spoken(text)
    value = object_in(body)
    if value is None:
        return ScoreReply(_plain_score(body), "")
    closed(value, required={"score"}, known={"score", "reason"})
    return ScoreReply(_whole_score(value["score"]), reason_in(value))


def choice(text: str, *, ties: bool) -> ChoiceReply:
    """Read the reply of a pairwise judge; raises Unreadable with the reason."""
    body = spoken(text)
    value = object_in(body)
    if value is None:
        bare = body.strip().strip("*`\"'.")
        value = {"choice": bare}
    closed(value, required={"choice"}, known={"choice", "reason"})
    chosen = value["choice"]
    allowed: tuple[Choice, ...] = ("A", "B", "tie") if ties else ("A", "B")
    for known in allowed:
        if chosen == known:
            return ChoiceReply(known, reason_in(value))
    raise Unreadable(f"the choice is {_shown(chosen)}, not one of {', '.join(allowed)}")


def spoken(text: str) -> str:
    """Return the reply without a thought that a model wrote before it; raises Unreadable when nothing is left."""
    body = _THOUGHT.sub("", text, count=1).strip()
    if not body:
        raise Unreadable("the reply is empty")
    if body.startswith("<think>"):
        raise Unreadable("the reply ends inside the model's thought")
    return body


def object_in(body: str) -> dict[str, Any] | None:
    """Return the one JSON object of a reply, None for a reply that is no JSON; Unreadable for a broken one."""
    fenced = _FENCE.findall(body)
    if len(fenced) > 1:
        raise Unreadable("the reply holds more than one code block")
    if fenced and not fenced[0].lstrip().startswith("{"):
        raise Unreadable("the code block of the reply is no JSON object")
    inner = fenced[0] if fenced else body
    if not inner.lstrip().startswith(("{", "[", "```")):
        return None
    try:
        value = jsontext.loads(inner)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the reply is not whole JSON ({error})") from error
    if not isinstance(value, dict):
        raise Unreadable("the reply is JSON, but not an object")
    return value


def closed(value: dict[str, Any], *, required: set[str], known: set[str]) -> None:
    """Refuse an object with keys missing or keys that do not belong there."""
    if missing := sorted(required - value.keys()):
        raise Unreadable(f"the reply lacks {', '.join(missing)}")
    if extra := sorted(value.keys() - known):
        raise Unreadable(f"the reply has unknown keys: {_shown(', '.join(extra))}")


def reason_in(value: dict[str, Any]) -> str:
    """Return the reason of a reply, empty when it gives none."""
    reason = value.get("reason", "")
    if not isinstance(reason, str):
        raise Unreadable("the reason is not a text")
    return reason[:MAX_REASON]


def number(value: Any, low: float, high: float, what: str) -> float:
    """Return a finite number within bounds; a text, a truth value and NaN are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable(f"{what} is {_shown(value)}, not a number")
    if not math.isfinite(value) or not low <= value <= high:
        raise Unreadable(f"{what} is {_shown(value)}, outside {low:g} to {high:g}")
    return float(value)


def _whole_score(value: Any) -> int:
    figure = number(value, 0, MAX_SCORE, "the score")
    if not figure.is_integer():
        raise Unreadable(f"the score is {figure:g}, not a whole number")
    return int(figure)


def _plain_score(body: str) -> int:
    bare = _BARE.fullmatch(body)
    if bare:
        return int(bare[1])
    labels = _LABEL.findall(body)
    if len(labels) != 1:
        raise Unreadable(
            f"the reply has {'no line' if not labels else 'several lines'} labelled as the score"
        )
    found = _LABELLED.fullmatch(labels[0][1])
    if found is None:
        raise Unreadable(f"the score line reads {_shown(labels[0][1].strip())}, not one whole number 0 to 5")
    return int(found[1])


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
