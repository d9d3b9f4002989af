"""The list of sessions, and one page (or more, when it is long) per session."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from mmbench.outcome import disputed
from mmbench.report import figures
from mmbench.report.assembly import Group
from mmbench.report.model import Session, Trial
from mmbench.report.pages.site import Site, method_path, session_path
from mmbench.report.render import Page
from mmbench.report.stats.decision import verdict
from mmbench.report.tables.arms import NAMES, planned
from mmbench.report.tables.board import row_reasons
from mmbench.report.tables.health import health
from mmbench.report.tables.judging import judges
from mmbench.report.tables.pairs import Pair
from mmbench.report.tables.summary import Summary
from mmbench.soundness import CONTROL, TREATED

PART, LISTED = 500, 150
"""Rows on one page: pairs of a session, sessions of the list."""


def pages(site: Site) -> Iterator[Page | Group]:
    """Yield the list and the parts of every session."""
    newest_first = list(reversed(site.results.sessions))
    yield from _list([site.by_session[session.id] for session in newest_first])
    for session in newest_first:
        key = f"{site.results.key(session)} {session.id in site.detailed}"
        yield Group(f"session {session.id}", key, partial(_session, site, session))


def _list(rows: list[Summary]) -> Iterator[Page]:
    parts = max(1, -(-len(rows) // LISTED))
    paths = ["sessions.html", *(f"sessions/{number}.html" for number in range(2, parts + 1))]
    for number, path in enumerate(paths):
        shown = rows[number * LISTED : (number + 1) * LISTED]
        yield Page(path, "sessions.html", {"rows": shown, "paths": paths, "total": len(rows)})


def _session(site: Site, session: Session) -> Iterator[Page]:
    summary = site.by_session[session.id]
    pairs = summary.pairs
    parts = max(1, -(-len(pairs) // PART))
    paths = [session_path(session.id, number) for number in range(1, parts + 1)]
    for number, path in enumerate(paths, start=1):
        start = (number - 1) * PART
        shown = pairs[start : start + PART]
        context = {
            "session": session,
            "linked": session.id in site.detailed,
            "trial_root": f"trial/{session.id}/",
            "pairs": [_row(pair) for pair in shown],
            "first": start + 1 if shown else 0,
            "last": start + len(shown),
            "total": len(pairs),
            "number": number,
            "parts": parts,
            "part_paths": paths,
        }
        yield Page(path, "session.html", context | (_whole(site, session) if number == 1 else {}))


def _whole(site: Site, session: Session) -> dict[str, Any]:
    """Return what stands on the first page only: all but the table of pairs."""
    summary = site.by_session[session.id]
    return {
        "s": summary,
        "call": verdict(summary.lift, margin=summary.margin),
        "health": health(summary),
        "method": (session.method[:12], method_path(session.method[:12])),
        "reasons": row_reasons(summary),
        "left_out": sorted(_left_out(session).items()),
        "disputed": sum(_disputed(trial) for trial in session.trials),
        "states": sorted(session.states().items()),
        "facts": _facts(session),
        "command": _command(session.header.provenance.command),
        "further": summary.further,
        "further_trials": _further(session),
        "alone": _alone(session),
        "removals": site.removals[session.id],
        "judge": _judge(site, session),
    }


def _command(words: Sequence[str]) -> str:
    """Write a recorded command as one types it."""
    options = ["--", *words[1:]] if words[1:] else []
    return shlex.join(["nox", "-s", *words[:1], *options])


def _disputed(trial: Trial) -> bool:
    used = trial.usage
    return used is not None and disputed(used.input_total, used.input_by_calls)


def _left_out(session: Session) -> dict[tuple[str, str], list[str]]:
    """Return the cases that the plan left out, by reason and by arm, "" for both."""
    found: dict[tuple[str, str], list[str]] = {}
    for left in session.header.plan.excluded:
        found.setdefault((left.reason, NAMES[left.arm] if left.arm else ""), []).append(left.case)
    return found


def _further(session: Session) -> list[dict[str, Any]]:
    """Return (case, run) with its trials in the further arms, as many as fit on a page."""
    arms = planned(session)
    found: dict[tuple[str, int], dict[str, Trial]] = {}
    for trial in session.trials if arms else ():
        if trial.key.arm in arms:
            found.setdefault((trial.key.case, trial.key.run), {})[trial.key.arm] = trial
    return [
        {"case": case, "run": run, "trials": [(arm, trials.get(arm)) for arm in arms]}
        for (case, run), trials in list(found.items())[:PART]
    ]


def _alone(session: Session) -> list[Trial]:
    """Return the trials of the main arms whose partner was not planned: they stand in no pair."""
    there = {trial.key for trial in session.trials}
    partner = {CONTROL: TREATED, TREATED: CONTROL}
    main = [trial for trial in session.trials if trial.key.arm in partner]
    return [trial for trial in main if trial.key._replace(arm=partner[trial.key.arm]) not in there][:PART]


def _judge(site: Site, session: Session) -> dict[str, Any] | None:
    """Return the judge of a session, and where the page of judges speaks of it; None without one."""
    found = judges([session], site.measured)
    if not found:
        return None
    return {"judge": found[0], "path": f"judge.html#{found[0].anchor}"}


def _row(pair: Pair) -> tuple[str, ...]:
    """Write a row's cells here, once and fast: a long history has tens of thousands."""
    return (
        pair.case,
        str(pair.run),
        figures.points(pair.without.correctness),
        figures.points(pair.with_.correctness),
        figures.sign(pair.gain),
        figures.signed(pair.gain),
        _time(pair.without),
        _time(pair.with_),
        ", ".join(pair.with_.commands),
        _remarks(pair),
    )


def _time(trial: Trial) -> str:
    text = figures.seconds(trial.duration_s)
    return f"> {text}" if trial.censored else text


def _remarks(pair: Pair) -> str:
    notes = []
    for name, trial in (("without", pair.without), ("with", pair.with_)):
        if trial.voided is not None:
            notes.append(f"{name}: void")
        elif trial.state != "completed":
            notes.append(f"{name}: {trial.failure or trial.state}".replace("_", " "))
        elif trial.status != "completed":
            notes.append(f"{name}: {trial.failure or trial.status}".replace("_", " "))
    return "; ".join(notes)


def _agent(session: Session) -> list[tuple[str, str]]:
    agent = session.subject.agent
    if session.reference:
        return [("Agent", f"{agent.name}, built into mmbench and without a model")]
    return [
        ("Agent", f"{agent.name} {agent.version or '(version unknown)'}"),
        ("Model of the agent", agent.model or "the agent's default"),
    ]


def _facts(session: Session) -> list[tuple[str, str]]:
    header = session.header
    subject, made = header.subject, header.provenance
    dataset, host, kit, runs = made.dataset, made.host, made.kit, header.plan.runs
    commit = f", commit {str(kit.get('commit'))[:12]}" if kit.get("commit") else ""
    return [
        *_agent(session),
        ("mm", f"{subject.mm.version}, {subject.mm.digest[:12]}"),
        ("Backend of mm", f"{subject.profile.kind}: {subject.profile.model or 'none'}"),
        (
            "Suite",
            f"{header.plan.suite}, {len(header.cases)} cases, {runs} {'run' if runs == 1 else 'runs'} each",
        ),
        ("Arms", ", ".join(NAMES[arm] for arm in header.plan.arms)),
        ("Seed", str(header.plan.seed)),
        ("Equivalence margin", f"{header.plan.margin:g} points"),
        ("Sandbox", str(made.sandbox.get("kind"))),
        ("Dataset", f"{dataset.get('name')} {dataset.get('revision')}, {dataset.get('files')} files"),
        ("Host", f"{host.get('os')} {host.get('machine')}, {host.get('cores')} cores"),
        ("Kit", f"mmbench {kit.get('version')}{commit}{' (with changes)' if kit.get('dirty') else ''}"),
        ("Preflight", made.preflight),
        ("Ends", "; ".join(end.reason.replace("_", " ") for end in session.ends) or "none yet"),
        ("Last line of the results file", session.head),
    ]
