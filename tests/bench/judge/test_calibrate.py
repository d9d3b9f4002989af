from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmbench import cli, trust
from mmbench.bench.judge import calibrate
from mmbench.errors import DataError
from mmbench.records import TrialKey
from tests.bench.judge import recorded
from tests.bench.judge.samples import SECRET
from tests.support.judge_endpoint import JudgeEndpoint

FIRST = recorded.both_arms()[0]
SCORES = dict(zip(recorded.both_arms(), (5.0, 3.0, 1.0, None), strict=True))


def grade(key: TrialKey, *grades: float | None, **more: Any) -> dict[str, Any]:
    return {"session": "s1", **key._asdict(), "grades": {f"r{n}": g for n, g in enumerate(grades)}, **more}


def write(folder: Path, *lines: dict[str, Any] | str) -> Path:
    path = folder / "grades.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n\n")
    return path


def run(folder: Path, grades: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    words = [
        "judge",
        "calibrate",
        "--grades",
        str(grades),
        "--results",
        str(folder / "results"),
        "--json",
        *more,
    ]
    assert cli.main(words) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_figures_worked_out_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded.write(tmp_path, SCORES)
    first, second, third, fourth = recorded.both_arms()
    grades = write(tmp_path, grade(first, 5, 5), grade(second, 2, 2), grade(third, 3, 4), grade(fourth, 0))
    found = run(tmp_path, grades, capsys)
    # The judge said 5, 3, 1; the medians of the people are 5, 2, 3.5.
    assert (found["n"], found["unjudged"], found["raters"]) == (3, 1, 2)
    assert found["exact"] == pytest.approx(1 / 3)
    assert found["within_one"] == pytest.approx(2 / 3)
    assert found["bias"]["without_mm"]["point"] == pytest.approx((0 - 2.5) / 2)
    assert found["bias"]["with_mm"]["point"] == pytest.approx(1)
    assert found["models"] == ["m"]
    assert found["repeats"] is None
    assert -1 <= found["kappa"] <= 1
    assert found["alpha_humans"] > found["alpha_all"]


def test_a_single_grade_and_a_list_are_taken_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded.write(tmp_path, SCORES)
    first, second, *_ = recorded.both_arms()
    plain = {"session": "s1", **first._asdict(), "grade": 5}
    grades = write(tmp_path, plain, {"session": "s1", **second._asdict(), "grades": [3, None]})
    assert run(tmp_path, grades, capsys)["exact"] == 1


def test_the_table_is_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded.write(tmp_path, SCORES)
    grades = write(tmp_path, *(grade(key, 3, 4) for key in recorded.both_arms()))
    assert (
        cli.main(["judge", "calibrate", "--grades", str(grades), "--results", str(tmp_path / "results")]) == 0
    )
    table = capsys.readouterr().out
    assert "3 graded by both, 1 without a verdict" in table
    assert "bias, with_mm" in table


def test_figures_are_kept_for_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = recorded.write(tmp_path, SCORES)
    found = run(tmp_path, write(tmp_path, grade(FIRST, 5)), capsys, "--save")
    (path,) = (where.results / "judge").iterdir()
    kept = json.loads(path.read_text())
    assert (kept["kind"], kept["figures"]) == ("calibration", found)
    assert kept["judge"]["models"] == ["m"]
    (measured,) = trust.read(where.results)
    assert measured.same_question(["m"], kept["judge"]["prompts"][0])
    assert not measured.same_question(["m"], "1" * 64) and measured.same_judge(["m"])
    assert not measured.same_judge([])
    (group,) = found["by"]["archetype"].values()
    assert group["n"] == found["n"] == 1


def test_repeats_ask_the_judge_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded.write(tmp_path, SCORES)
    first, second, *_ = recorded.both_arms()
    given = iter((4, 4, 4, 2, 4, 3))
    with JudgeEndpoint(lambda _question: json.dumps({"score": next(given), "reason": ""})) as endpoint:
        place = ("--judge.model", "m", "--judge.base-url", endpoint.base_url, "--judge.api-key", SECRET)
        found = run(
            tmp_path, write(tmp_path, grade(first, 5), grade(second, 3)), capsys, "--repeats", "3", *place
        )
    assert len(endpoint.questions) == 6
    assert "It says egret." in endpoint.questions[0].text
    assert found["repeats"] == {"outcomes": 2, "identical": 0.5, "sd": pytest.approx(0.5**0.5), "widest": 2}


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        grade(FIRST),
        grade(FIRST, None),
        grade(FIRST, 6),
        grade(FIRST, True),
        grade(FIRST, 3) | {"grades": {"r": "4"}},
        {"session": "s1", "grade": 3},
    ],
)
def test_lines_of_another_form_are_named(tmp_path: Path, line: Any) -> None:
    with pytest.raises(DataError) as caught:
        calibrate.load(write(tmp_path, grade(FIRST, 3), line))
    assert caught.value.where == "grades.jsonl:2"


def test_unknown_sessions_and_trials_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded.write(tmp_path, SCORES)
    base = ["judge", "calibrate", "--results", str(tmp_path / "results"), "--grades"]
    assert cli.main([*base, str(write(tmp_path, grade(FIRST, 3) | {"session": "s2"}))]) == 2
    assert "Did you mean s1" in capsys.readouterr().err
    assert cli.main([*base, str(write(tmp_path, grade(FIRST, 3, attempt=2)))]) == 4
    assert "no attempt at word-0" in capsys.readouterr().err
