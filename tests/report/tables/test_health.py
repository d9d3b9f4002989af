"""The report counts a session as `mmbench compare` does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mmbench import comparability, ledger
from mmbench.report import load
from mmbench.report.tables.health import health
from mmbench.report.tables.summary import summarise
from tests.support import synthetic
from tests.support.synthetic import SMALL, Plan

PLANS = (
    *SMALL,
    Plan("synthetic-d", day=4, cases=8, infra=0.3, void_run=2, missing_verdicts=4),
    Plan("synthetic-e", day=5, cases=8, cut=11, judge=False),
    replace(SMALL[-1], day=6, infra=0.3),
)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.session)
def test_both_counts_agree(tmp_path: Path, plan: Plan) -> None:
    path = synthetic.write_fast(tmp_path, plan)
    results = load.results(tmp_path)
    ours, theirs = health(summarise(results, results.sessions)), comparability.figures(ledger.load(path))
    assert ours == theirs
    assert (ours.coverage, ours.technical_success) == (theirs.coverage, theirs.technical_success)
