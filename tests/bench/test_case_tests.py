"""The gate of the cases: good ones pass, and each way to be bad is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from mmbench.bench import case_tests, dataset
from mmbench.bench.case_tests import Bench
from mmbench.bench.cheats import Played
from mmbench.bench.grading import CheckResult
from mmbench.case import Case
from tests.bench.test_busy import spinning

SORT = """\
set -eu
mkdir Green
mv grass.txt frog.txt Green/
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = tmp_path / "dataset"
    root.mkdir()
    for name in ("grass", "frog", "brick", "sky"):
        (root / f"{name}.txt").write_text(f"{name}\n")
    return Bench(dataset.resolve(str(root), tmp_path), repeat=2, load=0, kind="process")


def case(**changed: Any) -> Case:
    document = {
        "id": "green",
        "title": "Green things",
        "archetype": "organization",
        "modality": ["doc"],
        "dataset": ".",
        "mm_commands": ["find"],
        "difficulty": "easy",
        "prompt": "Move the texts about green things into a folder Green.",
        "ground_truth": {"Green": ["grass.txt", "frog.txt"]},
        "checks": [
            {"kind": "grouping", "weight": 55, "truth": {"Green": ["grass.txt", "frog.txt"]}},
            {
                "kind": "tree_unchanged_except",
                "weight": 45,
                "allow_added": ["Green/*"],
                "allow_deleted": ["grass.txt", "frog.txt"],
            },
        ],
        "judge_objective": "Are they?",
        "timeout_s": 30,
        "solutions": {"without_mm": SORT},
        "canary": "canary-0123456789",
    }
    return Case(document | changed, "green/case.json")


def found(number: float) -> dict[str, Any]:
    return {
        "archetype": "retrieval",
        "checks": [{"kind": "contains_number", "weight": 100, "value": number}],
        "solutions": {"without_mm": f"echo {number}"},
    }


def test_a_good_case_passes_and_damage_costs_it(bench: Bench) -> None:
    tested = bench.test(case())
    assert tested.faults == []
    assert tested.scores["nop"] <= 10
    assert tested.scores["mangle"] == pytest.approx(100 - 0.75 * 45)


def test_a_case_without_a_plain_solution_is_solved_by_its_truth(bench: Bench) -> None:
    tested = bench.test(case(solutions={"with_mm": "false"}))
    assert tested.faults == []
    assert "mangle" in tested.scores


def lenient(path: str) -> Case:
    """Return a case whose validator is content with the existence of a file."""
    validator = (
        "import json, os, sys\n"
        f"there = os.path.exists(os.path.join(json.load(sys.stdin)['tree'], {path!r}))\n"
        "print(json.dumps({'score': float(there), 'reasons': ['there']}))\n"
    )
    check = {"kind": "path_exists", "weight": 1, "path": path}
    return case(**found(4712) | {"checks": [check], "validator": validator, "validator_weight": 99})


def test_a_validator_that_idleness_passes_is_told(bench: Bench) -> None:
    faults = bench.test(lenient("brick.txt")).faults
    assert any(fault.startswith("doing nothing earns ") for fault in faults), faults


def test_a_validator_that_an_empty_file_passes_is_told(bench: Bench) -> None:
    tested = bench.test(lenient("report.txt"))
    assert tested.scores["nop"] == 0
    assert any(fault.startswith("touch earns 99") for fault in tested.faults), tested.faults


def test_a_check_that_naming_everything_passes_is_told(bench: Bench) -> None:
    named = [{"kind": "names_file", "weight": 1, "path": "sky.txt"}]
    tested = bench.test(case(archetype="retrieval", checks=named, solutions={"with_mm": "true"}))
    assert any(fault.startswith("shotgun earns") for fault in tested.faults)


def test_a_light_guard_is_told(bench: Bench) -> None:
    light = [check | {"weight": 10} if check["kind"] != "grouping" else check for check in case().checks]
    (fault,) = bench.test(case(checks=light)).faults
    assert fault.startswith("damage to an unrelated file costs 11.5")


def test_a_light_guard_is_told_by_the_weights_where_nothing_can_be_solved(bench: Bench) -> None:
    checks = [
        {"kind": "contains_text", "weight": 90, "value": "frog"},
        {"kind": "tree_unchanged_except", "weight": 10},
    ]
    tested = bench.test(case(checks=checks, solutions={"with_mm": "true"}))
    assert "damage elsewhere costs at most 7.5 by the weights, not 30" in tested.faults


def test_a_solution_that_fails_or_falls_short_is_told(bench: Bench) -> None:
    (fault, *_) = bench.test(case(solutions={"without_mm": "echo broken >&2; exit 3"})).faults
    assert "broken" in fault
    wrong = bench.test(case(**found(4712) | {"solutions": {"without_mm": "echo 4713"}}))
    assert wrong.faults == ["solved without mm it reaches 0.0 of 100"]


def test_an_answer_in_the_prompt_is_told(bench: Bench) -> None:
    tested = bench.test(case(**found(4712), prompt="Is it 4712?"))
    assert tested.faults == ["the prompt holds an answer: 4712"]


def test_a_validator_that_crashes_is_told(bench: Bench) -> None:
    (fault, *_) = bench.test(case(validator="raise SystemExit(3)")).faults
    assert fault.startswith("a grader failed: ")


def test_graders_that_disagree_with_themselves_are_told(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = iter(n / 1e6 for n in range(100))

    def unsteady(*_: Any) -> list[CheckResult]:
        return [CheckResult("contains_text", 1, next(scores), "")]

    monkeypatch.setattr(Played, "results", unsteady)
    tested = bench.test(case(**found(4712)))
    assert "its graders do not agree on the tree of nop (2 times graded)" in tested.faults


def test_a_tree_is_graded_in_peace_first_and_then_on_busy_cores(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads = []

    def watching(*_: Any) -> list[CheckResult]:
        loads.append(len(spinning(psutil.Process())))
        return [CheckResult("contains_text", 1, 0.0, "")]

    monkeypatch.setattr(Played, "results", watching)
    replace(bench, load=1, repeat=4).test(case(**found(4712) | {"solutions": {"with_mm": "true"}}))
    assert loads == [0, 1, 1, 1] * 3


def test_an_oracle_below_100_or_ungraded_is_told() -> None:
    arms = ("without_mm", "with_mm", "unprimed")
    points = {("green", "without_mm"): 100.0, ("green", "with_mm"): 98.0, ("green", "unprimed"): None}
    told = case_tests.with_oracle(case_tests.Tested(case()), points, arms=arms)
    assert told.oracle == {"without_mm": 100.0, "with_mm": 98.0, "unprimed": None}
    assert told.faults == ["the oracle reaches 98.0 in with_mm", "the oracle reaches no grade in unprimed"]


@pytest.mark.parametrize("way", ["../../../../{0}", "{0}", "link/{1}"])
@pytest.mark.parametrize("kind", ["artifact_exists", "grouping"])
def test_no_case_has_anything_written_out_of_its_tree(
    bench: Bench, tmp_path: Path, way: str, kind: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (bench.dataset.root / "link").symlink_to(outside)
    path = way.format(outside / "planted", "planted")
    check = {"path": path} if kind == "artifact_exists" else {"truth": {path: ["grass.txt"]}}
    tested = bench.test(case(checks=[{"kind": kind, "weight": 1, **check}], solutions={}))
    assert f"A check looks out of the tree: {path}" in " ".join(tested.faults)
    assert list(outside.iterdir()) == []
