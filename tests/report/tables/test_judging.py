"""What the judge did."""

from __future__ import annotations

from pathlib import Path

from mmbench.report import load
from mmbench.report.tables.judging import judges, judging
from mmbench.report.tables.summary import Summary, summarise
from mmbench.trust import read
from tests.support import synthetic
from tests.support.synthetic import Plan


def sessions(folder: Path, *plans: Plan):
    synthetic.tree(folder, plans, synthetic.write_fast)
    return load.results(folder).sessions


def alone(folder: Path, *plans: Plan) -> list[Summary]:
    """Return the summary of each session."""
    synthetic.tree(folder, plans, synthetic.write_fast)
    found = load.results(folder)
    return [summarise(found, [session]) for session in found.sessions]


def test_without_a_judge_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert judging(alone(tmp_path, Plan("synthetic-a", cases=8, judge=False))) is None


def test_verdicts_are_counted_and_held_against_the_checks(tmp_path: Path) -> None:
    found = judging(alone(tmp_path, Plan("synthetic-a", cases=8, missing_verdicts=3)))
    assert found is not None
    assert (found.verdicts, found.pending, found.failed) == (45, 3, 0)
    assert found.models == ("synthetic-judge",)
    assert sum(count for _, count in found.scores) == 45
    assert [band for band, _, _ in found.by_checks] == ["none", "less than half", "half or more", "all"]
    means = [score for _, _, score in found.by_checks]
    assert means == sorted(means)
    assert found.correlation is not None and found.correlation > 0.8


def test_a_judge_is_its_models_its_mode_and_its_question(tmp_path: Path) -> None:
    found = sessions(
        tmp_path,
        Plan("synthetic-a", cases=8),
        Plan("synthetic-b", cases=8),
        Plan("synthetic-c", cases=8, judge=False),
    )
    (judge,) = judges(found, ())
    assert (judge.name, judge.mode, len(judge.sessions)) == ("synthetic-judge", "score", 2)
    assert (judge.measured, judge.related) == ((), ())
    assert judge.anchor == judges(found[:1], ())[0].anchor


def test_figures_belong_to_a_judge_by_model_and_question(tmp_path: Path) -> None:
    synthetic.measure(tmp_path)
    (judge,) = judges(sessions(tmp_path, Plan("synthetic-a", cases=8)), read(tmp_path))
    assert [one.kind for one in judge.measured] == ["calibration"]
    assert [one.kind for one in judge.related] == ["accuracy"]
