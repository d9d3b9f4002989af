"""Figures that are remembered: under what, and as what they come back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mmbench.report.memo import Memo, remembered
from mmbench.report.stats.effect import Lift
from mmbench.report.store import Store


@dataclass(frozen=True)
class Thing:
    memo: Memo
    identity: str
    worked: list[str]

    @remembered
    def total(self) -> float | None:
        """Return a figure."""
        self.worked.append(self.identity)
        return float(len(self.identity))


def memo(folder: Path, code: str = "code") -> Memo:
    return Memo(Store(folder), "figures", code)


def test_a_figure_is_worked_out_once_for_one_identity(tmp_path: Path) -> None:
    worked: list[str] = []
    first = memo(tmp_path)
    assert [Thing(first, name, worked).total for name in ("a", "bb", "a")] == [1.0, 2.0, 1.0]
    first.keep()
    assert Thing(memo(tmp_path), "bb", worked).total == 2.0
    assert worked == ["a", "bb"]
    assert Thing(memo(tmp_path, "other code"), "bb", worked).total == 2.0
    assert worked == ["a", "bb", "bb"]


def test_only_what_was_asked_for_is_kept(tmp_path: Path) -> None:
    worked: list[str] = []
    for name in ("a", "bb", "a"):
        again = memo(tmp_path)
        assert Thing(again, name, worked).total == len(name)
        again.keep()
    assert worked == ["a", "bb", "a"]


def test_the_class_shows_the_description() -> None:
    assert Thing.total.__doc__ == "Return a figure."


@given(value=st.one_of(st.floats(allow_nan=False), st.integers(-(2**53), 2**53), st.text(), st.none()))
def test_values_come_back_as_they_were(value: Any) -> None:
    found = Memo()
    assert found.of("key", Any, lambda: value) == value
    again = found.of("key", Any, lambda: None)
    assert (again, type(again)) == (value, type(value))


def test_figures_come_back_in_their_type_bit_by_bit() -> None:
    made = Lift(
        0.1 + 0.2, -math.inf, math.inf, 3, 2, 1, 5e-324, None, 1e308, "“n”", 3, (("missing", 1),), True
    )
    found = Memo()
    found.of("key", Lift, lambda: made)
    again = found.of("key", Lift, lambda: None)
    assert again == made
    assert isinstance(again.excluded, tuple) and isinstance(again.excluded[0], tuple)
