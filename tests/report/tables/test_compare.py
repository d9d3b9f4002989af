"""Two summaries side by side."""

from __future__ import annotations

from pathlib import Path

from mmbench.report import load
from mmbench.report.pages.site import Site
from mmbench.report.tables.compare import cell_pairs, duel, session_pairs


def test_the_same_session_ties_with_itself(small: Path) -> None:
    site = Site(load.results(small))
    summary = site.by_session[site.results.sessions[0].id]
    for arms in duel(summary, summary).arms:
        assert arms.comparison.ties == arms.comparison.n == 8
        assert arms.difference.point == 0


def test_sides_are_not_swapped_and_arms_not_mixed(small: Path) -> None:
    site = Site(load.results(small))
    agent, oracle = (site.by_session[site.results.sessions[n].id] for n in (0, 2))
    with_mm, without = duel(agent, oracle).arms
    assert with_mm.arm == "with mm"
    for arms, mean in ((with_mm, agent.with_.mean), (without, agent.without.mean)):
        assert arms.comparison.wins > arms.comparison.losses
        left = sum(case.without for case in arms.comparison.cases) / arms.comparison.n
        assert mean is not None and abs(left - mean) < 1e-9


def test_what_is_set_against_what(small: Path) -> None:
    site = Site(load.results(small))
    a, b, c = (site.by_session[session.id] for session in site.results.sessions)
    assert cell_pairs([a, b, c]) == [(a, b), (a, c), (b, c)]
    one, two, three = site.results.sessions
    assert session_pairs([[three, two, one], [one]]) == [(two, three), (one, two)]
