from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmbench import cli, trust
from mmbench.bench.judge import accuracy
from mmbench.errors import DataError, UsageError


def pair(
    name: str, chosen: str, source: str = "s1", prompt: str | None = None, models: str = "xy"
) -> dict[str, Any]:
    return {
        "id": name,
        "response_a": {"model_name": models[0], "response_content": [["text", "a"]]},
        "response_b": {"model_name": models[1], "response_content": [["text", "b"]]},
        "chosen": chosen,
        "prompt_source": source,
        "prompt_metadata": {"id": prompt or name},
    }


def said(forward: str | None, reverse: str | None) -> dict[str, Any]:
    return {name: [{"judgement": v}] if v else [] for name, v in (("forward", forward), ("reverse", reverse))}


PAIRS = [
    pair("1", "A"),
    pair("2", "B"),
    pair("3", "A", "s2", models="yx"),
    pair("4", "B", "s2"),
    pair("5", "A"),
]
PREDICTIONS = {
    "1": said("A", "B"),  # right both ways
    "2": said("A", "A"),  # wrong, then right
    "3": said("B", "A"),  # wrong both ways
    "4": said("B", None),  # right, one verdict only
    "unknown": said("A", "A"),
}


def write(folder: Path, pairs: Any, predictions: Any, name: str = "task") -> tuple[Path, Path]:
    files = folder / f"{name}.pairs.json", folder / f"{name}.json"
    for path, value in zip(files, (pairs, predictions), strict=True):
        path.write_text(json.dumps(value))
    return files


def test_figures_worked_out_by_hand(tmp_path: Path) -> None:
    pairs, predictions = write(tmp_path, {"pairs": PAIRS}, PREDICTIONS)
    found = accuracy.report(accuracy.load([pairs], [predictions]))["overall"]
    assert (found["correct"], found["verdicts"], found["accuracy"]) == (4, 7, pytest.approx(4 / 7))
    assert (found["pairs"], found["missing"], found["half"]) == (5, 1, 1)
    assert found["consistency"] == pytest.approx(2 / 3)
    # Shown first in pairs judged both ways: 1 A, 1 B; 2 A, 2 A; 3 B, 3 A: the first was chosen 4 times of 6.
    assert found["first_share"] == pytest.approx(4 / 6)
    assert found["wilson"]["low"] < 4 / 7 < found["wilson"]["high"]
    assert found["clusters"] == 4


def test_the_groups_are_task_source_and_pair_of_models(tmp_path: Path) -> None:
    first = write(tmp_path, {"pairs": PAIRS}, PREDICTIONS, "one")
    second = write(tmp_path, {"pairs": PAIRS[:1]}, PREDICTIONS, "two")
    found = accuracy.report(accuracy.load([first[0], second[0]], [first[1], second[1]], ["first", "second"]))
    assert {name: row["verdicts"] for name, row in found["by"]["task"].items()} == {"first": 7, "second": 2}
    assert {name: row["correct"] for name, row in found["by"]["prompt source"].items()} == {"s1": 5, "s2": 1}
    assert {name: row["pairs"] for name, row in found["by"]["model pair"].items()} == {"x / y": 6}
    assert found["overall"]["verdicts"] == 9


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(4274, 8000, "53.42 %"), (4276, 8000, "53.45 %"), (1064, 2000, "53.20 %"), (1, 3, "33.33 %"), (0, 5, "0.00 %"),
     (53425, 100_000, "53.42 %"), (53435, 100_000, "53.44 %"), (0, 0, "n/a")],
)  # fmt: skip
def test_two_decimals_come_from_whole_numbers(part: int, whole: int, shown: str) -> None:
    assert accuracy.percent(part, whole) == shown


def test_the_command_prints_a_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs, predictions = write(tmp_path, {"pairs": PAIRS}, PREDICTIONS)
    words = ["judge", "accuracy", "--pairs", str(pairs), "--predictions", str(predictions), "--task", "tiny"]
    assert cli.main(words) == 0
    table = capsys.readouterr().out
    assert [line.split()[:3] for line in table.splitlines() if line.startswith(("tiny", "Overall"))] == [
        ["tiny", "57.14", "%"],
        ["Overall", "57.14", "%"],
    ]
    assert cli.main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["by"]["task"]["tiny"]["missing"] == 1


def test_figures_are_kept_for_the_report_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged = {"1": {"forward": [{"judgement": "A", "evaluator": "m"}], "reverse": []}}
    pairs, predictions = write(tmp_path, {"pairs": PAIRS}, judged)
    words = ["judge", "accuracy", "--pairs", str(pairs), "--predictions", str(predictions)]
    for _ in range(2):
        assert cli.main([*words, "--save", "--results", str(tmp_path / "results")]) == 0
    (path,) = (tmp_path / "results" / "judge").iterdir()
    kept = json.loads(path.read_text())
    assert (kept["kind"], kept["judge"]) == ("accuracy", {"models": ["m"], "prompts": []})
    assert kept["figures"]["overall"]["correct"] == 1
    assert trust.read(tmp_path / "results")[0].models == ("m",)
    assert f"results/judge/{path.name}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("pairs", "predictions"),
    [
        ([], {}),
        ({"pairs": []}, {}),
        ({"pairs": [{"id": "1", "chosen": "tie"}]}, {}),
        ({"pairs": [{"chosen": "A"}]}, {}),
        ({"pairs": [pair("1", "A"), pair("1", "A")]}, {}),
        ({"pairs": PAIRS}, []),
        ({"pairs": PAIRS}, {"1": "A"}),
        ({"pairs": PAIRS}, {"1": {"forward": "A"}}),
        ({"pairs": PAIRS}, {"1": {"forward": [{"judgement": 1}]}}),
    ],
)
def test_files_of_another_form_are_named(tmp_path: Path, pairs: Any, predictions: Any) -> None:
    files = write(tmp_path, pairs, predictions)
    with pytest.raises(DataError) as caught:
        accuracy.load([files[0]], [files[1]])
    assert "task" in caught.value.where


def test_files_must_come_in_pairs_and_tasks_be_named_all(tmp_path: Path) -> None:
    pairs, predictions = write(tmp_path, {"pairs": PAIRS}, PREDICTIONS)
    with pytest.raises(UsageError, match="1 files of pairs and 2"):
        accuracy.load([pairs], [predictions, predictions])
    with pytest.raises(UsageError, match="2 names for 1"):
        accuracy.load([pairs], [predictions], ["a", "b"])
    with pytest.raises(UsageError, match="cannot be read"):
        accuracy.load([tmp_path / "gone"], [predictions])


def test_any_other_word_is_a_wrong_verdict_as_in_mmrb2(tmp_path: Path) -> None:
    pairs, predictions = write(tmp_path, {"pairs": PAIRS[:1]}, {"1": said("neither", "neither")})
    found = accuracy.report(accuracy.load([pairs], [predictions]))["overall"]
    assert (found["correct"], found["verdicts"]) == (0, 2)


def test_a_judge_that_favours_its_own_model_is_told(tmp_path: Path) -> None:
    pairs = [pair(str(n), "B" if n % 2 else "A", models="xy") for n in range(8)]
    own = {"judgement": "A", "evaluator": "host/X", "metadata": {"prompt_sha256": "0" * 64}}
    predictions = {str(n): {"forward": [own], "reverse": [{"judgement": "B"}]} for n in range(8)}
    labelled = accuracy.load(list(files := write(tmp_path, {"pairs": pairs}, predictions))[:1], files[1:])
    found = accuracy.report(labelled)["self_preference"]
    assert (found["pairs"], found["verdicts"]) == (8, 16)
    assert (found["judge"], found["people"], found["excess"]) == (1.0, 0.5, 0.5)
    assert found["interval"]["low"] < 0.5 < found["interval"]["high"]
    assert {one.prompt for one in labelled} == {"0" * 64}
    assert accuracy.report(accuracy.load([files[0]], [files[1]]))["overall"]["kappa"] == pytest.approx(0.0)
