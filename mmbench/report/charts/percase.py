"""Both arms of every case, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from mmbench.report.charts.cells import ARM_SHAPES, ARMS, names
from mmbench.report.charts.figure import Figure, Value, data, spec
from mmbench.report.charts.theme import DOWN, UP, WIDTH
from mmbench.report.tables.arms import BOTH
from mmbench.report.tables.cases import CaseRow

SHOWN = 60
"""Cases in one figure: those that differ most."""


POINTS = alt.X("mean:Q", scale=alt.Scale(domain=[0, 100]), title="Correctness, points of 100")


def bars(rows: Sequence[tuple[str, float | None, float | None]], y: alt.Y) -> list[alt.Chart]:
    """Return the lines that join both arms of each row, in two colours: for the better and for the worse."""
    made = []
    for color, better in ((UP, True), (DOWN, False)):
        side: list[dict[str, Value]] = [
            {"name": name, "low": low, "high": high}
            for name, low, high in rows
            if ((high or 0) >= (low or 0)) == better
        ]
        chart = alt.Chart(data(side)).mark_rule(strokeWidth=3, color=color)
        made.append(chart.encode(x=alt.X("low:Q"), x2="high:Q", y=y))
    return made


def per_case(rows: Sequence[CaseRow], over: str = "all agents and runs") -> Figure | None:
    """Draw a dumbbell per case, the largest gain first."""
    known = [row for row in rows if row.gain is not None]
    if not known:
        return None
    moved = sorted(known, key=lambda row: (-abs(row.gain or 0), row.case))[:SHOWN]
    moved.sort(key=lambda row: (-(row.gain or 0), row.case))
    dots: list[dict[str, Value]] = [
        {"name": row.case, "arm": arm, "mean": value}
        for row in moved
        for arm, value in zip(BOTH, (row.without, row.with_), strict=True)
    ]
    y = names([row.case for row in moved])
    color = alt.Color("arm:N", scale=ARMS, title=None)
    shape = alt.Shape("arm:N", scale=ARM_SHAPES, title=None)
    points = alt.Chart(data(dots)).mark_point().encode(x=POINTS, y=y, color=color, shape=shape)
    chart = alt.layer(*bars([(row.case, row.without, row.with_) for row in moved], y), points)
    up, down = sum((r.gain or 0) > 0.05 for r in known), sum((r.gain or 0) < -0.05 for r in known)
    left_out = f" The {SHOWN} that differ most of {len(known)}." if len(known) > SHOWN else ""
    return Figure(
        id="per-case",
        title=f"{up} cases gain, {down} lose, {len(known) - up - down} stay",
        subtitle=f"Mean correctness of each case, {BOTH[0]} and {BOTH[1]}, over {over}",
        note=f"Sorted by gain.{left_out}",
        spec=spec(chart.properties(width=WIDTH, height=20 * len(moved))),
        marks={"symbol": len(dots), "rule": len(moved)},
        columns=("Case", *BOTH, "Gain"),
        rows=tuple((row.case, _round(row.without), _round(row.with_), _round(row.gain)) for row in moved),
    )


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
