"""The data files: valid against their schemas, the same figures as the pages, safe in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

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
    (board,) = json.loads((built / "data/leaderboard.json").read_bytes())["boards"]
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
    assert frame.height == 2 * 32 + 16
    assert frame["agent"].unique().sort().to_list() == ["synthetic-a", "synthetic-b", "synthetic-oracle"]
    assert frame["correctness"].dtype == pl.Float64


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
