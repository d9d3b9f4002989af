"""Parquet and the hub folder read back as the tables, with types and an honest card."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest
import yaml
from huggingface_hub import DatasetCard

from mmbench import cli, export, jsontext, ledger
from mmbench.export import TABLES
from mmbench.layout import Project
from mmbench.report.export import hf_files, parquet, parquet_files
from tests.support import synthetic


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("export")
    made = Project(root, root / "results", root / "state")
    synthetic.tree(made.results, synthetic.SMALL, synthetic.write_fast)
    return made


def test_tables_read_back_from_parquet(where: Project) -> None:
    paths = list(ledger.ledgers(where.results))
    files = dict(parquet_files(where, paths))
    for name, rows in export.tables(paths).items():
        frame = pl.read_parquet(io.BytesIO(files[f"{name}.parquet"]))
        assert frame.to_dicts() == rows


def test_columns_keep_their_types_without_a_value() -> None:
    frame = pl.read_parquet(io.BytesIO(parquet([], TABLES["trials"])))
    assert frame.columns == list(TABLES["trials"])
    assert frame.schema["correctness"] == pl.Float64
    assert frame.schema["passed"] == pl.Boolean
    only_none = parquet([dict.fromkeys(TABLES["pairs"])], TABLES["pairs"])
    assert pl.read_parquet(io.BytesIO(only_none)).schema["run"] == pl.Int64


def test_the_hub_folder_has_a_card_that_names_its_files(where: Project, tmp_path: Path) -> None:
    words = ["export", "--format", "hf", "--out", str(tmp_path), "--results", str(where.results)]
    assert cli.main(words) == 0
    card = DatasetCard.load(tmp_path / "README.md")
    configs = {entry["config_name"]: entry["data_files"] for entry in card.data.to_dict()["configs"]}
    assert configs.keys() == TABLES.keys()
    for name, place in configs.items():
        assert pl.read_parquet(tmp_path / place).columns == list(TABLES[name])
    head = (tmp_path / "README.md").read_text().split("---")[1]
    assert yaml.safe_load(head)["license"] == "apache-2.0"
    lines = (tmp_path / "cases.jsonl").read_bytes().splitlines()
    digests = {
        digest
        for path in ledger.ledgers(where.results)
        for digest in ledger.load(path).header["cases"].values()
    }
    assert {jsontext.digest(jsontext.loads(line)) for line in lines} == digests


def test_the_same_results_give_the_same_folder(where: Project) -> None:
    paths = list(ledger.ledgers(where.results))
    assert dict(hf_files(where, paths)) == dict(hf_files(where, paths))
