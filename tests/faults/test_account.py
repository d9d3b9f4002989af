"""The account sees what is lost, doubled and damaged: a table of zeros must mean something."""

from __future__ import annotations

from pathlib import Path

from mmbench.ledger import Ledger
from mmbench.records import TrialKey
from tests.faults.account import Cost, count, explain, reported
from tests.support import sessions

KEYS = sessions.keys(2)
OUTPUT = """
sh-agent × adhoc   1/12  word-1                             without_mm run 1      0.2 s  100.0
sh-agent × adhoc  12/12  word-0                             with_mm    run 3      0.2 s  100.0
Results: results/x.jsonl
"""


def whole(path: Path, *, again: int = 0, done: int = 4) -> Path:
    with Ledger.create(path) as book:
        book.append("session", sessions.header(KEYS, session=path.stem))
        for number in range(done):
            for attempt in range(1, 2 + (number < again)):
                book.append("trial", sessions.trial(KEYS[number], attempt=attempt))
                book.append("checks", sessions.checks(KEYS[number], attempt=attempt))
    return path


def test_what_a_bench_told_is_read_from_its_output() -> None:
    assert reported(OUTPUT) == {TrialKey("word-1", "without_mm", 1), TrialKey("word-0", "with_mm", 3)}


def test_a_whole_session_costs_nothing(tmp_path: Path) -> None:
    cost = count("f", whole(tmp_path / "s1.jsonl"), set(KEYS))
    assert cost == Cost("f", 1, 0, 0, 1)
    assert cost.fine


def test_lost_doubled_and_damaged_are_counted(tmp_path: Path) -> None:
    assert count("f", whole(tmp_path / "a.jsonl", done=3), set(KEYS)) == Cost("f", 1, 1, 0, 0)
    assert count("f", whole(tmp_path / "b.jsonl", again=2), set(KEYS)) == Cost("f", 1, 0, 2, 1)
    damaged = whole(tmp_path / "c.jsonl")
    damaged.write_bytes(damaged.read_bytes().replace(b'"correctness":100.0', b'"correctness":99.0', 1))
    assert count("f", damaged, set(KEYS[:1])) == Cost("f", 1, 1, 0, 0)
    assert count("f", tmp_path / "none.jsonl", set(KEYS)) == Cost("f", 1, 4, 0, 0)


def test_costs_add_up_and_a_wrong_row_is_marked() -> None:
    total = Cost("f", 1, 0, 0, 1) + Cost("f", 1, 1, 0, 1)
    assert (total.tries, total.lost, total.verified, total.fine) == (2, 1, 2, False)
    assert str(total).endswith("<-- WRONG")
    assert "needs root" in str(Cost("f", skipped="it needs root"))


def test_a_session_that_is_not_whole_is_explained(tmp_path: Path) -> None:
    said = explain(whole(tmp_path / "s1.jsonl", done=3), "one\ntwo\n")
    assert "3 completed" in said
    assert f"{KEYS[3]} not tried" in said
    assert "| two" in said
    assert "no results file" in explain(None, "")
