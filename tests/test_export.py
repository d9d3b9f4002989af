"""What is exported reads back as what was there."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mmbench import cleanup, cli, export, jsontext, ledger
from mmbench.errors import DataError
from mmbench.export import TABLES, Row
from mmbench.layout import Project
from mmbench.ledger import Ledger
from mmbench.void import void
from tests.support import sessions, synthetic


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("export")
    made = Project(root, root / "results", root / "state")
    synthetic.tree(made.results, synthetic.SMALL, synthetic.write_fast)
    return made


def paths(where: Project) -> list[Path]:
    return list(ledger.ledgers(where.results))


def test_the_document_holds_every_line_with_its_bytes(where: Project) -> None:
    ((name, data),) = export.json_files(where, paths(where))
    document = jsontext.loads(data)
    assert (name, document["format"], len(document["sessions"])) == ("sessions.json", "mmbench-export", 4)
    for session, path in zip(document["sessions"], paths(where), strict=True):
        again = b"".join(jsontext.dumps(line).encode() + b"\n" for line in session["lines"])
        assert again == path.read_bytes()
        assert session["head"] == ledger.load(path).head
        assert all(session["cases"].values())


def test_the_document_tells_what_the_lines_do_not(tmp_path: Path) -> None:
    where = Project(tmp_path, tmp_path / "results", tmp_path / "state")
    sessions.write(where.ledger("s1"), sessions.keys(), done=3)
    void(where, "s1", why="noise", case="case-0")
    removal = {"session": "s1", "what": "streams", "files": 2, "bytes": 9, "result": "removed", "error": None}
    with cleanup.writer(where.results, "s1", lambda: sessions.AT) as book:
        book.append(cleanup.RECORD, removal)
    (found,) = export.document(where, [where.ledger("s1")])["sessions"]
    assert found["cleaned"] == [{"at": sessions.AT, **removal}]
    assert found["figures"]["voided"] == 2
    assert [pair["reasons"] for pair in found["pairs"]] == [["voided"], ["missing"]]
    assert "the session is not finished" in found["warnings"]
    assert "the sandbox did not hide the files of the machine" in found["warnings"]
    assert found["cases"] == {"case-0": None, "case-1": None}


def read_back(data: bytes, columns: Mapping[str, type]) -> list[Row]:
    """Read a CSV file as typed rows; an empty text and an unknown one are the same there."""
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    return [{name: _value(row[name], kind) for name, kind in columns.items()} for row in rows]


def _value(text: str, kind: type) -> Any:
    if text == "":
        return None
    if kind is bool:
        return text == "True"
    return kind(text[1:] if kind is str and text.startswith("'") else text)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_reads_back_from_csv(where: Project, name: str) -> None:
    rows = export.tables(paths(where))[name]
    assert rows
    assert all(list(row) == list(TABLES[name]) for row in rows)
    again = read_back(export.csv_bytes(rows, TABLES[name]), TABLES[name])
    assert again == [{key: None if value == "" else value for key, value in row.items()} for row in rows]


def test_no_cell_is_a_formula() -> None:
    row = {"session": "=1+1", "case": "-x", "run": 1, "sound": True, "reasons": "@y"}
    text = export.csv_bytes([row], TABLES["pairs"]).decode()
    assert text.splitlines()[1] == "'=1+1,'-x,1,True,'@y"


def test_every_attempt_is_a_row_and_the_newest_is_marked(tmp_path: Path) -> None:
    key, *others = sessions.keys(1)
    with Ledger.create(tmp_path / "s1.jsonl") as book:
        book.append("session", sessions.header([key, *others]))
        book.append("trial", sessions.trial(key, status="infra_error"))
        book.append("trial", sessions.trial(key, attempt=2))
        book.append("checks", sessions.checks(key, attempt=2, score=0.5))
    rows = export.tables([tmp_path / "s1.jsonl"])["trials"]
    assert [(r["arm"], r["attempt"], r["newest"], r["correctness"], r["state"]) for r in rows] == [
        ("without_mm", 1, False, None, "completed"),
        ("without_mm", 2, True, 50.0, "completed"),
        ("with_mm", None, True, None, "queued"),
    ]


def test_the_command_writes_files(where: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for form, count in (("json", 1), ("csv", 3)):
        out = tmp_path / form
        words = ["export", "--format", form, "--out", str(out), "--results", str(where.results)]
        assert cli.main(words) == 0
        assert len(list(out.iterdir())) == count
    assert "3 files written" in capsys.readouterr().out


def test_nothing_to_write_is_said(where: Project, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing to export"):
        export.write(iter(()), tmp_path)


def test_no_results_file_can_have_anything_written_elsewhere(tmp_path: Path) -> None:
    for name in ("../out.json", "a/../../out.json", str(tmp_path / "out.json")):
        with pytest.raises(DataError, match="out of the folder"):
            export.write(iter([(name, b"{}")]), tmp_path / "export")
    assert not (tmp_path / "out.json").exists()
