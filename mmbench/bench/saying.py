"""What `bench` and `check` say on the terminal beside the progress."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.text import Text

from mmbench import soundness
from mmbench.bench.estimate import Estimate
from mmbench.bench.plan import Excluded, Plan
from mmbench.bench.preflight import Passed
from mmbench.layout import short
from mmbench.power import detectable_lift
from mmbench.records import Session, TrialKey
from mmbench.soundness import CONTROL, TREATED, Soundness
from mmbench.terminal import counted

ARMS = (CONTROL, TREATED)


def passed(console: Console, result: Passed) -> None:
    """Say that one thing of the preflight holds."""
    mark = Text("! " if result.warning else "✓ ", style="yellow" if result.warning else "green")
    console.print(mark + Text(f"{result.what:<18} ") + Text(result.detail, style="dim"), soft_wrap=True)


def plan(console: Console, name: str, drawn: Plan, expected: Estimate | None) -> None:
    """Say what will run, what will not and why, what it will take, and what the design can detect."""
    count, trials = len(drawn.cases), counted(len(drawn.schedule), "trial")
    console.print(
        Text(f"\n{name}: ", style="bold")
        + Text(
            f"{trials}: {counted(count, 'case')} × {counted(drawn.runs, 'run')} × {', '.join(drawn.arms)}"
        ),
        soft_wrap=True,
    )
    for line in left_out(drawn.excluded):
        console.print(Text(f"  not run: {line}", style="dim"), soft_wrap=True)
    console.print(Text(f"  {forecast(expected)}", style="dim"), soft_wrap=True)
    if count > 1:
        console.print(Text(f"  {power(detectable_lift(count, drawn.runs))}", style="dim"), soft_wrap=True)


def power(lift: float) -> str:
    """Say the smallest lift that a design can detect."""
    if lift > 100:
        return "this design is too small to detect any lift: take more cases or runs"
    return f"this design can detect a lift of about {lift:.0f} points (80 % power)"


def left_out(excluded: Iterable[Excluded]) -> list[str]:
    """Say which cases, or which arms of them, are not run, and each reason once."""
    cases: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for left in excluded:
        cases[left.reason, left.arm].append(left.case)
    return [
        f"{', '.join(names)}{f' ({arm})' if arm else ''}: {reason}" for (reason, arm), names in cases.items()
    ]


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
    """Say how a session ended, what it came to, and where its results are."""
    states = final.states()
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(states.items()))
    console.print(Text(f"{final.id}: {counts}", style="bold"), soft_wrap=True)
    console.print(correctness(final), soft_wrap=True)
    if set(states) - {"completed"}:
        console.print("Not every trial is graded: the same command with --resume goes on.", soft_wrap=True)
    console.print(Text(f"Results: {short(path)}"), soft_wrap=True)  # a folder may be named like markup


def correctness(final: Session) -> str:
    """Say the mean correctness of both arms: over the cases, of the sound pairs, as the report has it."""
    by_case: dict[str, list[list[float]]] = defaultdict(list)
    for pair in soundness.pairs(final):
        if pair.sound:
            by_case[pair.case].append(_scores(final, pair))
    if not by_case:
        return "No pair of trials is sound, so there is no correctness to compare."
    without, with_mm = (
        fmean(fmean(run[side] for run in runs) for runs in by_case.values()) for side in (0, 1)
    )
    sound = counted(sum(map(len, by_case.values())), "sound pair")
    return (
        f"Correctness without mm {without:.1f}, with mm {with_mm:.1f} points, over {sound}; "
        "the report adds the intervals."
    )


def _scores(final: Session, pair: Soundness) -> list[float]:
    """Return both scores of a sound pair, which has them."""
    lasts = [final.trials[TrialKey(pair.case, arm, pair.run)].last for arm in ARMS]
    return [last.correctness for last in lasts if last is not None and last.correctness is not None]
