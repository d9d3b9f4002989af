"""What correctness costs: tokens of both arms, and quality against dollars and seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import altair as alt

from mmbench.report import figures
from mmbench.report.charts.cells import ARM_SHAPES, ARMS, label, names
from mmbench.report.charts.figure import Figure, Value, data, spec
from mmbench.report.charts.theme import LINE, STEP, UP, WIDTH
from mmbench.report.stats.ranking import Offer, pareto_front
from mmbench.report.tables.arms import BOTH
from mmbench.report.tables.board import Board
from mmbench.report.tables.summary import Summary

Datum = dict[str, Value]
Both = tuple[float | None, float | None]


def tokens(board: Board) -> Figure | None:
    """Draw mean tokens of a trial in both arms, the thriftiest cell first."""
    known = [row.summary for row in board.rows if None not in row.summary.tokens]
    if not known:
        return None
    known.sort(key=lambda summary: (summary.tokens[1] or 0, summary.cell))
    rows: list[dict[str, Value]] = [
        {"name": label(summary), "arm": arm, "tokens": value}
        for summary in known
        for arm, value in zip(BOTH, summary.tokens, strict=True)
    ]
    order = [label(summary) for summary in known]
    chart = (
        alt.Chart(data(rows))
        .mark_bar(height={"band": 0.8})
        .encode(
            x=alt.X("tokens:Q", title="Tokens per trial, input and output", axis=alt.Axis(format="~s")),
            y=names(order),
            yOffset=alt.YOffset("arm:N", sort=list(BOTH)),
            color=alt.Color("arm:N", scale=ARMS, title=None),
        )
        .properties(width=WIDTH, height=1.6 * STEP * len(order))
    )
    left_out = len(board.rows) - len(known)
    return Figure(
        id="tokens",
        title=_fewer([summary.usage["tokens@100%"].ratio.point for summary in known]),
        subtitle="Mean tokens of a sound trial, cached input included",
        note=f"Left out, because the agent does not report tokens: {left_out} cells." if left_out else "",
        spec=spec(chart),
        marks={"rect": len(rows)},
        columns=("Cell", "Arm", "Tokens per trial"),
        rows=tuple((row["name"], row["arm"], round(float(row["tokens"] or 0))) for row in rows),
    )


def _fewer(ratios: list[float | None]) -> str:
    known = [ratio for ratio in ratios if ratio is not None]
    fewer = sum(ratio > 1 for ratio in known)
    return f"With mm, {fewer} of {len(known)} cells use fewer tokens"


@dataclass(frozen=True, slots=True)
class Price:
    """What correctness is held against."""

    id: str
    word: str
    unit: str
    note: str
    figure: Callable[[Summary], Both]
    write: Callable[[float | None], str]


COST = Price(
    "cost-quality",
    "cost",
    "Dollars per trial",
    "Only cells whose agent reports a cost.",
    lambda summary: summary.cost,
    figures.money,
)
TIME = Price(
    "time-quality",
    "time",
    "Seconds per trial",
    "A timeout counts with its limit.",
    lambda summary: summary.seconds,
    figures.seconds,
)


def quality(board: Board, price: Price) -> Figure | None:
    """Draw correctness against a price, each cell from without to with, and the line that nothing beats."""
    rows = _priced(board, price)
    if not rows:
        return None
    front = pareto_front(
        Offer(f"{r['name']}, {r['arm']}", _float(r["price"]), _float(r["mean"])) for r in rows
    )
    best = front[-1]
    return Figure(
        id=price.id,
        title=f"Most correct for its {price.word}: {best.name}, at {price.write(best.cost)}",
        subtitle=f"Mean correctness against {price.unit.lower()}; the stepped line joins what no other beats at both",
        note=f"A grey line joins both arms of a cell. {price.note}",
        spec=spec(_scatter(rows, front, price.unit)),
        marks={"symbol": len(rows), "text": len(_labels(rows))},
        columns=("Cell", "Arm", price.unit, "Correctness"),
        rows=tuple(
            (r["name"], r["arm"], round(_float(r["price"]), 4), round(_float(r["mean"]), 2)) for r in rows
        ),
    )


def _priced(board: Board, price: Price) -> list[Datum]:
    rows: list[Datum] = []
    for row in board.rows:
        means = (row.summary.without.mean, row.summary.with_.mean)
        for arm, mean, paid in zip(BOTH, means, price.figure(row.summary), strict=True):
            if mean is not None and paid is not None:
                rows.append({"name": label(row.summary), "arm": arm, "price": paid, "mean": mean})
    return rows


def _scatter(rows: list[Datum], front: list[Offer], unit: str) -> alt.LayerChart | alt.FacetChart:
    line: list[Datum] = [{"price": offer.cost, "mean": offer.quality} for offer in front]
    x = alt.X("price:Q", title=unit, scale=alt.Scale(zero=False, nice=True, padding=20))
    y = alt.Y("mean:Q", title="Correctness, points", scale=alt.Scale(domain=[0, 100]))
    base = alt.Chart(data(rows))
    edge = alt.Chart(data(line)).mark_line(interpolate="step-after", color=UP, strokeWidth=1.5)
    moves = base.mark_line(color=LINE, strokeWidth=2).encode(x=x, y=y, detail="name:N")
    dots = base.mark_point().encode(
        x=x,
        y=y,
        color=alt.Color("arm:N", scale=ARMS, title=None),
        shape=alt.Shape("arm:N", scale=ARM_SHAPES, title=None),
    )
    labels = alt.Chart(data(_labels(rows))).mark_text(align="left", dx=7, dy=-10, fontSize=11, limit=240)
    text = labels.encode(x=x, y=alt.Y("at:Q"), text="name:N")
    return alt.layer(moves, edge.encode(x=x, y=y), dots, text).properties(width=WIDTH, height=_HEIGHT)


_HEIGHT = 320
_APART = 5.0
"""Points of correctness between two labels, so that they do not lie on each other."""


def _labels(rows: list[Datum]) -> list[Datum]:
    """Return the names beside the dots with mm, moved apart from the lowest up."""
    made: list[Datum] = []
    last = -_APART
    for row in sorted((r for r in rows if r["arm"] == "with mm"), key=lambda r: _float(r["mean"])):
        last = max(_float(row["mean"]), last + _APART)
        made.append({"name": row["name"], "price": row["price"], "at": last})
    return made


def _float(value: Value) -> float:
    return float(value or 0)
