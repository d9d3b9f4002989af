"""The truth of every case of the embedded suite, worked out from the dataset's labels and tables."""

from __future__ import annotations

from tests.cases.artifacts import ARTIFACT
from tests.cases.common import Truths
from tests.cases.organization import ORGANIZATION
from tests.cases.retrieval import RETRIEVAL

TRUTHS: Truths = {**RETRIEVAL, **ARTIFACT, **ORGANIZATION}
"""By the case's id."""
