"""What the terminal says of a plan."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from mmbench.bench import saying
from mmbench.bench.estimate import Estimate
from mmbench.bench.plan import Excluded, Plan
from mmbench.records import TrialKey


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (None, "no earlier session of this cell"),
        (Estimate(1, 42.4, None, None), "about 42 s, tokens unknown, cost unknown, by the median"),
        (Estimate(3, 5400, 1_234_567, 12.345), "about 90 min, 1,235 k tokens, $12.35, by the median trial"),
    ],
)
def test_a_forecast_names_only_what_is_known(expected: Estimate | None, said: str) -> None:
    assert saying.forecast(expected).startswith(said)


def test_a_plan_says_what_runs_what_does_not_and_what_it_takes() -> None:
    out = io.StringIO()
    schedule = tuple(TrialKey(case, arm, 1) for case in ("a", "b") for arm in ("without_mm", "with_mm"))
    drawn = Plan(
        "s", ("without_mm", "with_mm"), 1, 0, schedule, (Excluded("c", None, "there are no weights"),)
    )
    saying.plan(Console(file=out, width=200), "claude with profile local", drawn, Estimate(2, 90, 1000, 0.5))
    text = out.getvalue()
    for part in (
        "4 trials: 2 cases",
        "not run: c: there are no weights",
        "about 2 min, 1 k tokens, $0.50",
        "lift of about",
    ):
        assert part in text
