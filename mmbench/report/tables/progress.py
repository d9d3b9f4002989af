"""What became of scores over the course of one session, in a form that adds up over sessions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from mmbench.report.stats.drift import Course, Placed
from mmbench.report.tables.arms import BOTH
from mmbench.report.tables.pairs import Pair

PARTS = 10
"""Parts that a session is cut into."""


class Part(NamedTuple):
    """The trials of one arm in one part of a session, and the sum of their points."""

    trials: int
    points: float


@dataclass(frozen=True, slots=True)
class Progress:
    """The sound pairs of one session: their part in the slope, and the parts of each arm in their order."""

    course: Course
    parts: dict[str, list[Part]]


def progress(pairs: Iterable[Pair]) -> Progress:
    """Return the progress of one session's pairs."""
    pairs = [pair for pair in pairs if pair.sound]
    placed: list[Placed] = []
    parts = {arm: [Part(0, 0.0)] * PARTS for arm in BOTH}
    for pair in pairs:
        of = len(pair.session.header.plan.schedule)
        for arm, trial in zip(BOTH, (pair.without, pair.with_), strict=True):
            score, at = trial.correctness or 0.0, trial.position * PARTS // of
            placed.append(Placed(pair.case, arm, trial.position, score))
            part = parts[arm][at]
            parts[arm][at] = Part(part.trials + 1, part.points + score)
    return Progress(Course.of(placed), parts)
