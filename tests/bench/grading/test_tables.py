import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.grading.malformed import Malformed
from mmbench.bench.grading.tables import decode, parse, records

ROWS = [["file", "total"], ["a.pdf", "1,5"], ["ü b.pdf", "2"]]


@pytest.mark.parametrize(
    "text",
    [
        'file,total\na.pdf,"1,5"\nü b.pdf,2\n',
        "file;total\na.pdf;1,5\nü b.pdf;2",
        "file\ttotal\r\na.pdf\t1,5\r\nü b.pdf\t2\r\n",
        "file|total\n\na.pdf|1,5\n  \nü b.pdf|2\n\n\n",
        'sep=;\nfile;total\na.pdf;"1,5"\nü b.pdf;2\n',
        '"file", "total"\n"a.pdf", "1,5"\n"ü b.pdf", "2"',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_a_table_in_any_dialect_and_encoding(text: str, encoding: str) -> None:
    assert parse(text.encode(encoding), "x.csv").rows == ROWS


def test_a_cell_may_span_lines() -> None:
    assert parse(b'a,b\n"x\ny",2\n', "x.csv").rows == [["a", "b"], ["x\ny", "2"]]


def test_a_single_column_with_commas_nowhere() -> None:
    assert parse(b"name\nalpha\nbeta\n", "x.csv").rows == [["name"], ["alpha"], ["beta"]]


def test_tsv_keeps_commas() -> None:
    assert parse(b"a,b\tc\n1,2\t3\n", "x.tsv").rows == [["a,b", "c"], ["1,2", "3"]]


def test_json_lines_split_on_newlines_only() -> None:
    data = '{"a": "x\u2028y"}\n\n{"a": "\u0085"}\n'.encode()
    assert parse(data, "x.jsonl").value == [{"a": "x\u2028y"}, {"a": "\u0085"}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1,]",
        "NaN",
        "[Infinity]",
        '{"a": 1e999}',
        '{"a": 1, "a": 2}',
        "[" * 100_000,
        "{'a': 1}",
        "1" * 5000,
        "[] x",
    ],
)
def test_what_is_not_strict_json_is_malformed(text: str) -> None:
    with pytest.raises(Malformed, match="not JSON"):
        parse(text.encode(), "x.json")


def test_json_nested_beyond_reason_is_malformed() -> None:
    with pytest.raises(Malformed, match="nested"):
        list(parse(("[" * 500 + "]" * 500).encode(), "x.json").leaves())


def test_binary_is_not_text() -> None:
    with pytest.raises(Malformed, match="binary"):
        parse(b"\x89PNG\0\0", "x.csv")


def test_a_field_without_end_is_malformed() -> None:
    with pytest.raises(Malformed, match="not a table"):
        parse(b'a,b\n"' + b"x" * 300_000, "x.csv")


def test_leaves_are_cells_keys_and_scalars() -> None:
    assert list(parse(b'{"a.jpg": [1, "x", null]}', "x.json").leaves()) == ["a.jpg", 1, "x", None]
    assert list(parse(b"a,b\n1,2", "x.csv").leaves()) == ["a", "b", "1", "2"]
    assert list(parse(b"# T\n", "x.md").leaves()) == ["# T\n"]


@pytest.mark.parametrize(
    ("value", "count"),
    [([1, 2], 2), ({"rows": [1, 2, 3]}, 3), ({"a": {"x": 1}, "b": {"x": 2}}, 2), ({"n": 5, "rows": []}, 0)],
)
def test_records_of_json(value: object, count: int) -> None:
    assert len(records(value)) == count


@pytest.mark.parametrize("value", [1, "x", None, {}, {"a": 1}, {"a": [1], "b": [2]}])
def test_what_holds_no_records(value: object) -> None:
    with pytest.raises(Malformed):
        records(value)


@given(st.binary(max_size=400), st.sampled_from(["csv", "tsv", "json", "jsonl", "text", "xlsx"]))
def test_any_bytes_are_parsed_or_malformed(data: bytes, form: str) -> None:
    try:
        document = parse(data, "x", form)
    except Malformed as fault:
        assert str(fault)
    else:
        json.dumps([document.rows, document.value, document.text])


@given(
    st.lists(
        st.lists(
            st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1), min_size=2, max_size=2
        ),
        min_size=1,
    )
)
def test_plain_cells_come_back(rows: list[list[str]]) -> None:
    assert parse("\n".join(",".join(row) for row in rows).encode(), "x.csv").rows == rows


def test_utf8_is_tried_before_windows_1252() -> None:
    assert decode("ü".encode()) == "ü"
    assert decode(b"\xfc") == "ü"
