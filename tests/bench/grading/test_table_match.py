import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.grading import CheckFailedToRun
from mmbench.bench.grading.cells import Column
from mmbench.bench.grading.table_match import match_rows
from tests.bench.grading.test_spreadsheet import workbook
from tests.bench.grading.trial import Trial, trial

TRUTH = [
    {"file": "a.pdf", "total": 381.12, "currency": "EUR", "date": "2024-01-15"},
    {"file": "b.jpg", "total": 4647.68, "currency": "USD", "date": "2024-02-01"},
    {"file": "c.png", "total": 12, "currency": "EUR", "date": "2024-03-09"},
    {"file": "d.pdf", "total": 1000, "currency": "CHF", "date": "2024-04-30"},
]
COLUMNS = {
    "file": {"type": "file"},
    "date": {"type": "date"},
    "total": {"aliases": ["amount", "total amount"]},
}


@pytest.fixture
def made(tmp_path: Path) -> Trial:
    return trial(tmp_path, ["a.pdf"])


def score(made: Trial, content: str | bytes, name: str = "x.csv", **more: Any) -> float:
    made.write(name, content)
    return made.score(kind="table_match", path=name, truth=TRUTH, keys=["file"], columns=COLUMNS, **more)


def table(rows: list[dict[str, Any]]) -> str:
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)])


def test_the_truth_is_worth_everything_in_every_format(made: Trial) -> None:
    assert score(made, table(TRUTH)) == 1
    assert score(made, json.dumps(TRUTH), "x.json") == 1
    assert score(made, json.dumps({"invoices": TRUTH}), "y.json") == 1
    assert score(made, "\n".join(map(json.dumps, TRUTH)), "x.jsonl") == 1
    assert score(made, table(TRUTH).replace(",", "\t"), "x.tsv") == 1
    assert score(made, workbook(S=[list(TRUTH[0]), *(list(row.values()) for row in TRUTH)]), "x.xlsx") == 1


def test_order_spelling_and_names_of_columns_do_not_matter(made: Trial) -> None:
    rows = [
        "Invoices of 2024;;;;",
        "Currency;Date;FILE;Total Amount;Note",
        "chf;30.04.2024;./in/d.pdf;CHF 1.000,00;x",
        "EUR;9 March 2024;c.png;12,0;",
        "eur;15/01/2024;a.pdf;381,12;",
        "usd;February 1, 2024;B.JPG;4'647.68;",
    ]
    assert score(made, "\n".join(rows)) == pytest.approx(3 / 4)  # B.JPG is another name than b.jpg
    assert score(made, "\n".join(rows).replace("B.JPG", "b.jpg")) == 1


def test_missing_rows_cost_recall_and_extra_ones_precision(made: Trial) -> None:
    assert score(made, table(TRUTH[:2])) == pytest.approx(2 * 2 / (4 + 2))
    extra = [*TRUTH, *({**TRUTH[0], "file": f"n{n}.pdf"} for n in range(4))]
    assert score(made, table(extra)) == pytest.approx(2 * 4 / (4 + 8))
    assert score(made, table(extra), extra_rows_cost=False) == 1


def test_a_doubled_row_counts_once(made: Trial) -> None:
    assert score(made, table([*TRUTH, *TRUTH])) == pytest.approx(2 * 4 / (4 + 8))


def test_wrong_cells_cost_their_share(made: Trial) -> None:
    wrong = [{**TRUTH[0], "total": 1}, *TRUTH[1:]]
    made.write("x.csv", table(wrong))
    result = made.result(kind="table_match", path="x.csv", truth=TRUTH, keys=["file"], columns=COLUMNS)
    assert result.score == pytest.approx((3 + 2 / 3) / 4)
    assert result.reason == "x.csv has 4 of 4 rows and 0 others; wrong: total of a.pdf."
    heavy = {**COLUMNS, "total": {"weight": 2}}
    weighted = made.result(kind="table_match", path="x.csv", truth=TRUTH, keys=["file"], columns=heavy)
    assert weighted.score == pytest.approx((3 + 2 / 4) / 4)


def test_a_missing_column_costs_its_share(made: Trial) -> None:
    assert score(
        made, table([{"file": row["file"], "total": row["total"]} for row in TRUTH])
    ) == pytest.approx(1 / 3)


def test_order_counts_when_it_is_asked_for(made: Trial) -> None:
    assert score(made, table(TRUTH), ordered=True) == 1
    assert score(made, table(TRUTH[::-1]), ordered=True) == 0.25
    assert score(made, table([TRUTH[1], TRUTH[0], *TRUTH[2:]]), ordered=True) == 0.75


def test_every_pair_of_values_as_a_row_earns_next_to_nothing(made: Trial) -> None:
    rows = [
        {"file": f"{letter}.{ext}", "total": n}
        for letter in "abcd"
        for ext in ("pdf", "jpg", "png")
        for n in range(300)
    ]
    assert score(made, table(rows)) < 0.01


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("vendor,total\nx,1\n", "x.csv has no header with file; its first row is vendor, total."),
        ("", "x.csv has no header with file; its first row is nothing."),
    ],
)
def test_a_table_without_the_key_is_told_so(made: Trial, content: str, reason: str) -> None:
    made.write("x.csv", content or "\n")
    result = made.result(kind="table_match", path="x.csv", truth=TRUTH, keys=["file"])
    assert (result.score, result.reason) == (0, reason)


@pytest.mark.parametrize(
    "content", ["7", '"x"', "[1, 2]", "{}", '[{"file": {"a": 1}}]', "[null]", '[{"file": ["a.pdf"]}]']
)
def test_json_of_another_shape_scores_nothing(made: Trial, content: str) -> None:
    assert score(made, content, "x.json") == 0


def test_keys_of_two_columns(made: Trial) -> None:
    truth = [{"room": "a", "floor": 1, "m2": 10}, {"room": "a", "floor": 2, "m2": 20}]
    made.write("x.csv", "floor,room,m2\n2,a,20\n1,a,10\n")
    assert made.score(kind="table_match", path="x.csv", truth=truth, keys=["room", "floor"]) == 1


def test_a_key_that_the_truth_lacks_is_the_cases_fault(made: Trial) -> None:
    made.write("x.csv", "a\n1\n")
    with pytest.raises(CheckFailedToRun, match="no column"):
        made.score(kind="table_match", path="x.csv", truth=TRUTH, keys=["vendor"])


ROWS = st.lists(st.fixed_dictionaries({"k": st.sampled_from("abcde"), "v": st.integers(0, 3)}), max_size=8)


@given(ROWS, ROWS)
def test_each_row_is_matched_at_most_once(truth: list[dict[str, Any]], found: list[dict[str, Any]]) -> None:
    matches = match_rows(truth, found, [Column("k", "text")], [Column("v", "number")])
    assert len({match.truth for match in matches}) == len({match.found for match in matches}) == len(matches)
    assert all(truth[match.truth]["k"] == found[match.found]["k"] for match in matches)
