import json
import os
from pathlib import Path

import pytest

from tests.bench.grading.test_spreadsheet import workbook
from tests.bench.grading.trial import Trial, trial

CSV = "file,total,currency\nscan.pdf,381.12,EUR\nIMG_2235.jpg,4647.68,USD\n"
JSON = json.dumps(
    {"invoice_no": "123100401", "customer": "Musterkunde AG", "total": 381.12, "lines": [{"q": 1}, {"q": 2}]}
)


@pytest.fixture
def made(tmp_path: Path) -> Trial:
    return trial(tmp_path, {"old.csv": CSV})


def test_artifact_exists(made: Trial) -> None:
    for path, content in [
        ("x.csv", CSV),
        ("x.json", JSON),
        ("x.jsonl", JSON),
        ("x.md", "# T"),
        ("x.bin", b"\0\1"),
    ]:
        made.write(path, content)
        assert made.score(kind="artifact_exists", path=path) == 1
    made.write("x.xlsx", workbook(S=[["a"], [1]]))
    assert made.score(kind="artifact_exists", path="x.xlsx") == 1


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.jsonl", "x.xlsx", "x.txt", "x.png"])
def test_an_empty_artifact_earns_nothing_from_any_check(made: Trial, name: str) -> None:
    made.write(name, "")
    checks = [
        {"kind": "artifact_exists", "path": name},
        {"kind": "artifact_contains", "path": name, "value": "x"},
        {"kind": "artifact_row_count", "path": name, "count": 2},
    ]
    assert made.share(checks) == 0


@pytest.mark.parametrize("content", [" \n\n", "\ufeff", ",,,\n,,"])
def test_a_blank_artifact_holds_no_data(made: Trial, content: str) -> None:
    made.write("x.csv", content)
    assert made.result(kind="artifact_exists", path="x.csv").reason == "x.csv holds no data."


def test_an_untouched_original_is_not_an_artifact(made: Trial) -> None:
    result = made.result(kind="artifact_exists", path="old.csv")
    assert (result.score, result.reason) == (0, "old.csv is as it was at the start.")
    made.write("old.csv", CSV + "new.pdf,1,EUR\n")
    assert made.score(kind="artifact_exists", path="old.csv") == 1


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("x.json", "{'a': 1}", "x.json is malformed: it is not JSON"),
        ("x.json", "[" * 100_000, "x.json is malformed: it is not JSON"),
        ("x.xlsx", CSV, "x.xlsx is malformed: it is not an Office file"),
        ("x.csv", b"\x00\x01\x02", "x.csv is malformed: it is binary"),
        ("x.csv", b'"' + b"y" * 400_000, "x.csv is malformed: it is not a table"),
    ],
)
def test_a_malformed_artifact_fails_with_the_reason(
    made: Trial, path: str, content: str | bytes, reason: str
) -> None:
    made.write(path, content)
    for kind, more in (
        ("artifact_exists", {}),
        ("artifact_contains", {"value": 1}),
        ("artifact_row_count", {"count": 1}),
    ):
        result = made.result(kind=kind, path=path, **more)
        assert result.score == 0
        assert result.reason.startswith(reason)


def test_what_is_no_file_fails_with_the_reason(made: Trial) -> None:
    os.mkfifo(made.tree / "pipe.csv")
    (made.tree / "null.csv").symlink_to("/dev/zero")
    (made.tree / "link.csv").symlink_to("../reference/old.csv")
    (made.tree / "folder.csv").mkdir()
    with made.write("hole.csv").open("wb") as file:
        file.truncate(5 << 30)
    reasons = {
        "pipe.csv": "pipe.csv is a special file, not a file.",
        "null.csv": "null.csv is a symbolic link, not a file.",
        "link.csv": "link.csv is a symbolic link, not a file.",
        "folder.csv": "folder.csv is a folder, not a file.",
        "hole.csv": "hole.csv has 5,368,709,120 bytes, over the limit of 33,554,432.",
        "none.csv": "none.csv was not written.",
    }
    for path, reason in reasons.items():
        result = made.result(kind="artifact_contains", path=path, value=1)
        assert result.score == 0
        assert result.reason == reason


def test_artifact_contains_compares_numbers_as_numbers(made: Trial) -> None:
    made.write("x.csv", 'file,total\na,"€ 342,775.48"\nb,1342775.489\n')
    assert made.score(kind="artifact_contains", path="x.csv", value="342775.48") == 1
    assert made.score(kind="artifact_contains", path="x.csv", value=342775.48) == 1
    assert made.score(kind="artifact_contains", path="x.csv", value="775.48") == 0
    assert made.score(kind="artifact_contains", path="x.csv", value=342775, tolerance=1) == 1


def test_artifact_contains_in_json_text_and_workbook(made: Trial) -> None:
    made.write("x.json", JSON)
    made.write("x.md", "# Report\n\nTotal: **381.12** EUR for Musterkunde AG, no 123100401\n")
    made.write("x.xlsx", workbook(S=[["customer", "total", "no"], ["Musterkunde AG", 381.12, 123100401]]))
    for path in ("x.json", "x.md", "x.xlsx"):
        check = {"kind": "artifact_contains", "path": path}
        assert made.scores(
            {**check, "all_of": ["Musterkunde", "381.12", "123100401"]},
            {**check, "all_of": ["Muster", "381.12", "381.1", "23100401"]},
            {**check, "value": "381.12", "none_of": ["musterkunde ag"]},
        ) == [1, 0.25, 0]


def test_a_column_or_pointer_narrows_where_to_look(made: Trial) -> None:
    made.write("x.csv", CSV)
    made.write("x.json", JSON)
    check = {"kind": "artifact_contains", "path": "x.csv", "value": "EUR"}
    assert made.share([{**check, "column": "Currency"}]) == 1
    assert made.share([{**check, "column": "file"}]) == 0
    assert made.results([{**check, "column": "vendor"}])[0].reason == "The file has no column 'vendor'."
    pointed = {"kind": "artifact_contains", "path": "x.json", "value": 381.12}
    assert made.share([{**pointed, "pointer": "/total"}]) == 1
    assert made.share([{**pointed, "pointer": "/lines"}]) == 0
    assert made.share([{**pointed, "pointer": "/lines/7"}]) == 0


def test_a_column_of_json_records(made: Trial) -> None:
    made.write("x.json", json.dumps([{"File": "a", "n": 1}, {"file": "b", "n": 2}]))
    assert made.score(kind="artifact_contains", path="x.json", column="file", all_of=["a", "b"]) == 1
    assert made.score(kind="artifact_contains", path="x.json", column="file", value=2) == 0


def test_an_artifact_with_every_number_earns_nothing(made: Trial) -> None:
    made.write("x.csv", "n\n" + "\n".join(map(str, range(100_000))))
    made.write("x.txt", " ".join(map(str, range(100_000))))
    assert made.score(kind="artifact_contains", path="x.csv", value=381) == 0
    assert made.score(kind="artifact_contains", path="x.txt", value=381) == 0
    assert made.score(kind="artifact_row_count", path="x.csv", count=2) == 0


@pytest.mark.parametrize(
    ("path", "content", "count"),
    [
        ("x.csv", CSV, 2),
        ("x.json", JSON, 2),
        ("x.jsonl", "1\n2\n", 2),
        ("x.txt", "a\n\nb\n", 2),
        ("y.csv", CSV + ",,\n\n", 2),
    ],
)
def test_artifact_row_count(made: Trial, path: str, content: str, count: int) -> None:
    made.write(path, content)
    assert made.score(kind="artifact_row_count", path=path, count=count) == 1
    assert made.score(kind="artifact_row_count", path=path, count=count + 2) == 0.5
    assert made.score(kind="artifact_row_count", path=path, count=count + 2, exact=True) == 0
    assert made.score(kind="artifact_row_count", path=path, count=count + 2, tolerance=2) == 1
    assert made.score(kind="artifact_row_count", path=path, count=1) == 0


def test_row_count_without_header_by_sheet_and_by_pointer(made: Trial) -> None:
    made.write("x.csv", CSV)
    made.write("x.xlsx", workbook(A=[["h"], [1]], B=[["h"], [1], [2], [3]]))
    made.write("x.json", json.dumps({"a": [1], "b": {"c": [1, 2, 3]}}))
    check = {"kind": "artifact_row_count"}
    assert made.scores(
        {**check, "path": "x.csv", "count": 3, "header": False},
        {**check, "path": "x.xlsx", "count": 1},
        {**check, "path": "x.xlsx", "sheet": "B", "count": 3},
        {**check, "path": "x.json", "pointer": "/b/c", "count": 3},
    ) == [1, 1, 1, 1]


def test_a_large_artifact_goes_through_the_parser_process_and_comes_out_the_same(made: Trial) -> None:
    rows = "\n".join(f"f{n}.pdf,{n}.5,EUR" for n in range(15_000))
    made.write("x.csv", "file,total,currency\n" + rows)
    assert made.score(kind="artifact_row_count", path="x.csv", count=15_000) == 1
    assert made.score(kind="artifact_contains", path="x.csv", column="total", value="14999.5") == 1
