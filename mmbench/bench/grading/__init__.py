"""Deterministic, partial-credit checks of what an agent said, left behind and wrote."""

from mmbench.bench.grading.base import (
    CheckFailedToRun,
    CheckResult,
    Evidence,
    FileFact,
    checkpoint_score,
    run_checks,
)
from mmbench.bench.grading.tree import survey

__all__ = [
    "CheckFailedToRun",
    "CheckResult",
    "Evidence",
    "FileFact",
    "checkpoint_score",
    "run_checks",
    "survey",
]
