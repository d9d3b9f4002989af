"""A site with several cells, sessions and two methods, for every chart."""

from __future__ import annotations

import pytest

from mmbench.report import load
from mmbench.report.pages.site import Site
from tests.support import synthetic
from tests.support.synthetic import Plan

PLANS = (
    Plan("synthetic-a", day=0, runs=2, cases=9, mm_version="0.13.0", judge=False),
    Plan("synthetic-a", day=20, runs=2, cases=9, infra=0.05, timeouts=0.1),
    Plan("synthetic-a", day=40, runs=2, cases=9, skill=0.8),
    Plan("synthetic-b", day=21, runs=2, cases=9, gain=-0.3, skill=0.7, pace=0.8),
    Plan("synthetic-b", day=41, runs=2, cases=9, gain=-0.3, skill=0.7, pace=0.8),
    Plan("synthetic-oracle", day=42, runs=1, cases=9, skill=2.0, gain=0.0, timeouts=0.0, reference=True),
)


@pytest.fixture(scope="session")
def charted(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Return the site's tables."""
    results = tmp_path_factory.mktemp("charted")
    synthetic.tree(results, PLANS, synthetic.write_fast)
    return Site(load.results(results))
