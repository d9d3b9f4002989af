"""What the judge did."""

from __future__ import annotations

from pathlib import Path

from mmbench.report import load
from mmbench.report.tables.judging import judging
from tests.support import synthetic
from tests.support.synthetic import Plan


def sessions(folder: Path, *plans: Plan):
    synthetic.tree(folder, plans, synthetic.write_fast)
    return load.results(folder).sessions


def test_without_a_judge_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert judging(sessions(tmp_path, Plan("synthetic-a", cases=8, judge=False))) is None


def test_verdicts_are_counted_and_held_against_the_checks(tmp_path: Path) -> None:
    found = judging(sessions(tmp_path, Plan("synthetic-a", cases=8, missing_verdicts=3)))
    assert found is not None
    assert (found.verdicts, found.pending, found.failed) == (45, 3, 0)
    assert found.models == ("synthetic-judge",)
    assert sum(count for _, count in found.scores) == 45
    assert [band for band, _, _ in found.by_checks] == ["none", "less than half", "half or more", "all"]
    means = [score for _, _, score in found.by_checks]
    assert means == sorted(means)
    assert found.correlation is not None and found.correlation > 0.8
