"""Every kind of check, one line for each surface."""

from __future__ import annotations

from mmbench.bench.grading import answer, artifact, filesystem
from mmbench.bench.grading.base import KindSpec

KINDS: dict[str, KindSpec] = {
    **answer.KINDS,
    **filesystem.KINDS,
    **artifact.KINDS,
}
"""Grader and parameters of each kind, by the name that cases use."""
