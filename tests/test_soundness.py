"""Each reason takes its pair out, and an agent's own failure does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mmbench import records, soundness
from mmbench.records import TrialKey
from mmbench.soundness import REASONS, WORDS, Side
from tests.support import sessions

GOOD = Side(state="completed", status="completed", scored=True, model="m-1")
CONTROL, TREATED = TrialKey("case-0", "without_mm", 1), TrialKey("case-0", "with_mm", 1)


def test_two_good_sides_are_sound() -> None:
    assert soundness.reasons(GOOD, GOOD) == ()
    assert soundness.reasons(GOOD, replace(GOOD, model=None)) == ()


@pytest.mark.parametrize("status", ["timeout", "agent_error", "no_answer"])
def test_the_agents_own_failures_count(status: str) -> None:
    assert soundness.reasons(GOOD, replace(GOOD, status=status)) == ()


CHANGES: dict[str, dict[str, Any]] = {
    "missing": {"state": "queued", "status": None, "scored": False},
    "voided": {"voided": True},
    "skipped": {"state": "skipped", "status": "skipped"},
    "infrastructure": {"state": "failed", "status": "infra_error"},
    "contaminated": {"state": "failed", "status": "contaminated"},
    "canary": {"canary": True},
    "model_fallback": {"state": "failed", "status": "model_fallback"},
    "models_differ": {"model": "m-2"},
    "treatment_changed": {"intact": False},
    "mm_unreachable": {"reached": False},
    "grader_failed": {"state": "failed", "status": "completed"},
    "no_verdict": {"state": "judge_failed", "scored": False},
}


@pytest.mark.parametrize("reason", REASONS)
def test_each_reason_is_found(reason: str) -> None:
    assert soundness.reasons(GOOD, replace(GOOD, **CHANGES[reason])) == (reason,)
    if reason != "mm_unreachable":  # mm is not there in the control arm by design
        assert soundness.reasons(replace(GOOD, **CHANGES[reason]), GOOD) == (reason,)
    assert WORDS[reason]


def test_every_reason_is_kept() -> None:
    bad = replace(GOOD, voided=True, intact=False, canary=True)
    assert soundness.reasons(bad, Side()) == ("missing", "voided", "canary", "treatment_changed")


@pytest.mark.parametrize(
    ("codes", "requests", "errors", "reached"),
    [
        ([], 0, {}, True),
        ([127, 127], 0, {}, False),
        ([127, 0, None], 0, {}, True),
        ([1], 3, {"503": 2, "refused": 1}, False),
        ([1], 3, {"503": 2}, True),
        ([1], 2, {"400": 2}, True),
    ],
)
def test_mm_that_cannot_be_used_is_seen(
    codes: list[int | None], requests: int, errors: dict[str, int], reached: bool
) -> None:
    assert soundness.reached(codes, requests, errors) is reached


def line(seq: int, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "v": 1, "seq": seq} | fields


def test_pairs_of_a_session_follow_its_schedule() -> None:
    schedule = sessions.keys(cases=2)
    rows = [("session", sessions.header(schedule))]
    for key in (CONTROL, TREATED):
        rows += [("trial", sessions.trial(key)), ("checks", sessions.checks(key))]
    rows.append(("trial", sessions.trial(schedule[2], status="infra_error")))
    session = records.fold([line(seq, *row) for seq, row in enumerate(rows)])
    found = soundness.pairs(session)
    assert [(pair.case, pair.reasons) for pair in found] == [
        ("case-0", ()), ("case-1", ("missing", "infrastructure")),
    ]  # fmt: skip
    assert [pair.sound for pair in found] == [True, False]
    assert soundness.counted(found) == {"missing": 1, "infrastructure": 1}


def test_an_arm_that_is_not_scheduled_is_missing() -> None:
    session = records.fold([line(0, "session", sessions.header([CONTROL]))])
    assert soundness.pairs(session)[0].reasons == ("missing",)
