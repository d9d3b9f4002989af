"""Two summaries side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mmbench.report import load
from mmbench.report.pages.site import Site
from mmbench.report.tables.compare import SESSIONS, cell_pairs, duel, session_pairs, side
from tests.support import synthetic
from tests.support.synthetic import Plan


def test_the_same_session_ties_with_itself(small: Path) -> None:
    site = Site(load.results(small))
    summary = site.by_session[site.results.sessions[0].id]
    for arms in duel(summary, summary).arms:
        assert arms.comparison.ties == arms.comparison.n == 8
        assert arms.difference.point == 0


def test_sides_are_not_swapped_and_arms_not_mixed(small: Path) -> None:
    site = Site(load.results(small))
    agent, oracle = (site.by_session[site.results.sessions[n].id] for n in (1, 3))
    with_mm, without = duel(agent, oracle).arms
    assert with_mm.arm == "with mm"
    for arms, mean in ((with_mm, agent.with_.mean), (without, agent.without.mean)):
        assert arms.comparison.wins > arms.comparison.losses
        left = sum(case.without for case in arms.comparison.cases) / arms.comparison.n
        assert mean is not None and abs(left - mean) < 1e-9


def test_what_is_set_against_what(small: Path) -> None:
    site = Site(load.results(small))
    a, b, c = (site.by_session[session.id] for session in site.results.sessions[1:])
    assert cell_pairs([a, b, c]) == [(a, b), (a, c), (b, c)]
    one, two, three = site.results.sessions[1:]
    assert session_pairs([[three, two, one], [one]]) == [(two, three), (one, three), (one, two)]


def test_old_sessions_stand_against_the_one_before_only(small: Path) -> None:
    session = load.results(small).sessions[0]
    many = [replace(session, path=Path(str(number))) for number in range(SESSIONS + 2)]
    pairs = {(int(str(newer.path)), int(str(older.path))) for older, newer in session_pairs([many])}
    newest = {(a, b) for a in range(SESSIONS) for b in range(a + 1, SESSIONS)}
    assert pairs == newest | {(SESSIONS - 1, SESSIONS), (SESSIONS, SESSIONS + 1)}


def test_what_one_side_lacks_is_counted_and_compared_nowhere(tmp_path: Path) -> None:
    plans = [
        Plan("synthetic-a", cases=8, runs=1, timeouts=0.0),
        Plan("synthetic-b", day=1, cases=12, runs=2, timeouts=0.0, cut=40, infra=0.3),
    ]
    synthetic.tree(tmp_path, plans, synthetic.write_fast)
    site = Site(load.results(tmp_path))
    left, right = (site.by_session[session.id] for session in site.results.sessions)
    for arms in duel(left, right).arms:
        mine, theirs = side(left, arms.arm), side(right, arms.arm)
        shared = {found.case for found in mine.cases} & {found.case for found in theirs.cases}
        assert {case.case for case in arms.comparison.cases} == shared
        assert arms.only == (len(mine.cases) - len(shared), len(theirs.cases) - len(shared))
        assert arms.left_out == (mine.left_out, theirs.left_out)
        assert mine.left_out + sum(found.runs for found in mine.cases) == 8
        assert theirs.left_out + sum(found.runs for found in theirs.cases) == 24
    assert arms.only[1] > 0 and arms.left_out[1] > 0
