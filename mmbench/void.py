"""Leave lines of a session out of every aggregate, by appending a line that says so and why."""

from __future__ import annotations

from mmbench.errors import UsageError
from mmbench.layout import Project
from mmbench.ledger import Ledger, of_session


def void(
    where: Project,
    session: str,
    *,
    why: str,
    run: int | None = None,
    case: str | None = None,
    arm: str | None = None,
) -> int:
    """Void the scheduled trials of a run, a case, an arm, or of all that are given; return how many.

    Nothing is removed. UsageError when nothing is named or nothing scheduled is hit.
    """
    if run is None and case is None and arm is None:
        raise UsageError("Nothing to void was named.", fix="Give --run N, --case ID or --arm NAME.")
    if not why.strip():
        raise UsageError("A void needs a reason.", fix='Give --why "…": it is published.')
    book, state = Ledger.open(of_session(where, session))
    with book:
        hit = [
            key
            for key in state.trials
            if run in (None, key.run) and case in (None, key.case) and arm in (None, key.arm)
        ]
        if not hit:
            named = ", ".join(
                f"{name} {value}"
                for name, value in (("run", run), ("case", case), ("arm", arm))
                if value is not None
            )
            raise UsageError(
                f"Session {session} has nothing scheduled for {named}.", fix="See its first line."
            )
        book.append("void", {"run": run, "case": case, "arm": arm, "why": why.strip()})
    return len(hit)
