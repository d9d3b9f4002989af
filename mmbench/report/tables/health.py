"""What became of a session's trials, as `mmbench compare` counts it, worked out from the report's own fold."""

from __future__ import annotations

from statistics import fmean, median, pstdev

from mmbench.comparability import Quality, SessionFigures
from mmbench.records import State
from mmbench.report.tables.summary import Summary

_UNFINISHED: tuple[State, ...] = ("queued", "running", "judge_pending", "cancelled")


def health(summary: Summary) -> SessionFigures:
    """Return the figures of a summary of one session; voided trials are in none but their own count."""
    session, plan = summary.newest, summary.newest.header.plan
    counted = [trial for trial in session.trials if trial.voided is None]
    states = [trial.state for trial in counted]
    scores = [t.correctness for t in counted if t.state == "completed" and t.correctness is not None]
    costs = [t.usage.cost_usd for t in counted if t.usage is not None and t.usage.cost_usd is not None]
    runs = {(trial.key.case, trial.key.run) for trial in session.trials}
    return SessionFigures(
        session=session.id,
        cell=f"{session.cell.agent}/{session.cell.profile}",
        method=session.method,
        legacy=session.header.method.legacy,
        executable=len(counted),
        excluded=sum(plan.runs * (1 if left.arm is not None else len(plan.arms)) for left in plan.excluded),
        voided=len(session.trials) - len(counted),
        completed=states.count("completed"),
        failed=states.count("failed"),
        skipped=states.count("skipped"),
        judge_failed=states.count("judge_failed"),
        unfinished=sum(states.count(name) for name in _UNFINISHED),
        sound_pairs=sum(pair.sound for pair in summary.pairs),
        pairs=len(runs),
        quality=Quality(fmean(scores), median(scores), pstdev(scores), len(scores)) if scores else None,
        seconds=round(sum(trial.duration_s or 0.0 for trial in counted), 3),
        cost_usd=round(sum(costs), 6) if costs else None,
        cost_known=len(costs),
    )
