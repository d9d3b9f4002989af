"""Ability by dimension: a radar for the glance, and bars that say the same exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from mmbench.report import figures
from mmbench.report.charts.cells import ARM_SHAPES, ARMS, names
from mmbench.report.charts.figure import Figure, Value, data, spec
from mmbench.report.charts.percase import POINTS
from mmbench.report.charts.percase import bars as joined
from mmbench.report.charts.theme import LINE, WIDTH
from mmbench.report.tables.arms import BOTH
from mmbench.report.tables.dimensions import Ability

_RINGS = (25, 50, 75, 100)


def _values(ability: Ability) -> tuple[float, float]:
    return ability.without, ability.with_


def _finding(abilities: Sequence[Ability]) -> str:
    best = max(abilities, key=lambda a: a.with_ - a.without)
    worst = min(abilities, key=lambda a: a.with_ - a.without)
    up, down = best.with_ - best.without, worst.with_ - worst.without
    return (
        f"The gain is highest for {best.value} ({figures.signed(up)} points) and lowest for {worst.value} "
        f"({figures.signed(down)})"
    )


def bars(abilities: Sequence[Ability]) -> Figure | None:
    """Draw a dumbbell for each value of each dimension."""
    if not abilities:
        return None
    order = [_name(ability) for ability in abilities]
    dots: list[dict[str, Value]] = [
        {"name": _name(a), "arm": arm, "mean": value}
        for a in abilities
        for arm, value in zip(BOTH, _values(a), strict=True)
    ]
    points = (
        alt.Chart(data(dots))
        .mark_point()
        .encode(
            x=POINTS,
            y=names(order),
            color=alt.Color("arm:N", scale=ARMS, title=None),
            shape=alt.Shape("arm:N", scale=ARM_SHAPES, title=None),
        )
    )
    lines = joined([(_name(a), a.without, a.with_) for a in abilities], names(order))
    chart = alt.layer(*lines, points)
    return Figure(
        id="ability",
        title=_finding(abilities),
        subtitle="Mean correctness by kind of case, kind of files and difficulty, over all agents",
        note="A case counts once in each dimension; a case over two kinds of files counts in both.",
        spec=spec(chart.properties(width=WIDTH, height=24 * len(order))),
        marks={"symbol": len(dots), "rule": len(abilities)},
        columns=("Dimension", "Value", "Cases", "Without", "With"),
        rows=tuple(
            (a.dimension, a.value, a.cases, round(a.without, 2), round(a.with_, 2)) for a in abilities
        ),
    )


def _name(ability: Ability) -> str:
    return f"{ability.value} ({ability.cases})"


def radar(abilities: Sequence[Ability]) -> Figure | None:
    """Draw the kinds of files and archetypes as a radar; None with fewer than three axes."""
    shown = [a for a in abilities if a.dimension != "difficulty"]
    if len(shown) < 3:
        return None
    around = [*shown, shown[0]]
    corners: list[dict[str, Value]] = [
        {
            "name": ability.value,
            "arm": arm,
            "mean": round(_values(ability)[index], 2),
            "place": place,
            **_at(place, len(shown), _values(ability)[index]),
        }
        for index, arm in enumerate(BOTH)
        for place, ability in enumerate(around)
    ]
    rings: list[dict[str, Value]] = [
        {"ring": ring, "place": place, **_at(place, len(shown), ring)}
        for ring in _RINGS
        for place in range(len(around))
    ]
    labels: list[dict[str, Value]] = [
        {"name": ability.value, **_at(place, len(shown), 118)} for place, ability in enumerate(shown)
    ]
    span = alt.Scale(domain=[-140, 140])
    x, y = alt.X("x:Q", scale=span, axis=None), alt.Y("y:Q", scale=span, axis=None)
    grid = (
        alt.Chart(data(rings))
        .mark_line(color=LINE, strokeWidth=1)
        .encode(x=x, y=y, detail="ring:N", order="place:O")
    )
    color = alt.Color("arm:N", scale=ARMS, title=None)
    base = alt.Chart(data(corners))
    shape = base.mark_line(strokeWidth=2.5).encode(x=x, y=y, color=color, order="place:O")
    dots = base.mark_point(size=45).encode(
        x=x, y=y, color=color, shape=alt.Shape("arm:N", scale=ARM_SHAPES, title=None)
    )
    text = alt.Chart(data(labels)).mark_text().encode(x=x, y=y, text="name:N")
    chart = alt.layer(grid, shape, dots, text).properties(width=360, height=360)
    return Figure(
        id="radar",
        title="Ability at a glance, by kind of case and kind of files",
        subtitle="Mean correctness over all agents; rings at 25, 50, 75 and 100 points",
        note="The figure before this one says the same in numbers.",
        spec=spec(chart),
        marks={"symbol": len(corners), "text": len(labels), "line": 2 + len(_RINGS)},
        columns=("Value", "Without", "With"),
        rows=tuple((a.value, round(a.without, 2), round(a.with_, 2)) for a in shown),
    )


def _at(place: int, of: int, radius: float) -> dict[str, Value]:
    angle = 2 * math.pi * place / of
    return {"x": round(radius * math.sin(angle), 3), "y": round(radius * math.cos(angle), 3)}
