"""The small synthetic results folder and the site built from it, made once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mmbench.report.build import build
from tests.support import synthetic

SITE = Path(__file__).resolve().parents[2] / "site"


@pytest.fixture(scope="session")
def _small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("small") / "results"
    synthetic.tree(results)
    synthetic.measure(results)
    return results


@pytest.fixture
def small(_small: Path, tmp_path: Path) -> Path:
    """Return a copy of the small results folder that a test may change."""
    return Path(shutil.copytree(_small, tmp_path / "results"))


@pytest.fixture(scope="session")
def built(_small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of the small results folder; tests only read it."""
    out = tmp_path_factory.mktemp("built") / "_site"
    build(_small, out, site=SITE)
    return out
