"""Two cells, or two sessions, side by side: pages for some pairs, and data for a page that sets any two together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from mmbench import jsontext
from mmbench.report.assembly import Group
from mmbench.report.model import Session
from mmbench.report.pages import versus
from mmbench.report.pages.site import Site
from mmbench.report.render import File, Page
from mmbench.report.tables.compare import ARMS, cell_pairs, duel, session_pairs, side
from mmbench.report.tables.summary import Summary


@dataclass(frozen=True, slots=True)
class Choice:
    """What may stand on either side, and how it is called: briefly within its group, in full elsewhere."""

    key: str
    group: str
    brief: str
    full: str
    summary: Summary


def cells_path(left: Summary, right: Summary) -> str:
    """Return the address of the comparison of two cells."""
    one, other = left.cell, right.cell
    return f"compare/cells/{one.agent}/{one.profile}/{other.agent}/{other.profile}.html"


def sessions_path(older: str, newer: str) -> str:
    """Return the address of the comparison of two sessions."""
    return f"compare/sessions/{newer}/{older}.html"


def choices(site: Site) -> list[Choice]:
    """Return every row of every leaderboard, the current one first, and every session by cell, newest first."""
    found = []
    for number, board in enumerate(site.boards):
        group = f"Agents, method {board.key}{' (current)' if number == 0 else ''}"
        for row in (*board.rows, *board.references):
            name = cell_name(row.summary)
            key = _key(row.summary)
            full = name if number == 0 else f"{name}, method {board.key}"
            found.append(Choice(key, group, name, full, row.summary))
    for cell, sessions in site.cells.items():
        name = f"{cell.agent} · {cell.profile}"
        for session, when in zip(sessions, _times(sessions), strict=True):
            summary = site.by_session[session.id]
            found.append(Choice(session.id, f"Sessions of {name}", when, f"{name}, {when}", summary))
    return found


def _key(summary: Summary) -> str:
    return f"{summary.cell.agent}/{summary.cell.profile}/{summary.method[:12]}"


def cell_name(summary: Summary) -> str:
    """Name a cell."""
    return f"{summary.cell.agent} · {summary.cell.profile}"


def _times(sessions: Sequence[Session]) -> list[str]:
    """Name sessions of one cell by their day, to the second where a day has several."""
    days = Counter(session.started[:10] for session in sessions)
    return [
        s.started[:10] if days[s.started[:10]] == 1 else s.started[:19].replace("T", " ") for s in sessions
    ]


def pages(site: Site) -> Iterator[Page | File | Group]:
    """Yield the pairs that have a page of their own, the page that compares any two, and its data."""
    known = {choice.key: choice for choice in choices(site)}
    cells, sessions = list(_cells(site, known)), list(_sessions(site, known))
    for pair in (*cells, *sessions):
        yield Group(pair.path, _fingerprint(site, pair), partial(_pair, site, pair))
    files = {choice.key: _data(choice) for choice in known.values()}
    yield from files.values()
    listed: dict[str, list[Pair]] = {}
    for pair in sessions:
        listed.setdefault(cell_name(pair.left.summary), []).append(pair)
    context = {
        "cells": cells,
        "sessions": sorted(listed.items()),
        "sides": [_entry(choice, files[choice.key]) for choice in known.values()],
        "cases": list(site.cases),
        "limit": versus.ROWS,
    }
    yield Page("compare.html", "compares.html", context)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two choices with a page of their own."""

    path: str
    left: Choice
    right: Choice

    @property
    def names(self) -> tuple[str, str]:
        """Return how both are called beside each other."""
        if self.left.group == self.right.group:
            return self.left.brief, self.right.brief
        return self.left.full, self.right.full


def _cells(site: Site, known: Mapping[str, Choice]) -> Iterator[Pair]:
    board = site.boards[0] if site.boards else None
    for one, other in cell_pairs([row.summary for row in board.rows] if board else []):
        yield Pair(cells_path(one, other), known[_key(one)], known[_key(other)])


def _sessions(site: Site, known: Mapping[str, Choice]) -> Iterator[Pair]:
    pairs = session_pairs(list(site.cells.values()))
    for older, newer in sorted(pairs, key=lambda pair: (pair[1].order, pair[0].order), reverse=True):
        yield Pair(sessions_path(older.id, newer.id), known[older.id], known[newer.id])


def _entry(choice: Choice, file: File) -> dict[str, str]:
    """Return what the script needs to offer a choice and to find its data."""
    named = {"key": choice.key, "group": choice.group, "brief": choice.brief, "full": choice.full}
    return named | {"method": choice.summary.method[:12], "file": file.path}


def _data(choice: Choice) -> File:
    """Return a choice's cases in both arms, as a script: pages opened from a file can load nothing else."""
    arms = {}
    for arm in ARMS:
        found = side(choice.summary, arm)
        arms[arm] = {"left_out": found.left_out, "cases": found.cases}
    text = f"mmbenchSide({jsontext.dumps(choice.key)},{jsontext.dumps(arms)});\n"
    data = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()
    return File(f"compare/data/{hashlib.sha256(data).hexdigest()[:16]}.js", data)


def _fingerprint(site: Site, pair: Pair) -> str:
    """Return a hash of all that the page of a pair follows from."""
    sides = [
        [choice.key, choice.full, choice.brief, choice.group, choice.summary.identity]
        for choice in (pair.left, pair.right)
    ]
    return jsontext.digest([sides, list(site.cases)])


def _pair(site: Site, pair: Pair) -> Iterator[Page]:
    found, names = duel(pair.left.summary, pair.right.summary), pair.names
    parts: list[dict[str, Any]] = [
        {
            "arm": arms.arm,
            "id": arms.arm.replace(" ", "-"),
            "words": versus.words(arms, names),
            "rows": versus.rows(arms.comparison, site.cases),
        }
        for arms in found.arms
    ]
    sessions = pair.left.summary.cell == pair.right.summary.cell and pair.left.group == pair.right.group
    context = {
        "duel": found,
        "left": names[0],
        "right": names[1],
        "arms": parts,
        "cell": cell_name(pair.left.summary) if sessions else None,
        "again": f"compare.html#left={pair.left.key}&right={pair.right.key}",
    }
    yield Page(pair.path, "compare.html", context)
