"""Deterministic, partial-credit checks of what an agent said, left behind and wrote."""

from mmbench.bench.grading.base import (
    Asked,
    CheckFailedToRun,
    CheckResult,
    Evidence,
    FileFact,
    checkpoint_score,
    run_checks,
)
from mmbench.bench.grading.tree import survey

__all__ = [
    "Asked",
    "CheckFailedToRun",
    "CheckResult",
    "Evidence",
    "FileFact",
    "checkpoint_score",
    "run_checks",
    "survey",
]
