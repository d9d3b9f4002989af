from decimal import Decimal
from typing import Any

import pytest

from mmbench.bench.grading.cells import Column, Type, forms, is_same


@pytest.mark.parametrize(
    ("kind", "found", "wanted", "same"),
    [
        ("number", "€ 1.234,50", 1234.5, True),
        ("number", 1234.5, "1234.50", True),
        ("number", 0.30000000000000004, 0.3, True),
        ("number", "0.3000001", 0.3, False),
        ("number", "1 234 or 5", 1234, False),
        ("number", True, 1, False),
        ("number", None, 0, False),
        ("date", "15 Jan 2024", "2024-01-15", True),
        ("date", "16 Jan 2024", "2024-01-15", False),
        ("date", "soon", "2024-01-15", False),
        ("file", "photos/a.jpg", "a.jpg", True),
        ("file", "./a.jpg", "photos/a.jpg", True),
        ("file", "data.jpg", "a.jpg", False),
        ("file", "b/a.jpg", "c/a.jpg", False),
        ("boolean", "Yes", True, True),
        ("boolean", "", False, True),
        ("boolean", "maybe", True, False),
        ("text", "  ACME gmbh", "Acme GmbH", True),
        ("text", "Acme GmbH & Co", "Acme GmbH", False),
        ("contains", "Acme GmbH & Co", "Acme GmbH", True),
        ("contains", "Acmes", "Acme", False),
        ("text", 5.0, "5", True),
        ("text", "n/a", None, True),
        ("text", None, None, True),
        ("text", "x", None, False),
        ("text", "b", ["a", "b"], True),
    ],
)
def test_cells_are_compared_by_what_they_mean(kind: Type, found: Any, wanted: Any, same: bool) -> None:
    assert is_same(found, wanted, Column("c", kind)) is same


def test_tolerance_of_numbers_and_of_days() -> None:
    assert is_same("10.5", 10, Column("c", "number", Decimal("0.5")))
    assert not is_same("10.51", 10, Column("c", "number", Decimal("0.5")))
    assert is_same("2024-01-16", "2024-01-15", Column("c", "date", Decimal(1)))


@pytest.mark.parametrize(
    ("kind", "a", "b"),
    [
        ("number", "1.50", 1.5),
        ("date", "15.01.2024", "2024-01-15"),
        ("file", "x/a.jpg", "a.jpg"),
        ("text", "A  b", "a B"),
        ("boolean", "yes", True),
        ("text", "a", ["b", "a"]),
    ],
)
def test_the_same_key_has_a_form_in_common(kind: Type, a: Any, b: Any) -> None:
    assert forms(a, Column("c", kind)) & forms(b, Column("c", kind))
