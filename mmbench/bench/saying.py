"""What `bench` and `check` say on the terminal beside the progress."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from mmbench.bench.estimate import Estimate
from mmbench.bench.plan import Plan
from mmbench.bench.preflight import Passed
from mmbench.layout import short
from mmbench.power import detectable_lift
from mmbench.records import Session


def passed(console: Console, result: Passed) -> None:
    """Say that one thing of the preflight holds."""
    mark = Text("! " if result.warning else "✓ ", style="yellow" if result.warning else "green")
    console.print(mark + Text(f"{result.what:<18} ") + Text(result.detail, style="dim"), soft_wrap=True)


def plan(console: Console, name: str, drawn: Plan, expected: Estimate | None) -> None:
    """Say what will run, what will not and why, what it will take, and what the design can detect."""
    count = len(drawn.cases)
    console.print(
        Text(f"\n{name}: ", style="bold")
        + Text(f"{len(drawn.schedule)} trials: {count} cases × {drawn.runs} × {', '.join(drawn.arms)}"),
        soft_wrap=True,
    )
    for left in drawn.excluded:
        scope = f"{left.case} ({left.arm})" if left.arm else left.case
        console.print(Text(f"  not run: {scope}: {left.reason}", style="dim"), soft_wrap=True)
    console.print(Text(f"  {forecast(expected)}", style="dim"), soft_wrap=True)
    if count > 1:
        lift = detectable_lift(count, drawn.runs)
        console.print(
            Text(f"  this design can detect a lift of about {lift:.0f} points (80 % power)", style="dim"),
            soft_wrap=True,
        )


def forecast(expected: Estimate | None) -> str:
    """Say what a plan will take by the median trial of earlier sessions."""
    if expected is None:
        return "no earlier session of this cell: its time, tokens and cost are not known"
    minutes = expected.seconds / 60
    time = f"{minutes:.0f} min" if minutes >= 1 else f"{expected.seconds:.0f} s"
    tokens = "tokens unknown" if expected.tokens is None else f"{expected.tokens / 1000:,.0f} k tokens"
    cost = "cost unknown" if expected.cost_usd is None else f"${expected.cost_usd:,.2f}"
    count = "the last session" if expected.sessions == 1 else f"the last {expected.sessions} sessions"
    return f"about {time}, {tokens}, {cost}, by the median trial of {count}"


def summary(console: Console, final: Session, path: Path) -> None:
    """Say how a session ended and where its results are."""
    counts = ", ".join(f"{count} {name}" for name, count in sorted(final.states().items()))
    console.print(Text(f"{final.id}: {counts}", style="bold"), soft_wrap=True)
    console.print(f"Results: {short(path)}", soft_wrap=True)
