"""Correctness and lift from session to session, with what changed in between."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import altair as alt

from mmbench.report import figures
from mmbench.report.charts.cells import ARM_SHAPES, ARMS
from mmbench.report.charts.figure import Figure, Value, data, spec
from mmbench.report.charts.theme import MUTED
from mmbench.report.stats.trend import Point, Step, steps
from mmbench.report.tables.summary import Summary

PANELS = 8
"""Cells in one figure."""
PANEL = 300
"""Pixels of one cell's panel."""


def changes(summaries: Sequence[Summary]) -> list[tuple[str, str]]:
    """Return (time, what changed) between the sessions of one cell, oldest first."""
    found = []
    for before, after in pairwise(summaries):
        old, new = before.subject, after.subject
        what = []
        if old.mm.version != new.mm.version:
            what.append(f"mm {new.mm.version}")
        if (old.agent.version, old.agent.model) != (new.agent.version, new.agent.model):
            what.append(f"agent {new.agent.version or '?'}")
        if old.profile.model != new.profile.model:
            what.append("backend")
        if before.method != after.method:
            what.append("method")
        if what:
            found.append((after.newest.started, ", ".join(what)))
    return found


def level_steps(summaries: Sequence[Summary]) -> list[tuple[str, Step]]:
    """Return (time, step) of correctness with mm, within each stretch of one method."""
    found: list[tuple[str, Step]] = []
    stretch: list[Summary] = []
    for summary in [*summaries, None]:
        if stretch and (summary is None or summary.method != stretch[-1].method):
            points = [Point(s.with_.mean) for s in stretch if s.with_.mean is not None]
            if len(points) == len(stretch):
                found += [(stretch[step.index].newest.started, step) for step in steps(points)]
            stretch = []
        if summary is not None:
            stretch.append(summary)
    return found


def trend(cells: Sequence[Sequence[Summary]], id: str = "trend") -> Figure | None:
    """Draw one panel for each cell with two sessions or more; sessions oldest first, one summary each."""
    shown = [[s for s in cell if s.lift.pairs] for cell in cells]
    shown = [cell for cell in shown if len(cell) > 1][:PANELS]
    if not shown:
        return None
    panels, points, rules = [], 0, 0
    rows: list[tuple[Value, ...]] = []
    for cell in shown:
        panels.append(_panel(cell))
        points += 2 * len(cell)
        rules += len(changes(cell))
        rows += [_row(summary) for summary in cell]
    chart = alt.concat(*panels, columns=2)
    found = [step for cell in shown for step in level_steps(cell)]
    return Figure(
        id=id,
        title=_finding(found, len(shown)),
        subtitle="Mean correctness of each session; a rule marks a new mm, agent, backend or method",
        note="Levels before and after a change of method are not comparable.",
        spec=spec(chart),
        marks={"symbol": points, "rule": rules},
        columns=("Session", "Agent", "Profile", "mm", "Method", "Without", "With", "Lift"),
        rows=tuple(rows),
    )


def _finding(found: Sequence[tuple[str, Step]], cells: int) -> str:
    if not found:
        return (
            f"No step of 5 points or more within one method, in {cells} {'cell' if cells == 1 else 'cells'}"
        )
    when, step = max(found, key=lambda item: abs(item[1].change))
    change = figures.signed(step.change)
    return f"With mm, correctness stepped by {change} points on {figures.day(when)}"


def _row(summary: Summary) -> tuple[Value, ...]:
    return (
        summary.newest.started[:10],
        summary.cell.agent,
        summary.cell.profile,
        summary.subject.mm.version,
        summary.method[:12],
        round(summary.without.mean or 0, 2),
        round(summary.with_.mean or 0, 2),
        None if summary.lift.point is None else round(summary.lift.point, 2),
    )


def _panel(cell: Sequence[Summary]) -> alt.LayerChart | alt.FacetChart:
    rows: list[dict[str, Value]] = []
    for summary in cell:
        for arm, mean in (("without mm", summary.without.mean), ("with mm", summary.with_.mean)):
            rows.append(
                {"at": summary.newest.started, "arm": arm, "mean": mean, "method": summary.method[:12]}
            )
    x = alt.X(
        "at:T",
        scale=alt.Scale(type="utc"),
        title=None,
        axis=alt.Axis(format="%d %b", tickCount=5, labelOverlap=True, grid=False),
    )
    y = alt.Y("mean:Q", scale=alt.Scale(domain=[0, 100]), title=None, axis=alt.Axis(values=[0, 50, 100]))
    color = alt.Color("arm:N", scale=ARMS, title=None)
    base = alt.Chart(data(rows))
    lines = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=color, detail="method:N")
    dots = base.mark_point(size=45).encode(
        x=x, y=y, color=color, shape=alt.Shape("arm:N", scale=ARM_SHAPES, title=None)
    )
    layers: list[alt.Chart] = [lines, dots]
    if changed := changes(cell):
        marks = alt.Chart(data([{"at": at, "what": what} for at, what in changed]))
        layers.append(marks.mark_rule(color=MUTED, strokeWidth=1, strokeDash=[4, 3]).encode(x=x))
        layers.append(
            marks.mark_text(align="left", baseline="top", dx=4, fontSize=11, color=MUTED).encode(
                x=x, y=alt.value(0), text="what:N"
            )
        )
    name = f"{cell[0].cell.agent} · {cell[0].cell.profile}"
    return alt.layer(*layers).properties(width=PANEL, height=110, title=name)
