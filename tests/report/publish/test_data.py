"""The data files: valid against their schemas, the same figures as the pages, safe in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from mmbench.report import load
from mmbench.report.pages.site import Site
from mmbench.report.publish import data, shapes
from mmbench.report.publish.shapes import FILES
from mmbench.schema import schema_folder
from tests.support import gold
from tests.support.synthetic import SMALL, Plan

PLACES = {
    "leaderboard": "data/leaderboard.json",
    "sessions": "data/sessions.json",
    "case-breakdown": "data/case-breakdown.json",
    "cell": "data/cells/*/*.json",
    "session": "data/session/*.json",
    "artifacts": "data/artifacts/*.json",
    "transcript": "data/transcript/*/*/*.json",
    "badge": "data/badge/*.json",
}


def validator(kind: str) -> Draft202012Validator:
    schemas = {path.name: json.loads(path.read_text()) for path in schema_folder().glob("*.schema.json")}
    registry = Registry().with_resources((name, Resource.from_contents(s)) for name, s in schemas.items())
    return Draft202012Validator(schemas[f"site.{kind}.schema.json"], registry=registry)


@pytest.mark.parametrize("kind", FILES)
def test_a_schema_is_what_the_shapes_say(kind: str, tmp_path: Path) -> None:
    made = json.dumps(shapes.schema(kind), indent=2, ensure_ascii=False) + "\n"
    Draft202012Validator.check_schema(shapes.schema(kind))
    path = schema_folder() / f"site.{kind}.schema.json"
    gold.check(path, made, tmp_path)


@pytest.mark.parametrize("kind", FILES)
def test_every_data_file_is_valid(built: Path, kind: str) -> None:
    found = sorted(built.glob(PLACES[kind]))
    assert found
    check = validator(kind)
    for path in found:
        assert next(check.iter_errors(json.loads(path.read_bytes())), None) is None, path


def test_objects_are_closed() -> None:
    check = validator("badge")
    badge = {"schemaVersion": 1, "label": "a", "message": "b", "color": "c"}
    assert check.is_valid(badge)
    assert not check.is_valid(badge | {"more": 1})


def test_the_leaderboard_says_what_the_page_says(built: Path) -> None:
    board, _ = json.loads((built / "data/leaderboard.json").read_bytes())["boards"]
    agents = [(row["agent"], row["reference"]) for row in board["rows"]]
    assert agents[-1] == ("synthetic-oracle", True)
    assert {row["rank"] is None for row in board["rows"] if row["reference"]} == {True}
    first = board["rows"][0]
    text = (built / "index.html").read_text()
    assert f"+{first['lift']['point']:.1f}" in text
    assert first["lift"]["n"] == 8
    assert set(first["speedup"]) == {"point", "low", "high", "pairs", "censored_share"}


def test_all_trials_are_in_the_parquet(built: Path) -> None:
    frame = pl.read_parquet(built / "data/trials.parquet")
    assert frame.height == 2 * 32 + 16 + 64
    assert frame["agent"].unique().sort().to_list() == [plan.agent for plan in sorted(SMALL, key=_agent)]
    assert set(frame["arm"]) == {"without_mm", "with_mm", "unprimed", "placebo"}
    assert frame["correctness"].dtype == pl.Float64


def _agent(plan: Plan) -> str:
    return plan.agent


def session_of(built: Path, agent: str) -> dict[str, Any]:
    (path,) = (built / "data/session").glob(f"*{agent}*.json")
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def test_further_arms_are_in_the_data_with_their_differences(built: Path) -> None:
    found = session_of(built, "synthetic-arms")
    arms = {arm["arm"]: arm for arm in found["figures"]["arms"]}
    assert list(arms) == ["without_mm", "placebo", "unprimed", "with_mm"]
    assert arms["with_mm"]["correctness"] == found["figures"]["with"]
    primer = {c["name"]: c for c in found["figures"]["contrasts"]}["primer"]
    assert (primer["right"], primer["left"], primer["difference"]["n"]) == ("with_mm", "unprimed", 8)
    expected = arms["with_mm"]["correctness"] - arms["unprimed"]["correctness"]
    assert primer["difference"]["point"] == pytest.approx(expected, abs=1e-3)
    assert primer["difference"]["low"] < primer["difference"]["point"] < primer["difference"]["high"]
    assert session_of(built, "synthetic-b")["figures"]["arms"] == []


def test_what_was_removed_is_in_the_data(built: Path) -> None:
    found = session_of(built, "synthetic-arms")
    assert [item["what"] for item in found["removed"]] == ["sandboxes", "streams", "artifacts"]
    (path,) = (built / "data/artifacts").glob("*synthetic-arms*.json")
    listed = json.loads(path.read_bytes())["artifacts"]
    gone = [item for item in listed if item["removed"]]
    assert gone and all(item["href"] is None and item["refused"] is None and item["sha256"] for item in gone)
    assert {item["refused"] for item in listed if not item["removed"]} == {"larger than 5 MB"}


def test_figures_on_judges_are_published_as_they_were_measured(built: Path) -> None:
    found = sorted((built / "data/judge").glob("*.json"))
    assert [json.loads(path.read_bytes())["kind"] for path in found] == ["accuracy", "calibration"]


def test_csv_and_json_of_a_session_agree(built: Path) -> None:
    path = sorted((built / "data/session").glob("*.json"))[0]
    trials = json.loads(path.read_bytes())["trials"]
    rows = list(csv.DictReader(io.StringIO(path.with_suffix(".csv").read_text())))
    assert [row["case"] for row in rows] == [trial["case"] for trial in trials]
    assert [float(row["correctness"]) for row in rows] == [trial["correctness"] for trial in trials]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_no_text_is_a_formula(text: str) -> None:
    assert data.plain(text) == f"'{text}"


def test_plain_values_stay() -> None:
    assert [data.plain(v) for v in (-1.5, None, "a-b", ("a", "b"))] == [-1.5, None, "a-b", "a,b"]


def test_an_empty_folder_has_valid_files_too(tmp_path: Path) -> None:
    made = {file.path: file.data for file in data.files(Site(load.results(tmp_path)))}
    for kind in ("leaderboard", "sessions", "case-breakdown"):
        assert validator(kind).is_valid(json.loads(made[PLACES[kind]]))
    assert "data/trials.parquet" not in made
