"""Filters that work as links: a leaderboard page for each agent, profile and kind of case."""

from __future__ import annotations

from collections.abc import Iterator

from mmbench.report.pages.site import Site
from mmbench.report.render import Page
from mmbench.report.tables.facets import View


def view_path(view: View) -> str:
    """Return the address of one part of the leaderboard."""
    return f"only/{view.facet}/{view.value}.html"


def listed(site: Site) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return (facet, [(value, address)]) for the current leaderboard."""
    found: dict[str, list[tuple[str, str]]] = {}
    for view in site.views:
        found.setdefault(view.facet, []).append((view.value, view_path(view)))
    return list(found.items())


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of every part."""
    facets = listed(site)
    for view in site.views:
        context = {"view": view, "board": view.board, "facets": facets, "here": view_path(view)}
        yield Page(view_path(view), "only.html", context)
