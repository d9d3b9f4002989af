"""What the terminal says of a plan."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from mmbench import ledger
from mmbench.bench import saying
from mmbench.bench.estimate import Estimate
from mmbench.bench.plan import Excluded, Plan
from mmbench.records import TrialKey
from mmbench.report import figures, load
from mmbench.report.pages.site import Site
from tests.support import sessions, synthetic


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
        "s",
        ("without_mm", "with_mm"),
        1,
        0,
        schedule,
        (
            Excluded("c", None, "there are no weights"),
            Excluded("d", None, "there are no weights"),
            Excluded("e", "without_mm", "it has no solution"),
        ),
    )
    saying.plan(Console(file=out, width=200), "claude with profile local", drawn, Estimate(2, 90, 1000, 0.5))
    text = out.getvalue()
    for part in (
        "4 trials: 2 cases",
        "not run: c, d: there are no weights\n",
        "not run: e (without_mm): it has no solution\n",
        "about 2 min, 1 k tokens, $0.50",
        "too small to detect any lift",
    ):
        assert part in text


def test_a_design_that_could_find_no_lift_says_so() -> None:
    assert "too small" in saying.power(121.0)
    assert "about 31 points" in saying.power(30.6)


def test_the_end_of_a_session_says_the_correctness_that_the_report_shows(tmp_path: Path) -> None:
    synthetic.tree(tmp_path)
    site = Site(load.results(tmp_path))
    assert site.by_session
    for path in ledger.ledgers(tmp_path):
        final = ledger.load(path)
        shown = site.by_session[final.id]
        without, with_mm = (figures.points(arm.mean) for arm in (shown.without, shown.with_))
        said = f"Correctness without mm {without}, with mm {with_mm} points, over {shown.lift.pairs} sound"
        assert saying.correctness(final).startswith(said)


def test_a_session_without_a_sound_pair_has_no_correctness(tmp_path: Path) -> None:
    (path,) = synthetic.tree(tmp_path, [replace(synthetic.SMALL[0], cut=0)])
    assert "No pair" in saying.correctness(ledger.load(path))


def test_a_folder_that_is_named_like_markup_is_shown_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a[/b]c[red]" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    sessions.write(path, sessions.keys(1), done=2)
    told = io.StringIO()
    saying.summary(Console(file=told, width=500), ledger.load(path), path)
    assert f"Results: {path}" in told.getvalue()
