"""The further arms: each by itself, and what lies between two arms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mmbench.report import load
from mmbench.report.model import Session
from mmbench.report.stats.effect import lift
from mmbench.report.tables.arms import FurtherArms, further_arms
from mmbench.report.tables.pairs import of_session
from mmbench.report.tables.summary import summarise
from tests.support import synthetic
from tests.support.synthetic import Plan

ALL = ("without_mm", "with_mm", "unprimed", "placebo")
PLAN = Plan("synthetic-a", cases=8, runs=2, arms=ALL, timeouts=0.0, infra=0.4)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    synthetic.write_fast(tmp_path, PLAN)
    (found,) = load.results(tmp_path).sessions
    return found


def found_of(tmp_path: Path) -> FurtherArms:
    results = load.results(tmp_path)
    return further_arms(results, results.sessions)


def test_a_session_of_two_arms_has_none(tmp_path: Path) -> None:
    synthetic.write_fast(tmp_path, replace(PLAN, arms=ALL[:2]))
    assert found_of(tmp_path) == FurtherArms()


def test_each_arm_stands_on_its_own_sound_trials(tmp_path: Path, session: Session) -> None:
    found = found_of(tmp_path)
    assert [arm.arm for arm in found.arms] == ["without_mm", "placebo", "unprimed", "with_mm"]
    assert [arm.arm for arm in found.further] == ["placebo", "unprimed"]
    for arm in found.arms:
        sound = [trial for trial in session.trials if trial.key.arm == arm.arm and trial.sound]
        assert (arm.summary.trials, arm.scheduled) == (len(sound), 16)
        assert arm.used == sum(trial.mm_calls > 0 for trial in sound)
        assert not arm.used or arm.mm


def test_differences_are_those_of_the_paired_statistics(tmp_path: Path, session: Session) -> None:
    results = load.results(tmp_path)
    found = {contrast.question.name: contrast.lift for contrast in found_of(tmp_path).contrasts}
    assert list(found) == ["primer", "discovery", "prompt", "content"]
    pairs = of_session(results, session, arms=("unprimed", "with_mm"))
    assert found["primer"] == lift([pair.score for pair in pairs])
    gains = {pair.case: [] for pair in pairs}  # type: ignore[var-annotated]
    for pair in pairs:
        if pair.sound:
            gains[pair.case].append(pair.with_.correctness - pair.without.correctness)  # type: ignore[operator]
    means = [sum(values) / len(values) for values in gains.values() if values]
    assert found["primer"].point == pytest.approx(sum(means) / len(means))
    assert found["primer"].excluded == (("infrastructure", 16 - found["primer"].pairs),)


def test_only_answerable_questions_are_asked(tmp_path: Path) -> None:
    synthetic.write_fast(tmp_path, replace(PLAN, arms=("without_mm", "with_mm", "placebo")))
    assert [contrast.question.name for contrast in found_of(tmp_path).contrasts] == ["prompt", "content"]


def test_the_main_lift_is_not_moved_by_further_arms(tmp_path: Path, session: Session) -> None:
    results = load.results(tmp_path)
    summary = summarise(results, [session])
    assert {pair.without.key.arm for pair in summary.pairs} == {"without_mm"}
    assert summary.scheduled == 32


def test_a_call_of_an_absent_mm_does_not_spoil_a_placebo(tmp_path: Path, session: Session) -> None:
    def unreached(arm: str) -> int:
        trials = tuple(
            replace_trial(trial) if trial.key.arm == arm and trial.sound else trial
            for trial in session.trials
        )
        results = load.results(tmp_path)
        pairs = of_session(results, replace(session, source=lambda: tuple(trials)), arms=("without_mm", arm))
        return sum("mm_unreachable" in pair.reasons for pair in pairs)

    assert unreached("placebo") == 0
    assert unreached("unprimed") > 0


def replace_trial(trial):  # type: ignore[no-untyped-def]
    import msgspec

    return msgspec.structs.replace(trial, reached=False, mm_calls=1)
