"""What a judge said of some trials, in a form that adds up over sessions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from mmbench.records import TrialKey
from mmbench.report.model import Trial

APART = 0.6
"""Difference of judge and checks, as shares, from which a trial stands in the list of disagreements."""
BANDS = ("none", "less than half", "half or more", "all")
"""Parts of the checks, from none passed to all."""


class Both(NamedTuple):
    """A trial, its place in the schedule, and what judge (points of 5) and checks (share) gave it."""

    key: TrialKey
    position: int
    judge: float
    checks: float

    @property
    def distance(self) -> float:
        """Return how far both are from each other, 0..1."""
        return abs(self.judge / 5 - self.checks)


class Moments(NamedTuple):
    """Sums over trials: checks, judge, their squares and their product."""

    checks: float
    judge: float
    checks2: float
    judge2: float
    product: float


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How many trials have a verdict and a share of checks, and what both came to."""

    known: int
    scores: dict[int, int]
    """How often each rounded score was given."""
    bands: dict[str, tuple[int, float]]
    """Trials of each band of the checks and the sum of their scores."""
    moments: Moments
    apart: list[Both]
    """The trials that they see differently."""


def verdicts(trials: Iterable[Trial]) -> Verdicts:
    """Return what the judge said of some trials."""
    known = [
        Both(trial.key, trial.position, trial.judge, trial.checkpoint)
        for trial in trials
        if trial.judge is not None and trial.checkpoint is not None
    ]
    bands: dict[str, list[float]] = {}
    for one in known:
        bands.setdefault(_band(one.checks), []).append(one.judge)
    return Verdicts(
        known=len(known),
        scores=dict(Counter(round(one.judge) for one in known)),
        bands={name: (len(scores), math.fsum(scores)) for name, scores in bands.items()},
        moments=Moments(
            checks=math.fsum(one.checks for one in known),
            judge=math.fsum(one.judge for one in known),
            checks2=math.fsum(one.checks**2 for one in known),
            judge2=math.fsum(one.judge**2 for one in known),
            product=math.fsum(one.checks * one.judge for one in known),
        ),
        apart=[one for one in known if one.distance >= APART],
    )


def _band(checks: float) -> str:
    if checks <= 0:
        return BANDS[0]
    return BANDS[3] if checks >= 1 else BANDS[1] if checks < 0.5 else BANDS[2]
