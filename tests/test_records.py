"""The fold of a session's lines tells the state of every scheduled trial."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench import records
from mmbench.outcome import GRADED
from mmbench.records import FoldError, TrialKey
from tests.support import sessions

KEY = TrialKey("case-0", "with_mm", 1)


def folded(*lines: tuple[str, dict[str, Any]], judge: str = "off") -> records.Session:
    head = ("session", sessions.header(sessions.keys(), judge=judge))
    numbered = zip(count(), [head, *lines], strict=False)
    return records.fold([{"kind": kind, "v": 1, "seq": seq, **fields} for seq, (kind, fields) in numbered])


def state(*lines: tuple[str, dict[str, Any]], judge: str = "off") -> str:
    session = folded(*lines, judge=judge)
    return records.state(session, session.trials[KEY])


def verdict(status: str) -> tuple[str, dict[str, Any]]:
    return "verdict", {**KEY._asdict(), "attempt": 1, "status": status, "correctness": 80.0}


def test_every_state_follows_from_the_lines() -> None:
    tried, graded = ("trial", sessions.trial(KEY)), ("checks", sessions.checks(KEY))
    assert state() == "queued"
    assert state(tried) == "running"
    assert state(tried, graded) == "completed"
    assert state(tried, graded, judge="score") == "judge_pending"
    assert state(tried, graded, verdict("failed"), judge="score") == "judge_failed"
    assert state(tried, graded, verdict("ok"), judge="score") == "completed"
    assert state(("trial", sessions.trial(KEY, status="infra_error"))) == "failed"
    assert state(("trial", sessions.trial(KEY, status="cancelled"))) == "cancelled"
    assert state(("trial", sessions.trial(KEY, status="skipped"))) == "skipped"
    assert state(tried, ("checks", sessions.checks(KEY, score=None))) == "failed"


@pytest.mark.parametrize("status", sorted(GRADED))
def test_an_agents_own_failure_is_not_run_again(status: str) -> None:
    session = folded(
        ("trial", sessions.trial(KEY, status=status)), ("checks", sessions.checks(KEY, score=0.0))
    )
    assert not records.needs_run(session.trials[KEY])


@pytest.mark.parametrize("status", ["infra_error", "contaminated", "model_fallback", "cancelled"])
def test_what_says_nothing_about_the_agent_is_run_again(status: str) -> None:
    session = folded(("trial", sessions.trial(KEY, status=status)))
    assert records.needs_run(session.trials[KEY])


def test_an_attempt_that_was_never_graded_is_run_again() -> None:
    assert records.needs_run(folded(("trial", sessions.trial(KEY))).trials[KEY])


def test_the_newest_attempt_counts_and_the_older_ones_stay() -> None:
    session = folded(
        ("trial", sessions.trial(KEY, status="infra_error")),
        ("trial", sessions.trial(KEY, attempt=2)),
        ("checks", sessions.checks(KEY, attempt=2, score=0.5)),
    )
    trial = session.trials[KEY]
    assert len(trial.attempts) == 2
    assert trial.last is not None
    assert trial.last.correctness == 50.0


def test_a_void_takes_out_what_it_names() -> None:
    session = folded(("void", {"run": None, "case": "case-0", "arm": None, "why": "a bad case"}))
    assert {key for key, trial in session.trials.items() if trial.voided} == {
        TrialKey("case-0", "with_mm", 1),
        TrialKey("case-0", "without_mm", 1),
    }
    assert not records.needs_run(session.trials[KEY])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (("trial", sessions.trial(KEY, attempt=2)), "attempt 2 where 1 is due"),
        (("trial", sessions.trial(TrialKey("other", "with_mm", 1))), "not in the schedule"),
        (("checks", sessions.checks(KEY)), "attempt 1, which is not there"),
        (("void", {"run": 9, "case": None, "arm": None, "why": "x"}), "voids nothing"),
        (("session", sessions.header(sessions.keys())), "cannot stand here"),
    ],
)
def test_a_line_that_does_not_fit_is_named(line: tuple[str, dict[str, Any]], reason: str) -> None:
    with pytest.raises(FoldError, match=reason):
        folded(line)


def test_a_newer_version_is_refused() -> None:
    with pytest.raises(FoldError, match="newer"):
        records.fold([{"kind": "session", "v": 2, **sessions.header(sessions.keys())}])


@given(st.lists(st.sampled_from(sorted({*GRADED, "infra_error", "cancelled"})), max_size=6))
def test_attempts_are_counted_once_each_whatever_their_order(statuses: list[str]) -> None:
    lines = []
    for attempt, status in enumerate(statuses, start=1):
        lines.append(("trial", sessions.trial(KEY, attempt=attempt, status=status)))
        if status in GRADED:
            lines.append(("checks", sessions.checks(KEY, attempt=attempt)))
    session = folded(*lines)
    assert len(session.trials[KEY].attempts) == len(statuses)
    assert sum(session.states().values()) == len(session.trials)
    assert records.needs_run(session.trials[KEY]) == (not statuses or statuses[-1] not in GRADED)


def test_capped_text_keeps_head_and_tail_and_tells_the_size() -> None:
    value = records.capped("a" * 100 + "z" * 100, 20)
    assert value["truncated"] and value["bytes"] == 200
    assert value["text"].startswith("a" * 10) and value["text"].endswith("z" * 10)
    assert records.capped("short", 20) == {"text": "short", "bytes": 5, "truncated": False}
