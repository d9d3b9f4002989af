from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.grading.numbers import find_numbers, is_near, read_number, to_decimal

VALUE = Decimal("342775.48")


def states(text: str, value: str | float, tolerance: str = "0", *, percent: bool = False) -> bool:
    return any(is_near(t, to_decimal(value), Decimal(tolerance), percent=percent) for t in find_numbers(text))


@pytest.mark.parametrize(
    "text",
    [
        "342775.48", "342,775.48", "The total is 342,775.48.", "342.775,48", "342 775,48", "342\u00a0775.48",
        "342\u202f775,48", "342'775.48", "342’775.48", "3,42,775.48", "$342,775.48", "€342.775,48", "342775.48€",
        "USD 342,775.48", "EUR342,775.48", "342,775.48 EUR", "342,775.48USD", "US$342,775.48", "**342,775.48**",
        "(342,775.48)", "`342775.48`", "total=342775.48", "total:342775.48", "342775.480", "3.4277548e5",
        "3.4277548×10^5", "3.4277548 × 10⁵", "| 342,775.48 |", "３４２７７５.４８", "+342775.48", "~342,775.48",
        "12,342775.48,x", "Total–342,775.48", "a,342775.48", "\"342775.48\"", "[342775.48]", "342775.48;",
    ],
)  # fmt: skip
def test_a_number_is_found_however_it_is_written(text: str) -> None:
    assert states(text, "342775.48")


@pytest.mark.parametrize(
    "text",
    [
        "1342775.489", "1342775.48", "342775.489", "342775.481", "-342775.48", "−342,775.48", "342775", "342775.4",
        "x342775.48", "342775.48x1", "v342775.48", "342775.48.1", "342775.48-1", "1-342775.48", "#342775.48",
        "342775.48/2", "1/342775.48", "342,775,48", "", "nothing", "3427.75.48", "file_342775.48", "342775.48.pdf",
        "342775.48e2", "342775.48×10^2", "34 2775.48",
    ],
)  # fmt: skip
def test_what_is_another_number_or_no_number_is_not_taken_for_it(text: str) -> None:
    assert not states(text, "342775.48")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024-01-15", 15), ("2024-01-15", 2024), ("15.01.2024", 15), ("15/01/2024", 15), ("January 15, 2024", 15),
        ("15 Jan 2024", 15), ("15th of March", 15), ("12:30", 12), ("12:30", 30), ("12:30:45", 45), ("1.2.3", 1),
        ("v1.2", "1.2"), ("version 3", 3), ("INV-2024-0017", 17), ("IMG_2235.jpg", 2235), ("2235.jpg", 2235),
        ("scan12.pdf", 12), ("192.168.0.12", 12), ("+49 30 123456", 30), ("+1 555 123 4567", 555),
        ("(555) 123-4567", 555), ("123-4567", 123), ("page 3/15", 15), ("30-40", 30), ("30–40", 40), ("10²", 10),
        ("007", 7), ("#12", 12), ("A12", 12), ("12ab34", 12), ("2nd", 2), ("1080p", 1080), ("a@12", 12), ("x^2", 2),
        ("1. a\n2. b\n3. c", 2), ("3) x\n4) y", 4), ("550e8400-e29b-41d4-a716-446655440000", 550), ("½", 2),
        ("photos/12", 12), ("12/photos", 12), ("1e5", 1), ("12-A", 12),
    ],
)  # fmt: skip
def test_digits_of_dates_versions_ids_and_the_like_are_not_numbers(text: str, value: float) -> None:
    assert not states(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("−5", -5), ("-5", -5), ("($5)", 5), ("(5)", -5), ("-$5.00", -5), ("$-5", -5), ("= -5 °C", -5), ("- 5", 5),
        ("30s", 30), ("12MB", 12), ("a 15-page paper", 15), ("5 m²", 5), ("5m²", 5), ("-14.2 LUFS", "-14.2"),
        ("0.5", "0.5"), (".5", "0.5"), ("1,234", 1234), ("1,234", "1.234"), ("1.234", 1234), ("28.4,41.8", "41.8"),
        ("1,2,3", 2), ("180.", 180), ("2024,342.50", "342.5"), ("共5张", 5), ("180\nfiles", 180), ("2. That is it", 2),
        ("12,345,678", 12345678), ("1 234 567", 1234567), ("3/4 and 7", 7), ("0", 0), ("٣٤", 34), ("1.2E+03", 1200),
        ("in 2024", 2024), ("5,", 5), ("(12%)", 12), ("9°C", 9), ("$ 7", 7), ("3 x 4", 4), ("12 m/s", 12),
    ],
)  # fmt: skip
def test_signs_units_and_ambiguous_marks(text: str, value: float) -> None:
    assert states(text, value)


def test_ambiguous_marks_have_one_reading_when_both_are_there() -> None:
    assert not states("2,381.12", "381.12")
    assert not states("2.381,12", "381.12")


def test_tolerance_is_inclusive() -> None:
    assert states("about 10.5", 10, "0.5")
    assert not states("about 10.51", 10, "0.5")


def test_percent_only_when_asked() -> None:
    assert states("12.5 %", "12.5")
    assert not states("12.5 %", "0.125")
    assert states("12.5 %", "0.125", percent=True)
    assert states("0.125", "12.5", percent=True)


@pytest.mark.parametrize(
    ("cell", "value"),
    [("€ 381,12", "381.12"), ("1 234", 1234), (" 5 ", 5), ("12.5 kg", "12.5"), ("EUR 5", 5)],
)
def test_a_cell_that_is_one_number(cell: str, value: float) -> None:
    assert to_decimal(value) in read_number(cell)


@pytest.mark.parametrize("cell", ["", "n/a", "5 or 6", "2024-01-15", "1.2.3"])
def test_a_cell_that_is_not_one_number(cell: str) -> None:
    assert not read_number(cell)


STYLES = (",.", ".,", " ,", "\u00a0.", "\u202f,", "'.", "’.", ".")
AROUND = st.sampled_from(
    ["{}", "Total: {}", "({})", "**{}**", "is {}.", "€{}", "{} EUR", "a {}, b", "\n{}\n"]
)


@given(st.integers(1000, 10**9), st.integers(0, 99), st.sampled_from(STYLES), AROUND)
def test_every_grouping_of_a_number_is_that_number_and_its_neighbours_are_not(
    whole: int, cents: int, style: str, around: str
) -> None:
    digits = f"{whole:,}".replace(",", style[0]) if len(style) > 1 else str(whole)
    text = around.format(f"{digits}{style[-1]}{cents:02d}")
    value = Decimal(whole) + Decimal(cents) / 100
    assert states(text, str(value))
    assert not states(text, str(value + Decimal("0.01")))
    assert not states(text, str(value * 10))


@given(st.integers(0, 10**9), st.text(alphabet="0123456789abcXYZ_", min_size=1, max_size=6))
def test_a_number_with_letters_glued_to_it_is_none(value: int, glued: str) -> None:
    assert not states(f"q{glued}{value}", value)
    assert not states(f"{value}_{glued}", value)
    assert not states(f"id-{glued}-{value}", value)


@given(st.text(max_size=300))
def test_any_text_is_scanned_without_an_error(text: str) -> None:
    for token in find_numbers(text):
        assert token.readings
        assert all(reading.is_finite() for reading in token.readings)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30))
def test_every_number_of_a_spaced_or_comma_list_is_counted(values: list[int]) -> None:
    for separator in (", ", "; ", "\n", " and "):
        text = separator.join(map(str, values))
        found = {reading for token in find_numbers(text) for reading in token.readings}
        assert found >= set(map(Decimal, values))


@pytest.mark.parametrize("unit", ["1", "1.", "1'1", "+1 11 ", "v1.", "$ ", "(1", "jan 1", "\n1)", "１"])
def test_a_long_hostile_line_is_scanned_in_one_go(unit: str) -> None:
    """A scan that looked back over the line for every character would take minutes here."""
    text = unit * (100_000 // len(unit))
    assert not states(text, "31.4")
