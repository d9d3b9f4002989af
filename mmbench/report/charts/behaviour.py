"""What trials did: how they ended, which mm commands they called, whether scores drift with time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

import altair as alt

from mmbench.report import figures
from mmbench.report.charts.cells import ARM_SHAPES, ARMS, label, names
from mmbench.report.charts.figure import Figure, Value, data, spec
from mmbench.report.charts.theme import INK, LINE, WIDTH, WITH
from mmbench.report.model import Case
from mmbench.report.stats.drift import position_drift
from mmbench.report.tables.arms import BOTH
from mmbench.report.tables.board import Board
from mmbench.report.tables.endings import COMMANDS
from mmbench.report.tables.progress import PARTS, Progress

GOOD = "passed"


def failures(found: Mapping[str, Counter[str]]) -> Figure | None:
    """Draw how many trials of each arm ended in which way, passed ones left out."""
    total = sum(found.values(), Counter[str]())
    kinds = sorted((kind for kind in total if kind != GOOD), key=lambda kind: (-total[kind], kind))
    if not kinds:
        return None
    rows: list[dict[str, Value]] = [
        {"name": kind, "arm": arm, "trials": found[arm][kind]} for kind in kinds for arm in found
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_bar(height={"band": 0.8})
        .encode(
            x=alt.X("trials:Q", title="Trials", axis=alt.Axis(format="d", tickMinStep=1)),
            y=names(kinds),
            yOffset=alt.YOffset("arm:N", sort=list(found)),
            color=alt.Color("arm:N", scale=ARMS, title=None),
        )
    )
    every, passed = sum(total.values()), total[GOOD]
    return Figure(
        id="failures",
        title=f"{passed} of {every} trials passed; most others ended “{kinds[0]}”",
        subtitle="How the trials that did not pass ended, in each arm",
        note="A failure of the endpoint or the harness is no score; a failure of the agent is.",
        spec=spec(chart.properties(width=WIDTH, height=38 * len(kinds))),
        marks={"rect": len(rows)},
        columns=("Ending", "Arm", "Trials"),
        rows=tuple(tuple(row.values()) for row in rows),
    )


def commands(board: Board, cases: Mapping[str, Case]) -> Figure | None:
    """Draw in what share of the trials that a case expects it each mm command was called."""
    rows: list[dict[str, Value]] = []
    order = []
    for row in board.rows:
        uses = [use for use in row.summary.command_use(cases) if use.share is not None]
        if uses:
            order.append(label(row.summary))
        for use in uses:
            share = use.share or 0.0
            text = f"{share:.0%}"
            rows.append({"name": order[-1], "command": use.command, "share": share, "text": text})
    if not rows:
        return None
    x = alt.X("command:N", sort=list(COMMANDS), title=None, axis=alt.Axis(orient="top", labelAngle=0))
    base = alt.Chart(data(rows))
    cells = base.mark_rect(color=WITH, stroke=LINE).encode(
        x=x,
        y=names(order),
        opacity=alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0, 0.45]), legend=None),
    )
    text = base.mark_text(color=INK).encode(x=x, y=names(order), text="text:N")
    shares = {
        name: fmean(values)
        for name in COMMANDS
        if (values := [float(r["share"] or 0) for r in rows if r["command"] == name])
    }
    most = max(shares, key=lambda name: shares[name])
    least = min(shares, key=lambda name: shares[name])
    return Figure(
        id="commands",
        title=f"Where a case calls for it, mm {most} is used most and mm {least} least",
        subtitle="Share of sound trials with mm that called a command which their case names",
        note="A case names the commands that it exercises; an agent is free to solve it otherwise.",
        spec=spec(alt.layer(cells, text).properties(width=WIDTH, height=30 * len(order))),
        marks={"rect": len(rows), "text": len(rows)},
        columns=("Cell", "Command", "Share"),
        rows=tuple((row["name"], row["command"], round(float(row["share"] or 0), 4)) for row in rows),
    )


def drift(found: Sequence[Progress]) -> Figure | None:
    """Draw mean correctness over the course of some sessions, and say its slope."""
    rows = list(_parts(found))
    if not rows:
        return None
    slope = position_drift(one.course for one in found)
    x = alt.X(
        "part:Q",
        title="Tenth of the session",
        scale=alt.Scale(domain=[1, PARTS]),
        axis=alt.Axis(format="d", tickCount=PARTS, grid=False),
    )
    y = alt.Y("mean:Q", title="Correctness, points", scale=alt.Scale(domain=[0, 100]))
    color = alt.Color("arm:N", scale=ARMS, title=None)
    base = alt.Chart(data(rows))
    lines = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=color)
    dots = base.mark_point().encode(
        x=x, y=y, color=color, shape=alt.Shape("arm:N", scale=ARM_SHAPES, title=None)
    )
    holds = slope.interval is None or 0 in slope.interval
    says = "No drift of scores can be told" if holds else "Scores drift"
    bounds = f" ({figures.interval(slope.low, slope.high)})" if slope.interval else ""
    return Figure(
        id="drift",
        title=f"{says} as a session goes on: {figures.signed(slope.value)} points per 100 trials{bounds}",
        subtitle="Mean correctness by tenth of the schedule, over all sessions of this method",
        note="A drift would point at the machine or the endpoint, since the order is drawn.",
        spec=spec(alt.layer(lines, dots).properties(width=WIDTH, height=200)),
        marks={"symbol": len(rows)},
        columns=("Tenth", "Arm", "Mean", "Trials"),
        rows=tuple(tuple(row.values()) for row in rows),
    )


def _parts(found: Sequence[Progress]) -> Iterator[dict[str, Value]]:
    """Yield the mean of each part and arm that has trials."""
    for part in range(PARTS):
        for arm in sorted(BOTH):
            trials = sum(one.parts[arm][part].trials for one in found)
            if trials:
                mean = math.fsum(one.parts[arm][part].points for one in found) / trials
                yield {"part": part + 1, "arm": arm, "mean": round(mean, 2), "trials": trials}
