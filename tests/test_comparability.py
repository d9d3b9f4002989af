"""A verdict on any set of sessions, with the figures under it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmbench import cli, comparability, records
from mmbench.records import Session, TrialKey
from tests.support import sessions

KEYS = sessions.keys(cases=2, runs=2)


def session(
    name: str = "s1",
    scores: dict[TrialKey, float | None] | None = None,
    *,
    schedule: list[TrialKey] = KEYS,
    parts: dict[str, Any] | None = None,
    after: tuple[tuple[str, dict[str, Any]], ...] = (),
) -> Session:
    """Fold a session in which each trial has its score; None is an infrastructure failure."""
    header = sessions.header(schedule, session=name)
    header["reference"] = False
    if parts:
        header["method"] = {"parts": header["method"]["parts"] | parts, "hash": "f" * 64}
    rows: list[tuple[str, dict[str, Any]]] = [("session", header)]
    for key, score in (dict.fromkeys(schedule, 1.0) if scores is None else scores).items():
        status = "infra_error" if score is None else "completed"
        rows.append(("trial", sessions.trial(key, status=status)))
        if score is not None:
            rows.append(("checks", sessions.checks(key, score=score)))
    rows += after
    return records.fold([{"kind": kind, "v": 1, "seq": seq} | row for seq, (kind, row) in enumerate(rows)])


def test_figures_are_over_completed_trials_only() -> None:
    scores = dict(zip(KEYS, [1.0, 0.5, 0.0, None, 1.0, 1.0, 1.0], strict=False))
    found = comparability.figures(session(scores=scores))
    assert (found.executable, found.completed, found.failed, found.unfinished) == (8, 6, 1, 1)
    assert found.coverage == 0.75
    assert found.technical_success == pytest.approx(6 / 7)
    assert found.quality is not None
    assert (found.quality.mean, found.quality.median, found.quality.trials) == (75.0, 100.0, 6)
    assert found.quality.sd == pytest.approx(38.1881307913)
    assert (found.seconds, found.cost_usd, found.cost_known) == (7.0, None, 0)
    assert (found.sound_pairs, found.pairs) == (2, 4)


def test_nothing_run_has_no_quality() -> None:
    found = comparability.figures(session(scores={}))
    assert (found.quality, found.coverage, found.technical_success) == (None, 0.0, None)


def test_two_whole_sessions_of_one_method_are_ranked() -> None:
    verdict = comparability.compare([session("s1"), session("s2")])
    assert verdict.comparable
    assert verdict.rankable
    assert "can be compared and ranked" in comparability.said(verdict)


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (session("s2", parts={"sandbox": "process"}), "different methods (kind of sandbox"),
        (session("s2", schedule=sessions.keys(cases=1, runs=2)), "s2 does not run case-1"),
        (session("s2", parts={"legacy": "sqlite"}), "older store"),
    ],
)
def test_what_differs_is_not_compared(other: Session, reason: str) -> None:
    verdict = comparability.compare([session("s1"), other])
    assert not verdict.comparable
    assert not verdict.rankable
    assert reason in " ".join(verdict.against)


def test_an_unfinished_session_is_compared_but_not_ranked() -> None:
    verdict = comparability.compare([session("s1"), session("s2", scores={KEYS[0]: 1.0})])
    assert (verdict.comparable, verdict.rankable) == (True, False)
    assert verdict.unranked == ("s2: 1 of 8 trials are completed",)


def test_voided_trials_leave_every_figure() -> None:
    void = ("void", {"run": 2, "case": None, "arm": None, "why": "noise"})
    found = comparability.figures(session(after=(void,)))
    assert (found.executable, found.voided, found.completed, found.sound_pairs) == (4, 4, 4, 2)


def test_a_missing_verdict_withholds_the_comparison() -> None:
    judged = session("s2", parts={"judge": {"mode": "score"}}, scores={KEYS[0]: 1.0})
    judged.trials[KEYS[0]].attempts[0].verdict = {"status": "failed", "correctness": None}
    verdict = comparability.compare([judged])
    assert verdict.against == ("s2: 1 verdicts are missing",)


def test_the_command_prints_words_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("s1", "s2"):
        sessions.write(tmp_path / f"{name}.jsonl", KEYS, done=8)
    assert cli.main(["compare", "--results", str(tmp_path)]) == 0
    assert "a reference agent has no model" in capsys.readouterr().out
    assert cli.main(["compare", "s1", "--json", "--results", str(tmp_path)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["comparable"], record["sessions"][0]["coverage"]) == (True, 1.0)
