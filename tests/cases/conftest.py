"""The dataset, built once and kept verified in the project's state folder."""

from __future__ import annotations

import pytest

from mmbench.bench.fixture.store import ensure
from mmbench.layout import project
from tests.bench.fixture.conftest import Built


@pytest.fixture(scope="session")
def built() -> Built:
    dataset = ensure(project().datasets)
    return Built(dataset.root, dataset.manifest)
