"""From checks and verdict to correctness: the one place that knows the formula.

correctness = 50·checkpoint + 50·judge/5 with a judge, 100·checkpoint when the
judge is off by choice. A missing verdict is neither 0 nor a pass.
"""

from __future__ import annotations

from collections.abc import Sequence

SCORING_VERSION = "1"
PASS_THRESHOLD = 60.0


def checkpoint_score(weighted: Sequence[tuple[float, float]]) -> float:
    """Return the weighted share of (weight, score) pairs, each score 0..1."""
    total = sum(weight for weight, _ in weighted)
    return round(sum(weight * score for weight, score in weighted) / total, 6) if total else 0.0


def correctness(checkpoint: float, judge: float | None = None) -> float:
    """Return points 0..100 from a checkpoint score 0..1 and a verdict 0..5, if any."""
    if judge is None:
        return round(100 * checkpoint, 4)
    return round(50 * checkpoint + 50 * judge / 5, 4)


def passed(points: float, threshold: float | None = None) -> bool:
    """Tell whether points reach the case's threshold."""
    return points >= (PASS_THRESHOLD if threshold is None else threshold)
