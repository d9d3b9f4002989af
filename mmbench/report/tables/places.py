"""Where in its session each trial that counts was run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mmbench.report.tables.pairs import Pair

ARMS = ("without mm", "with mm")


class Place(NamedTuple):
    """One trial of a sound pair: its place (0, 1, …) of `of` in the schedule, and its points."""

    session: str
    case: str
    arm: str
    position: int
    of: int
    score: float


def places(pairs: Iterable[Pair]) -> list[Place]:
    """Return both trials of every sound pair."""
    return [
        Place(
            pair.session.id,
            pair.case,
            arm,
            trial.position,
            len(pair.session.header.plan.schedule),
            trial.correctness or 0.0,
        )
        for pair in pairs
        if pair.sound
        for arm, trial in zip(ARMS, (pair.without, pair.with_), strict=True)
    ]
