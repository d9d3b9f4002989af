"""Filters that work as links: a leaderboard page for each agent, profile and kind of case."""

from __future__ import annotations

from collections.abc import Iterator

from mmbench.report.pages.site import Site, method_path
from mmbench.report.render import Page
from mmbench.report.tables.facets import View

METHODS = 12
"""Methods that are offered, the newest first."""


def view_path(view: View) -> str:
    """Return the address of one part of the leaderboard."""
    return f"only/{view.facet}/{view.value}.html"


def listed(site: Site) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return (facet, [(value, address)]) for the current leaderboard."""
    found: dict[str, list[tuple[str, str]]] = {}
    for view in site.views:
        found.setdefault(view.facet, []).append((view.value, view_path(view)))
    return [*found.items(), *_boards(site)]


def _boards(site: Site) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the other leaderboards: the newest of each suite, and that of each method."""
    newest = {board.suite: method_path(board.key) for board in reversed(site.boards)}
    methods = [(board.key, method_path(board.key)) for board in site.boards[:METHODS]]
    both = [("suite", sorted(newest.items())), ("method", methods)]
    return [(facet, values) for facet, values in both if len(values) > 1]


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of every part."""
    facets = listed(site)
    for view in site.views:
        context = {"view": view, "board": view.board, "facets": facets, "here": view_path(view)}
        yield Page(view_path(view), "only.html", context)
