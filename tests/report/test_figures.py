"""How numbers are written."""

from __future__ import annotations

import pytest

from mmbench.report import figures


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (figures.points(None), "–"),
        (figures.points(61.25), "61.2"),
        (figures.points(0.0), "0.0"),
        (figures.number(-0.01), "0.0"),
        (figures.number(-1234.5), "\u22121,234.5"),
        (figures.signed(12.34), "+12.3"),
        (figures.signed(-12.34), "\u221212.3"),
        (figures.signed(0.04), "0.0"),
        (figures.signed(None), "–"),
        (figures.interval(-1.0, 2.0), "\u22121.0 … +2.0"),
        (figures.interval(None, 2.0), ""),
        (figures.times(1.256), "1.26×"),
        (figures.times_interval(0.9, 1.5), "0.90 … 1.50×"),
        (figures.share(0.345), "34 %"),
        (figures.seconds(12.34), "12.3 s"),
        (figures.seconds(125), "2 min 05 s"),
        (figures.seconds(7200), "2.0 h"),
        (figures.count(950), "950"),
        (figures.count(12_345), "12.3 k"),
        (figures.count(999_900), "1,000 k"),
        (figures.count(2_500_000), "2.50 M"),
        (figures.count(340_000), "340 k"),
        (figures.money(0.01234), "$0.0123"),
        (figures.money(0.044), "$0.0440"),
        (figures.money(0), "$0.00"),
        (figures.money(12.3), "$12.30"),
        (figures.size(1_500_000), "1.5 MB"),
        (figures.size(12), "12 B"),
        (figures.day("2026-02-03T04:05:06Z"), "2026-02-03"),
        (figures.minute("2026-02-03T04:05:06Z"), "2026-02-03 04:05 UTC"),
        (figures.sign(0.01), "flat"),
        (figures.sign(-3), "down"),
        (figures.sign(3), "up"),
    ],
)
def test_numbers_are_written(made: str, expected: str) -> None:
    assert made.replace(figures.GAP, " ") == expected
