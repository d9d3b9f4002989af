"""The page of the suite: what it says of each case, and that the one in docs/ is of today's suite."""

from __future__ import annotations

from pathlib import Path

from mmbench.bench import suite_page
from mmbench.bench.case_tests import CHEATS
from mmbench.bench.case_tests import Tested as Outcome
from mmbench.bench.plan import DEFAULT_ARMS
from mmbench.case import Suite, load_suite
from tests.bench.test_case_tests import case

ROOT = Path(__file__).resolve().parents[2]
SCORES = {"nop": 0.0, "shotgun": 12.34, "touch": 1.0, "mangle": 66.25}


def rows(page: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]


def test_a_row_holds_what_was_measured_and_says_what_was_not() -> None:
    suite = Suite("s", "d", (case(needs=["speech", "ocr"]),))
    tested = Outcome(suite.cases[0], scores=SCORES, oracle={"without_mm": 100.0, "with_mm": None})
    (row,) = rows(suite_page.page(suite, [tested], DEFAULT_ARMS, "session x"))
    assert row == [
        "`green`", "organization", "doc", "find", "easy", "ocr, speech",
        "100.0", "ungraded", "0.0", "12.3", "1.0", "66.2",
    ]  # fmt: skip


def test_an_arm_without_a_solution_is_told_from_one_that_was_not_run() -> None:
    suite = Suite("s", "d", (case(),))
    tested = [Outcome(suite.cases[0], scores={"nop": 0.0})]
    (row,) = rows(suite_page.page(suite, tested, DEFAULT_ARMS, "session x"))
    assert row[6:] == ["not run", "–", "0.0", "–", "–", "–"]
    page = suite_page.page(suite, tested, DEFAULT_ARMS, None)
    assert rows(page)[0][6:8] == ["not run", "not run"]
    assert "not run for this table" in page


def test_the_page_in_docs_is_of_the_embedded_suite_as_it_is_and_every_case_holds() -> None:
    suite = load_suite(ROOT / "cases", "embedded")
    page = (ROOT / "docs" / "suite.md").read_text(encoding="utf-8")
    fresh = suite_page.page(suite, [Outcome(one) for one in suite.cases], DEFAULT_ARMS, None)
    head, _, behind = page.partition("## Obstacle variants")
    assert behind == fresh.partition("## Obstacle variants")[2]
    found = rows(head)
    assert [row[:6] for row in found] == [row[:6] for row in rows(fresh)[: len(found)]]
    assert len(found) == len(suite.cases)
    for row in found:
        arms, (nop, shotgun, touch, _) = row[6:-4], row[-4:]
        assert set(arms) <= {"100.0", suite_page.NO_SOLUTION}, row
        assert "100.0" in arms, row
        assert float(nop) <= 10
        assert max(float(shotgun), float(touch)) < 35
    assert len(found[0]) == 6 + len(DEFAULT_ARMS) + len(CHEATS)


def test_users_and_what_is_left_out_are_told_where_there_are_any() -> None:
    talk = {
        "question_file": "Q",
        "answer_file": "A",
        "answer": "Yes.",
        "must_ask": [["rate", "kurs"], "year"],
    }
    asking = case(clarification=talk)
    told = suite_page.page(Suite("s", "d", (asking,), ("Cutting: no tool.",)), [], DEFAULT_ARMS, None)
    assert rows(told) == [["`green`", "`Q`", "`A`", "rate or kurs; year"]]
    assert told.endswith("## Left out\n\n- Cutting: no tool.\n")
    silent = suite_page.page(Suite("s", "d", (case(),)), [], DEFAULT_ARMS, None)
    assert "user to ask" not in silent
    assert "Left out" not in silent
