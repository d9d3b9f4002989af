"""Reading a results folder: what is kept, what stops it, what is only a warning."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mmbench import jsontext, ledger, records
from mmbench.errors import DataError, UsageError
from mmbench.report import load
from tests.support import synthetic
from tests.support.synthetic import Plan


def first(folder: Path) -> Path:
    return sorted(folder.glob("*.jsonl"))[0]


def test_the_fold_says_the_same_as_the_contract(tmp_path: Path) -> None:
    plan = Plan("synthetic-x", runs=3, cases=9, infra=0.3, timeouts=0.2, void_run=2, missing_verdicts=3)
    for made in (plan, Plan("synthetic-y", judge=False, cut=11, infra=0.2)):
        synthetic.write_fast(tmp_path, made)
    for session in load.results(tmp_path).sessions:
        contract = ledger.load(session.path)
        assert session.head == contract.head
        assert session.states() == contract.states()
        for ours, theirs in zip(session.trials, contract.trials.values(), strict=True):
            assert (ours.key, ours.position, ours.voided) == (theirs.key, theirs.position, theirs.voided)
            assert ours.state == records.state(contract, theirs)
            assert ours.attempts == len(theirs.attempts)
            assert ours.correctness == (theirs.last.correctness if theirs.last else None)


def test_sessions_come_oldest_first_with_their_cases(small: Path) -> None:
    found = load.results(small)
    assert [session.cell.agent for session in found.sessions] == [
        "synthetic-arms-of-a-long-name",
        "synthetic-a",
        "synthetic-b",
        "synthetic-oracle",
    ]
    assert len(found.cases) == 8
    assert found.warnings == ()


def test_a_missing_folder_is_an_empty_one(tmp_path: Path) -> None:
    assert load.results(tmp_path / "nowhere").sessions == ()


def test_a_torn_tail_is_a_warning(small: Path) -> None:
    before = load.results(small)
    with first(small).open("ab") as stream:
        stream.write(b'{"kind":"trial","v":1,')
    after = load.results(small)
    assert after.sessions == before.sessions
    assert after.warnings == (f"{first(small).name} ends in a torn line of 22 bytes, which is left out.",)


def test_a_file_without_a_whole_line_is_a_warning(small: Path) -> None:
    (small / "zz.jsonl").write_bytes(b'{"kind":"ses')
    found = load.results(small)
    assert len(found.sessions) == 4
    assert found.warnings == ("zz.jsonl holds no complete line; it is left out.",)


def test_an_identical_copy_counts_once(small: Path) -> None:
    shutil.copy(first(small), small / "copy.jsonl")
    found = load.results(small)
    assert len(found.sessions) == 4
    assert len(found.warnings) == 1
    assert "copy.jsonl" in found.warnings[0]


def test_a_differing_copy_stops(small: Path) -> None:
    lines = first(small).read_bytes().split(b"\n")
    (small / "copy.jsonl").write_bytes(b"\n".join([*lines[:-2], b""]))
    with pytest.raises(DataError, match=r"copy\.jsonl.* are different files of one session") as caught:
        load.results(small)
    assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    ("line", "change", "reason"),
    [
        (3, lambda raw: raw.replace(b'"exit_code":0', b'"exit_code":7', 1), None),
        (3, lambda raw: b"", "not a JSON object"),
        (3, lambda raw: b"<<<<<<< HEAD", "git merge marker"),
        (3, lambda raw: raw[:40], "not a JSON object"),
        (3, lambda raw: b"[1]", None),
        (3, lambda raw: b'{"kind":"checks"}', "missing required field"),
        (0, lambda raw: raw.replace(b'"v":1', b'"v":2', 1), "record version 2 is newer than 1"),
        (0, lambda raw: raw.replace(b'"session":"', b'"session":"../', 1), "matching regex"),
        (5, lambda raw: raw.replace(b'"seq":5', b'"seq":6', 1), "seq is 6, expected 5"),
        (5, lambda raw: raw.replace(b'"duration_s":', b'"duration_s":NaN,"x":', 1), "not a JSON object"),
    ],
)
def test_a_damaged_line_is_named(small: Path, line: int, change, reason: str | None) -> None:
    path = first(small)
    lines = path.read_bytes().split(b"\n")
    if line == 3:
        line = next(n for n, raw in enumerate(lines) if n > 1 and b'"exit_code":0' in raw)
    lines[line] = change(lines[line])
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(DataError) as caught:
        load.results(small)
    expected = line + 2 if reason is None and lines[line] != b"[1]" else line + 1
    assert caught.value.where == f"{path.parent.name}/{path.name}:{expected}"
    assert (reason or "") in caught.value.what


def rechain(path: Path, change) -> None:
    """Rewrite a ledger's lines with a chain that holds."""
    values = [jsontext.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    prev = None
    with path.open("wb") as file:
        for seq, value in enumerate(change(values)):
            data = jsontext.dumps(value | {"seq": seq, "prev": prev}).encode()
            prev = jsontext.sha256(data)
            file.write(data + b"\n")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda v: v[1:], "first line is not of kind 'session'"),
        (lambda v: [v[0], *v], "second line of kind 'session'"),
        (lambda v: [v[0], v[1] | {"attempt": 2}], "attempt 2 where 1 is due"),
        (lambda v: [v[0], v[1] | {"case": "other"}], "other/.* is not in the schedule"),
        (lambda v: [v[0], v[2]], "attempt 1, which is not there"),
    ],
)
def test_a_line_that_does_not_fit_is_named(small: Path, change, reason: str) -> None:
    rechain(first(small), change)
    with pytest.raises(DataError, match=reason):
        load.results(small)


def test_a_void_of_nothing_is_named(small: Path) -> None:
    void = {"kind": "void", "v": 1, "at": "2026-01-01T00:00:00Z", "run": 99, "case": None, "arm": None}
    rechain(first(small), lambda values: [*values, void | {"why": "no reason"}])
    with pytest.raises(DataError, match="voids nothing"):
        load.results(small)


def test_a_case_must_be_what_its_name_says(small: Path) -> None:
    path = sorted((small / "cases").iterdir())[0]
    path.write_bytes(path.read_bytes().replace(b"synthetic", b"different", 1))
    with pytest.raises(DataError, match="is not what its name says"):
        load.results(small)


def test_a_case_that_was_not_kept_is_a_warning(small: Path) -> None:
    sorted((small / "cases").iterdir())[0].unlink()
    found = load.results(small)
    assert len(found.cases) == 7
    assert "does not hold the content of" in found.warnings[0]


def test_only_chosen_sessions_are_kept(small: Path) -> None:
    chosen = load.results(small).sessions[1].id
    assert [session.id for session in load.results(small, [chosen]).sessions] == [chosen]
    with pytest.raises(UsageError, match="Did you mean"):
        load.results(small, [chosen + "x"])
