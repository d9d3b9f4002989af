"""The criteria judge: weighted criteria, each 0 to 10, from which the score is computed here, not by the model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mmbench.bench.judge import reply
from mmbench.bench.judge.question import Unreadable

MAX_POINTS = 10
TOTAL_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that is judged, and its weight among the others."""

    id: str
    weight: float
    text: str


@dataclass(frozen=True, slots=True)
class CriteriaReply:
    """The points of each criterion, in the order of the criteria, and why."""

    points: Mapping[str, float]
    reason: str


def of_case(document: Mapping[str, Any]) -> tuple[Criterion, ...]:
    """Return a case's criteria; a case without any has one, its judge_objective."""
    listed = document.get("criteria") or [
        {"id": "objective", "weight": 1, "text": document["judge_objective"]}
    ]
    return tuple(Criterion(str(c["id"]), float(c["weight"]), str(c["text"])) for c in listed)


def schema(criteria: Sequence[Criterion]) -> dict[str, Any]:
    """Return the closed JSON Schema of a reply: every criterion exactly once, nothing else."""
    points = {"type": "number", "minimum": 0, "maximum": MAX_POINTS}
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": 800},
            "criteria": {
                "type": "object",
                "properties": {criterion.id: dict(points) for criterion in criteria},
                "required": [criterion.id for criterion in criteria],
                "additionalProperties": False,
            },
        },
        "required": ["reason", "criteria"],
        "additionalProperties": False,
    }


def parse(text: str, criteria: Sequence[Criterion]) -> CriteriaReply:
    """Read a reply; raises Unreadable for anything but every known criterion exactly once, in range.

    A total is optional, and must be the weighted sum when it is there.
    """
    value = reply.object_in(reply.spoken(text))
    if value is None:
        raise Unreadable("the reply is not a JSON object")
    reply.closed(value, required={"criteria"}, known={"criteria", "reason", "total"})
    given = value["criteria"]
    if not isinstance(given, dict):
        raise Unreadable("criteria is not an object of points by id")
    ids = {criterion.id for criterion in criteria}
    reply.closed(given, required=ids, known=ids)
    points = {c.id: reply.number(given[c.id], 0, MAX_POINTS, c.id) for c in criteria}
    if "total" in value:
        _require_total(value["total"], points, criteria)
    return CriteriaReply(points, reply.reason_in(value))


def _require_total(total: Any, points: Mapping[str, float], criteria: Sequence[Criterion]) -> None:
    due = weighted_sum(points, criteria)
    stated = reply.number(total, -math.inf, math.inf, "the total")
    if not math.isclose(stated, due, rel_tol=TOTAL_TOLERANCE, abs_tol=TOTAL_TOLERANCE):
        raise Unreadable(f"the total is {stated:g}, the weighted sum {due:g}")


def weighted_sum(points: Mapping[str, float], criteria: Sequence[Criterion]) -> float:
    """Return the sum of weight times points."""
    return math.fsum(c.weight * points[c.id] for c in criteria)


def score(points: Mapping[str, float], criteria: Sequence[Criterion]) -> float:
    """Return the score 0..5: the weighted mean of the points, brought to the scale of the score judge."""
    weights = math.fsum(c.weight for c in criteria)
    return round(reply.MAX_SCORE * weighted_sum(points, criteria) / (MAX_POINTS * weights), 6)


def calculation(points: Mapping[str, float], criteria: Sequence[Criterion]) -> str:
    """Return how the score came about, for people to follow."""
    terms = " + ".join(f"{c.weight:g}·{points[c.id]:g} ({c.id})" for c in criteria)
    weights = math.fsum(c.weight for c in criteria)
    return f"5 · ({terms}) / ({MAX_POINTS} · {weights:g}) = {score(points, criteria):g}"
