"""One page per trial of the newest sessions: prompt, answer, checks, calls of mm, transcript, files."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import partial
from typing import Any

from mmbench import cleanup
from mmbench.records import TrialKey
from mmbench.report.artifacts import shown, state
from mmbench.report.assembly import Group, Item, Look
from mmbench.report.details import Detail, Reader
from mmbench.report.model import Session
from mmbench.report.pages.attempt import NOTHING, PROMPT, attempt, both, fitted, grading
from mmbench.report.pages.site import Site, session_path, trial_path
from mmbench.report.publish.shapes import VERSION, Artifacts, ArtifactShape, encode
from mmbench.report.render import File, Page
from mmbench.report.tables.arms import GIVEN, NAMES, PLACEBO, UNPRIMED
from mmbench.soundness import CONTROL, MM_ARMS, TREATED

FILES = 8
"""Files of one trial that a page shows; the others are links."""


def pages(site: Site) -> Iterator[Group]:
    """Yield the page of every trial of the newest sessions, with the files that it shows."""
    for session in site.results.sessions:
        if session.id in site.detailed:
            yield Group(f"trials {session.id}", site.results.key(session), partial(_session, site, session))


def _session(site: Site, session: Session) -> Iterator[Item]:
    known = {trial.key: trial for trial in session.trials}
    listed: list[ArtifactShape] = []
    with Reader(session) as reader:
        for trial in session.trials:
            twin = known.get(_twin(trial.key))
            other = reader.read(twin) if twin and twin.attempts else None
            others = _others(session, trial.key, known)
            yield from _trial(site, session, reader.read(trial), other, listed, others=others)
    made = Artifacts(VERSION, session.id, listed)
    yield File(f"data/artifacts/{session.id}.json", encode(made))


def _twin(key: TrialKey) -> TrialKey:
    """Return the trial that a page sets beside this one: that which differs in one thing."""
    return key._replace(arm=_TWIN[key.arm])


_TWIN = {CONTROL: TREATED, TREATED: CONTROL, UNPRIMED: TREATED, PLACEBO: CONTROL}


def _trial(
    site: Site,
    session: Session,
    detail: Detail,
    other: Detail | None,
    listed: list[ArtifactShape],
    *,
    others: list[dict[str, Any]],
) -> Iterator[Item]:
    trial = detail.trial
    line = detail.attempt or NOTHING
    removed = cleanup.gone(site.removals[session.id], "artifacts")
    kept = [shown(site.results.root, session.id, item, removed) for item in line["artifacts"]]
    for item, (_, file) in zip(line["artifacts"], kept, strict=True):
        there = "whole" if file else state(site.results.root, item["stored"], item["sha256"])
        yield Look(item["stored"], item["sha256"], there)
        if file:
            yield file
    listed += [
        _listed(trial.key, item | made) for item, (made, _) in zip(line["artifacts"], kept, strict=True)
    ]
    data = transcript_path(session.id, trial.key)
    yield File(data, detail.transcript)
    key = trial.key
    case = site.results.case(session, key.case)
    context = {
        "session": session,
        "session_path": session_path(session.id),
        "trial": trial,
        "key": key,
        "case": case,
        "prompt": fitted({"text": case.prompt, "truncated": False}, PROMPT) if case else None,
        "title": case.title if case else key.case,
        "data": data,
        "arm": NAMES[key.arm],
        "given": GIVEN[key.arm],
        "has_mm": key.arm in MM_ARMS,
        "both": both(session, detail, other),
        "others": others,
        **grading(detail),
        **attempt(line),
        "artifacts": [
            item if number < FILES else item | {"show": "none"} for number, (item, _) in enumerate(kept)
        ],
    }
    yield Page(trial_path(session.id, key), "trial.html", context)


def _others(session: Session, key: TrialKey, known: Container[TrialKey]) -> list[dict[str, Any]]:
    """Return the other arms of the same case and run, where there are more than two."""
    arms = [arm for arm in NAMES if arm in session.header.plan.arms and arm != key.arm]
    if len(arms) < 2:
        return []
    found = [key._replace(arm=arm) for arm in arms]
    return [{"name": NAMES[k.arm], "path": trial_path(session.id, k)} for k in found if k in known]


def transcript_path(session: str, key: TrialKey) -> str:
    """Return the address of a trial's records."""
    return f"data/transcript/{session}/{key.case}/{key.arm}-{key.run}.json"


def _listed(key: TrialKey, item: dict[str, Any]) -> ArtifactShape:
    names = ("path", "size", "media_type", "sha256", "href", "refused", "removed")
    return ArtifactShape(key.case, key.arm, key.run, *(item[name] for name in names))
