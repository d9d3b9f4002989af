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


class Apart(NamedTuple):
    """A trial that judge and checks see differently: its place, the points of 5 and the share that they gave it."""

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
    apart: list[Apart]


def verdicts(trials: Iterable[Trial]) -> Verdicts:
    """Return what the judge said of some trials."""
    both = [(t, t.checkpoint, t.judge) for t in trials]
    known = [
        (trial, checks, judge) for trial, checks, judge in both if checks is not None and judge is not None
    ]
    bands: dict[str, list[float]] = {}
    for _, checks, judge in known:
        bands.setdefault(_band(checks), []).append(judge)
    found = [Apart(trial.key, trial.position, judge, checks) for trial, checks, judge in known]
    return Verdicts(
        known=len(known),
        scores=dict(Counter(round(judge) for _, _, judge in known)),
        bands={name: (len(scores), math.fsum(scores)) for name, scores in bands.items()},
        moments=Moments(
            math.fsum(checks for _, checks, _ in known),
            math.fsum(judge for _, _, judge in known),
            math.fsum(checks * checks for _, checks, _ in known),
            math.fsum(judge * judge for _, _, judge in known),
            math.fsum(checks * judge for _, checks, judge in known),
        ),
        apart=[item for item in found if item.distance >= APART],
    )


def _band(checks: float) -> str:
    if checks <= 0:
        return BANDS[0]
    return BANDS[3] if checks >= 1 else BANDS[1] if checks < 0.5 else BANDS[2]
