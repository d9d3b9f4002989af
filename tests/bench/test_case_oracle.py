"""The oracle's figures: from a session made for them, and from the newest on record."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from mmbench.bench import case_oracle
from mmbench.bench.options import Options
from mmbench.case import Suite, load_suite
from tests.support import tiny

SOLVED = {"with_mm": "cp word.txt out.txt; cat word.txt", "without_mm": "cat word.txt"}


@pytest.fixture
def place(tmp_path: Path) -> tiny.Place:
    made = tiny.make(tmp_path, cases=1)
    _write(made, SOLVED)
    made.results.mkdir()
    return made


def _write(place: tiny.Place, solutions: dict[str, str]) -> None:
    path = place.root / "suite" / "cases.jsonl"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"solutions": solutions}) + "\n")


def _suite(place: tiny.Place) -> Suite:
    return load_suite(place.root, str(place.root / "suite"))


def test_it_plays_the_solutions_of_both_arms_and_leaves_no_results(place: tiny.Place) -> None:
    named = {"model": "none", "base_url": "http://127.0.0.1:9/v1", "api_key": "none-none"}
    options = Options(
        suite=str(place.root / "suite"),
        profiles=("adhoc",),
        adhoc=named,
        skip_preflight=True,
        sandbox="process",
    )
    found = case_oracle.play(place.project, options, _suite(place), Console(quiet=True))
    assert found == {("word-0", "with_mm"): 100.0, ("word-0", "without_mm"): 50.0}
    assert list(place.results.iterdir()) == []


def test_the_newest_session_counts_while_the_case_is_the_same(place: tiny.Place) -> None:
    from mmbench import cli

    assert case_oracle.on_record(place.project, _suite(place)) is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MMBENCH_STATE", str(place.state))
        assert cli.main(place.words(agent="oracle")) == 0
    found = case_oracle.on_record(place.project, _suite(place))
    assert found is not None
    assert found[0] == place.ledger.stem
    assert found[1]["word-0", "without_mm"] == 50.0
    _write(place, SOLVED | {"without_mm": "cat word.txt; cp word.txt out.txt"})
    assert case_oracle.on_record(place.project, _suite(place)) is None
    assert case_oracle.on_record(replace(place.project, results=place.root), _suite(place)) is None
