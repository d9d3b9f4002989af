"""Regrading of real sessions of a shell agent: today's checks and judge, beside the old lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmbench import cli, ledger
from tests.bench.judge.samples import SECRET
from tests.support import tiny
from tests.support.judge_endpoint import JudgeEndpoint, score
from tests.support.tiny import CASE, Place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = tiny.make(tmp_path, cases=1)
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    return made


def rewrite(place: Place, **changes: Any) -> None:
    """Change the case as it is today."""
    (place.root / "suite" / "cases.jsonl").write_text(json.dumps({"id": "word-0", **CASE, **changes}) + "\n")


def regrade(place: Place, *more: str) -> int:
    words = ["regrade", place.ledger.stem, "--results", str(place.results)]
    return cli.main([*words, "--suite", str(place.root / "suite"), *more])


def judge(endpoint: JudgeEndpoint) -> tuple[str, ...]:
    return ("--judge.model", "m", "--judge.base-url", endpoint.base_url, "--judge.api-key", SECRET)


def points(place: Place) -> set[float | None]:
    return {trial.last.correctness for trial in ledger.load(place.ledger).trials.values() if trial.last}


HALF = [
    {"kind": "contains_text", "weight": 1, "value": "heron"},
    {"kind": "contains_text", "weight": 1, "value": "egret"},
]


def test_todays_checks_stand_beside_the_old_ones(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(place.words()) == 0
    before = place.ledger.read_bytes()
    assert points(place) == {100.0}
    rewrite(place, checks=HALF)
    assert regrade(place) == 0
    assert "2 regraded, 2 with another correctness, 0 not" in capsys.readouterr().out
    after = place.ledger.read_bytes()
    assert after.startswith(before), "old lines stay"
    added = [json.loads(line) for line in after[len(before) :].split(b"\n")[:-1]]
    assert [(line["kind"], line["attempt"]) for line in added] == [("checks", 1)] * 2
    assert points(place) == {50.0}
    assert cli.main(["validate", str(place.ledger), "--results", str(place.results)]) == 0


def test_the_final_tree_is_made_again_from_what_was_kept(place: Place) -> None:
    place.agent(
        "mkdir sub; mv word.txt sub/word.txt; cp sub/word.txt copy.txt; echo new > out.txt; echo heron\n"
    )
    assert cli.main(place.words()) == 0
    wanted = [
        {"kind": "artifact_contains", "weight": 1, "path": "out.txt", "value": "new"},
        {"kind": "path_exists", "weight": 1, "path": "sub/word.txt"},
        {"kind": "path_absent", "weight": 1, "path": "word.txt"},
        {"kind": "path_exists", "weight": 1, "path": "copy.txt"},
    ]
    rewrite(place, checks=wanted)
    assert regrade(place) == 0
    last = [json.loads(line) for line in place.ledger.read_bytes().split(b"\n")[:-1]][-1]
    assert [row["score"] for row in last["results"]] == [1, 1, 1, 1]


def test_what_was_not_kept_is_named_and_left_alone(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.agent("head -c 3000000 /dev/zero > out.txt; ln -s word.txt link; echo heron\n")
    assert cli.main(place.words()) == 0
    before = place.ledger.read_bytes()
    assert regrade(place) == 1
    said = capsys.readouterr().out
    assert "0 regraded, 0 with another correctness, 2 not" in said
    assert "word-0/with_mm/1: " in said
    assert place.ledger.read_bytes() == before
    rewrite(place, checks=HALF)
    assert regrade(place) == 0, "what only the answer decides can always be regraded"
    assert points(place) == {50.0}


UNTOLD: tuple[tuple[dict[str, Any], str], ...] = (
    ({"prompt": "Do something else."}, "its task is another one today"),
    ({"checks": [{"kind": "mtime_preserved", "weight": 1}]}, "times or permissions"),
    ({"checks": [{"kind": "tree_unchanged_except", "weight": 1, "mtimes": True}]}, "times or permissions"),
)


def test_what_no_record_can_tell_is_named(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(place.words()) == 0
    for changes, reason in UNTOLD:
        rewrite(place, **changes)
        assert regrade(place) == 1
        assert reason in capsys.readouterr().out


def test_another_dataset_is_named(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(place.words()) == 0
    (place.root / "files" / "word.txt").write_text("egret\n")
    assert regrade(place) == 1
    assert "the dataset is not the one that it was done on" in capsys.readouterr().out
    rewrite(place, checks=HALF)
    assert regrade(place) == 0


def test_a_lost_artifact_is_named(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.agent("echo new > out.txt; echo heron\n")
    assert cli.main(place.words()) == 0
    for path in place.results.glob("artifacts/*/*out.txt"):
        path.unlink()
    assert regrade(place) == 1
    assert "not there as it was" in capsys.readouterr().out


def test_a_judged_session_is_judged_again_or_keeps_its_scores(place: Place) -> None:
    with JudgeEndpoint(score(4)) as endpoint:
        assert cli.main(place.words("--judge", "score", *judge(endpoint))) == 0
        assert points(place) == {90.0}
        rewrite(place, checks=HALF)
        asked = len(endpoint.questions)
        assert regrade(place, "--judge", "off") == 0
        assert len(endpoint.questions) == asked
        assert points(place) == {65.0}
        endpoint.speak = score(1)
        assert regrade(place, *judge(endpoint)) == 0
        assert len(endpoint.questions) == asked + 2
    assert points(place) == {35.0}
    assert ledger.load(place.ledger).states() == {"completed": 2}


def test_no_judge_is_asked_about_a_session_that_has_none(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(place.words()) == 0
    before = place.ledger.read_bytes()
    with JudgeEndpoint(score(4)) as endpoint:
        assert regrade(place, "--judge", "score", *judge(endpoint)) == 2
        assert regrade(place, *judge(endpoint)) == 2
    assert "was not judged" in capsys.readouterr().err
    assert place.ledger.read_bytes() == before
    assert regrade(place, "--judge", "off") == 0


def test_a_broken_a_missing_and_another_judge_change_nothing(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    with JudgeEndpoint(score(4)) as endpoint:
        assert cli.main(place.words("--judge", "score", *judge(endpoint))) == 0
        before = place.ledger.read_bytes()
        assert regrade(place) == 3
        assert regrade(place, "--judge", "criteria", *judge(endpoint)) == 2
        assert "was judged by score" in capsys.readouterr().err
        endpoint.refuses = ("messages",)
        assert regrade(place, *judge(endpoint)) == 1
        assert "it keeps its old grade" in capsys.readouterr().err
    assert place.ledger.read_bytes() == before
