"""Every kind of check, one line for each surface."""

from __future__ import annotations

from mmbench.bench.grading import (
    answer,
    artifact,
    asking,
    documents,
    filesystem,
    layout,
    media,
    preserve,
    table_match,
)
from mmbench.bench.grading.base import KindSpec

KINDS: dict[str, KindSpec] = {
    **answer.KINDS,
    **asking.KINDS,
    **filesystem.KINDS,
    **artifact.KINDS,
    **table_match.KINDS,
    **layout.KINDS,
    **preserve.KINDS,
    **media.KINDS,
    **documents.KINDS,
}
"""Grader and parameters of each kind, by the name that cases use."""
