"""The page of judges: what was measured, or plainly that nothing was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mmbench.errors import DataError
from mmbench.report.build import build
from tests.report.conftest import SITE
from tests.support import hostile, synthetic
from tests.support.synthetic import Plan

SESSION = "session/*synthetic-b-*.html"


def page(built: Path, pattern: str) -> str:
    (path,) = built.glob(pattern)
    return path.read_text()


def test_a_session_leads_to_what_is_known_of_its_judge(built: Path) -> None:
    anchor = re.search(r'href="../judge.html#(judge-[0-9a-f]+)">how far it agrees', page(built, SESSION))
    assert anchor is not None
    judge = page(built, "judge.html")
    assert f'id="{anchor[1]}"' in judge
    assert "Weighted κ" in judge and "Same in both orders" in judge and "Answers of its own model" in judge
    assert "No agreement with people has been measured" not in judge


def test_an_unmeasured_judge_is_called_that(small: Path, tmp_path: Path) -> None:
    for path in (small / "judge").iterdir():
        path.unlink()
    build(small, tmp_path / "out", site=SITE)
    assert "No agreement with people has been measured for this judge.</strong>" in page(
        tmp_path / "out", "judge.html"
    )
    assert "no agreement with people measured</a>" in page(tmp_path / "out", SESSION)


def test_figures_that_no_session_asks_for_are_shown_apart(tmp_path: Path) -> None:
    synthetic.tree(tmp_path / "r", [Plan("synthetic-a", cases=8, judge=False)], synthetic.write_fast)
    synthetic.measure(tmp_path / "r")
    build(tmp_path / "r", tmp_path / "out", site=SITE)
    judge = page(tmp_path / "out", "judge.html")
    assert "No session has a judge" in judge and judge.count("used by no session here") == 2
    assert "none: checks alone" in page(tmp_path / "out", "session/*.html")


def test_names_in_figures_are_text(built: Path) -> None:
    judge = page(built, "judge.html")
    assert hostile.MARKUP not in judge and "&lt;/script&gt;&lt;img" in judge


def test_figures_of_another_form_stop_the_build(small: Path, tmp_path: Path) -> None:
    (small / "judge" / "accuracy-x.json").write_text('{"kind": "accuracy"}')
    with pytest.raises(DataError, match="judge/accuracy-x.json is not of the form"):
        build(small, tmp_path / "out", site=SITE)
