"""`validate` names file, line, pointer and reason of every fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmbench import validation
from mmbench.layout import Project, project
from tests.support import sessions


@pytest.fixture
def where(tmp_path: Path) -> Project:
    real = project()
    (tmp_path / "cases").mkdir()
    return Project(root=tmp_path, results=tmp_path / "results", state=real.state)


def write(where: Project, name: str = "s1", done: int = 2) -> Path:
    path = where.ledger(name)
    sessions.write(path, sessions.keys(), done)
    return path


def test_the_project_itself_is_valid() -> None:
    found = validation.validate(project())
    assert [str(fault) for fault in found.faults] == []
    assert found.cases >= 8


def test_a_valid_ledger_has_no_fault(where: Project) -> None:
    write(where)
    found = validation.validate(where)
    assert (found.ledgers, found.lines, found.faults) == (1, 5, [])


def test_a_schema_fault_is_named_with_line_and_pointer(where: Project) -> None:
    path = write(where)
    lines = path.read_bytes().split(b"\n")
    value = json.loads(lines[1])
    value["outcome"]["parse"] = "perhaps"
    lines[1] = json.dumps(value).encode()
    path.write_bytes(b"\n".join(lines))
    faults = [str(fault) for fault in validation.validate(where).faults]
    assert any(
        fault.startswith("results/s1.jsonl:2: /outcome/parse: 'perhaps' is not one of") for fault in faults
    )


def test_a_broken_chain_is_named(where: Project) -> None:
    path = write(where)
    path.write_bytes(path.read_bytes().replace(b'"text":"answer"', b'"text":"Answer"', 1))
    (fault,) = validation.validate(where).faults
    assert (fault.line, fault.reason) == (3, "prev is not the hash of the line before")


def test_a_torn_line_and_a_line_that_is_no_json_are_named(where: Project) -> None:
    path = write(where)
    path.write_bytes(path.read_bytes() + b'{"kind":"tr')
    assert [fault.line for fault in validation.validate(where).faults] == [6]
    path.write_bytes(path.read_bytes() + b"\n")
    assert "not a JSON object" in str(validation.validate(where).faults[0])


def test_a_record_that_fits_no_order_is_named(where: Project) -> None:
    path = write(where, done=0)
    from mmbench.ledger import Ledger

    book, _ = Ledger.open(path)
    with book:
        book.append("checks", sessions.checks(sessions.keys()[0]))
    (fault,) = validation.validate(where).faults
    assert fault.line == 2 and "attempt 1, which is not there" in fault.reason


def test_a_stored_case_must_be_what_its_name_says(where: Project) -> None:
    folder = where.results / "cases"
    folder.mkdir(parents=True)
    (folder / f"{'0' * 64}.json").write_text("{}", encoding="utf-8")
    (fault,) = validation.validate(where).faults
    assert "does not have the hash" in fault.reason


def test_every_case_fault_is_listed_not_only_the_first(where: Project) -> None:
    from tests.test_case import DOCUMENT

    suite = where.cases / "suite"
    suite.mkdir()
    bad = [DOCUMENT | {"difficulty": "brutal"}, DOCUMENT, DOCUMENT | {"id": "B"}]
    (suite / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in bad), encoding="utf-8")
    found = [(fault.file, fault.line, fault.pointer) for fault in validation.validate(where).faults]
    assert ("cases.jsonl", 1, "/difficulty") in found
    assert ("cases.jsonl", 2, "/id") in found
    assert ("cases.jsonl", 3, "/id") in found
