"""Correctness of both arms per cell, and the lifts as a forest plot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import altair as alt

from mmbench.report import figures
from mmbench.report.charts.figure import Figure, Value, data, spec
from mmbench.report.charts.theme import DOWN, INK, MUTED, SHAPES, STEP, UP, WIDTH, WITH, WITHOUT
from mmbench.report.tables.arms import BOTH
from mmbench.report.tables.board import Board, Row
from mmbench.report.tables.summary import Summary

ARMS = alt.Scale(domain=list(BOTH), range=[WITHOUT, WITH])
ARM_SHAPES = alt.Scale(domain=list(BOTH), range=["circle", "diamond"])


def label(summary: Summary) -> str:
    """Name a cell on an axis."""
    return f"{summary.cell.agent} · {summary.cell.profile}"


def names(order: Sequence[str], **options: Any) -> alt.Y:
    """Return the axis of row names, in the given order."""
    return alt.Y("name:N", sort=list(order), title=None, scale=alt.Scale(domain=list(order)), **options)


def correctness(board: Board) -> Figure | None:
    """Draw mean correctness of both arms of every cell, references last."""
    summaries = [row.summary for row in (*board.rows, *board.references) if row.summary.lift.pairs]
    if not summaries:
        return None
    rows: list[dict[str, Value]] = []
    for summary in summaries:
        for arm, found in zip(BOTH, (summary.without, summary.with_), strict=True):
            bounds, mean = found.interval, found.mean
            low, high = (bounds.low, bounds.high) if bounds else (mean, mean)
            rows.append({"name": label(summary), "arm": arm, "mean": mean, "low": low, "high": high})
    order = [label(summary) for summary in summaries]
    y = names(order)
    offset = alt.YOffset("arm:N", sort=list(BOTH))
    color = alt.Color("arm:N", scale=ARMS, title=None)
    base = alt.Chart(data(rows))
    x = alt.X("low:Q", scale=alt.Scale(domain=[0, 100]), title="Correctness, points of 100")
    bars = base.mark_rule().encode(x=x, x2="high:Q", y=y, yOffset=offset, color=color)
    dots = base.mark_point().encode(
        x=alt.X("mean:Q"),
        y=y,
        yOffset=offset,
        color=color,
        shape=alt.Shape("arm:N", scale=ARM_SHAPES, title=None),
    )
    chart = alt.layer(bars, dots).properties(width=WIDTH, height=2 * STEP * len(order))
    return Figure(
        id="correctness",
        title=_range(board),
        subtitle="Mean correctness over cases, with its 95 % interval",
        note="Intervals of single arms; to compare arms look at the lift, which is paired.",
        spec=spec(chart),
        marks={"symbol": len(rows), "rule": len(rows)},
        columns=("Cell", "Arm", "Mean", "Low", "High"),
        rows=tuple(tuple(_round(value) for value in row.values()) for row in rows),
    )


def _range(board: Board) -> str:
    """Say what the figure shows; it names no best one, for single arms are not what is ranked."""
    if not board.rows:
        return "Correctness of the reference sessions"
    means = sorted(row.summary.with_.mean or 0.0 for row in board.rows)
    ends = [figures.points(mean) for mean in (means[0], means[-1])]
    if ends[0] == ends[1]:
        return f"With mm, correctness is {ends[0]} of 100 points"
    return f"With mm, correctness runs from {ends[0]} to {ends[1]} of 100 points"


def _round(value: Value) -> Value:
    return round(value, 2) if isinstance(value, float) else value


def forest(board: Board) -> Figure | None:
    """Draw the lift of every cell with its interval."""
    known = [row for row in board.rows if row.summary.lift.point is not None]
    summaries = [row.summary for row in known]
    if not summaries:
        return None
    rows: list[dict[str, Value]] = [_lift_row(summary) for summary in summaries]
    order = [label(summary) for summary in summaries]
    reach = max(10.0, *(abs(float(row[key] or 0)) for row in rows for key in ("low", "high")))
    x = alt.X(
        "low:Q", scale=alt.Scale(domain=[-reach, reach], nice=True), title="Lift, points of correctness"
    )
    base = alt.Chart(data(rows))
    zero = alt.Chart(data([{"zero": 0}])).mark_rule(color=INK, strokeWidth=1).encode(x="zero:Q")
    color = alt.Color(
        "says:N",
        title="The interval",
        scale=alt.Scale(domain=["is above 0", "holds 0", "is below 0"], range=[UP, MUTED, DOWN]),
    )
    shape = alt.Shape(
        "says:N",
        title="The interval",
        scale=alt.Scale(
            domain=["is above 0", "holds 0", "is below 0"], range=[SHAPES[2], SHAPES[0], SHAPES[4]]
        ),
    )
    bars = base.mark_rule().encode(x=x, x2="high:Q", y=names(order), color=color)
    dots = base.mark_point(size=90).encode(x=alt.X("point:Q"), y=names(order), color=color, shape=shape)
    chart = alt.layer(zero, bars, dots).properties(width=WIDTH, height=STEP * 1.3 * len(order))
    return Figure(
        id="forest",
        title=_finding(known),
        subtitle="Lift: correctness with mm minus without, paired by case, with its 95 % interval",
        note="Every scheduled pair counts, whether or not mm was called. Each interval stands by itself; the "
        "leaderboard's verdicts hold it against all cells. A cell without an interval is a dot.",
        spec=spec(chart),
        marks={"symbol": len(rows), "rule": len(rows) + 1},
        columns=("Cell", "Lift", "Low", "High"),
        rows=tuple(
            (row["name"], _round(row["point"]), _round(row["low"]), _round(row["high"])) for row in rows
        ),
    )


def _lift_row(summary: Summary) -> dict[str, Value]:
    lift = summary.lift
    low, high = (lift.low, lift.high) if lift.interval else (lift.point, lift.point)
    says = "holds 0"
    if lift.interval and lift.distinguishable:
        says = "is above 0" if lift.interval.low > 0 else "is below 0"
    return {"name": label(summary), "point": lift.point, "low": low, "high": high, "says": says}


def _finding(rows: Sequence[Row]) -> str:
    """Say what the verdicts say: an interval by itself is no claim while it is not held against all cells."""
    calls = Counter(row.verdict.call for row in rows)
    improved, harmed, of = calls["IMPROVES"], calls["HARMS"], f"{len(rows)} cells"
    if improved and harmed:
        return f"mm improves {improved} and harms {harmed} of {of}"
    if improved or harmed:
        return f"mm improves {improved} of {of}" if improved else f"mm harms {harmed} of {of}"
    clear = sum(row.summary.lift.distinguishable for row in rows)
    if not clear:
        return "For no cell can the lift be told from 0"
    return f"No verdict for or against mm, though {clear} of {len(rows)} intervals leave out 0"
