"""The dataset, built once for the tests of the cases."""

from __future__ import annotations

from tests.bench.fixture.conftest import Built, built

__all__ = ["Built", "built"]
