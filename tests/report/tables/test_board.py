"""Leaderboards: who stands in which, who is ranked, and why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench.report import load
from mmbench.report.tables.board import Board, boards
from mmbench.report.tables.headline import headline
from tests.support import synthetic
from tests.support.synthetic import Plan


def made(folder: Path, *plans: Plan) -> tuple[Board, ...]:
    synthetic.tree(folder, plans, synthetic.write_fast)
    return boards(load.results(folder))


def test_one_method_is_one_board_and_references_stand_apart(tmp_path: Path) -> None:
    oracle = Plan("synthetic-oracle", day=1, cases=8, runs=2, reference=True)
    (board,) = made(tmp_path, Plan("synthetic-a", cases=8, runs=2), oracle)
    assert [row.summary.cell.agent for row in board.rows] == ["synthetic-a"]
    assert [row.summary.cell.agent for row in board.references] == ["synthetic-oracle"]
    assert board.comparable
    assert board.rows[0].rank is not None and board.references[0].rank is None


def test_a_reference_alone_makes_no_ranking(tmp_path: Path) -> None:
    (board,) = made(tmp_path, Plan("synthetic-oracle", cases=8, runs=1, reference=True))
    assert board.rows == ()
    assert headline(board) is None


def test_the_newest_ranked_method_comes_first(tmp_path: Path) -> None:
    older = Plan("synthetic-a", day=1, cases=8, runs=1)
    newer = Plan("synthetic-a", day=2, cases=8, runs=1, judge=False)
    oracle = Plan("synthetic-oracle", day=9, cases=9, runs=1, reference=True)
    found = made(tmp_path, older, newer, oracle)
    assert [len(board.rows) for board in found] == [1, 1, 0]
    assert found[0].newest.startswith("2026-02-04")


def test_a_trial_of_a_few_cases_does_not_lead(tmp_path: Path) -> None:
    whole = Plan("synthetic-a", day=1, cases=8, runs=1)
    few = Plan("synthetic-a", day=2, cases=3, runs=1, judge=False)
    half = Plan("synthetic-a", day=3, cases=4, runs=2)
    assert [board.width for board in made(tmp_path / "few", whole, few)] == [8, 3]
    assert [board.width for board in made(tmp_path / "half", whole, few, half)] == [4, 8, 3]


def test_sessions_of_one_subject_are_pooled_and_earlier_subjects_kept(tmp_path: Path) -> None:
    plans = [
        Plan("synthetic-a", day=day, cases=8, runs=2, mm_version=mm)
        for day, mm in ((0, "1"), (1, "2"), (2, "2"))
    ]
    (board,) = made(tmp_path, *plans)
    (row,) = board.rows
    assert row.summary.subject.mm.version == "2"
    assert (len(row.summary.sessions), len(row.summary.pairs)) == (2, 32)
    assert [old.subject.mm.version for old in row.older] == ["1"]
    assert len({(pair.case, pair.number) for pair in row.summary.pairs}) == 32


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (Plan("synthetic-b", day=1, cases=8, runs=2, cut=10), "not yet run: 11 of 16 scheduled pairs"),
        (Plan("synthetic-b", day=1, cases=8, runs=2, missing_verdicts=1), "without a verdict: 1 of 16 pairs"),
        (Plan("synthetic-b", day=1, cases=8, runs=1, void_run=1), "no sound pair for"),
    ],
)
def test_a_gap_forbids_the_ranking(tmp_path: Path, other: Plan, reason: str) -> None:
    (board,) = made(tmp_path, Plan("synthetic-a", cases=8, runs=other.runs), other)
    assert not board.comparable
    assert any(
        found.startswith("synthetic-b · synthetic-gateway: ") and reason in found for found in board.reasons
    )
    assert {row.rank for row in board.rows} == {None}


def test_a_verdict_is_withheld_while_pairs_are_missing(tmp_path: Path) -> None:
    (board,) = made(tmp_path, Plan("synthetic-a", cases=8, runs=2, cut=10))
    assert board.rows[0].verdict.call == "WITHHELD"
    found = headline(board)
    assert found is not None and found.verdict.call == "WITHHELD"


def test_voids_leave_both_arms(tmp_path: Path) -> None:
    (board,) = made(tmp_path, Plan("synthetic-a", cases=8, runs=3, void_run=2))
    summary = board.rows[0].summary
    assert (summary.sound, summary.scheduled) == (32, 48)
    assert dict(summary.lift.excluded) == {"void": 8}


def test_the_headline_lists_harms_beside_helps(tmp_path: Path) -> None:
    (board,) = made(tmp_path, Plan("synthetic-a", cases=12), Plan("synthetic-b", day=1, cases=12, gain=-0.2))
    found = headline(board)
    assert found is not None
    assert (found.agents, found.cells, found.sessions, found.runs) == (2, 2, 2, (3, 3))
    assert found.lift.pairs == 72 and found.lift.n == 12
    assert all((row.gain or 0) > 0 for row in found.helped)
    assert all((row.gain or 0) < 0 for row in found.harmed)
    gains = [row.gain for row in found.harmed]
    assert gains == sorted(gains)
    counted = len(found.helped) + found.more_helped + len(found.harmed) + found.more_harmed + found.unmoved
    assert counted == 12
