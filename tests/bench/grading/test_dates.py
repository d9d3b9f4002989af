import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.grading.dates import read_dates

DAY = dt.date(2024, 1, 15)


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-15", "2024/1/15", "2024.01.15", "20240115", "2024:01:15 10:20:30", "2024-01-15T10:20:30Z",
        "15.01.2024", "15.1.2024", "15/01/2024", "01/15/2024", "15-01-2024", "15 January 2024", "15 Jan 2024",
        "January 15, 2024", "Jan. 15 2024", "15th of January 2024", "Monday, January 15, 2024", "15-Jan-2024",
        " 2024-01-15 00:00:00 ", "20240115_102030", "20240115102030",
    ],
)  # fmt: skip
def test_a_day_however_it_is_written(text: str) -> None:
    assert read_dates(text) == {DAY}


def test_slashes_may_be_read_in_both_orders() -> None:
    assert read_dates("02/03/2024") == {dt.date(2024, 2, 3), dt.date(2024, 3, 2)}


@pytest.mark.parametrize(
    "text", ["", "2024", "2024-13-45", "15.01", "99 Foo 2024", "2024-01/15", "soon", "1" * 99]
)
def test_what_is_no_day(text: str) -> None:
    assert not read_dates(text)


@given(st.text(max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert len(read_dates(text)) <= 2
