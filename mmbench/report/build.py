"""From a results folder to a site: load → tables → pages → files.

The same results give the same bytes. A page is a small value; this module
alone renders pages and writes them.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mmbench.report import load
from mmbench.report.charts.figure import Painter
from mmbench.report.output import Output
from mmbench.report.pages import about, boards, cases, cells, charts, compare, facets, sessions, trials
from mmbench.report.pages.site import Site
from mmbench.report.publish import badge, card, data, feed
from mmbench.report.publish.budget import Budget
from mmbench.report.publish.links import Links
from mmbench.report.render import File, Page, Renderer

Maker = Callable[[Site], Iterator[Page | File]]
MAKERS: tuple[Maker, ...] = (
    boards.pages,
    facets.pages,
    charts.pages,
    cells.pages,
    sessions.pages,
    cases.pages,
    compare.pages,
    about.pages,
    trials.pages,
    data.files,
    badge.files,
    feed.files,
    card.files,
)
"""Every kind of page; a new kind is one entry."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    sessions: int
    trials: int
    pages: int
    files: int
    changed: int
    """Files that were written because their bytes differ."""
    removed: int
    bytes: int
    """Size of the whole site."""
    warnings: tuple[str, ...]
    index: Path
    """The page to open."""


def build(
    results: Path,
    out: Path,
    *,
    site: Path,
    only: Sequence[str] = (),
    cache: Path | None = None,
    address: str | None = None,
) -> BuildReport:
    """Build the site of a results folder; `only` names the sessions to show, all when empty.

    `cache` is a folder for drawings that are dear to make; it may be deleted
    at any time. `address` is where the site will stand (https://…), which only
    the site map and link previews need.

    DataError names the first damaged file and line; UsageError when `out`
    holds somebody else's files; warnings (torn tail, copies) are in the report.
    """
    renderer = Renderer(site, Painter(cache and cache / "charts"), address)
    with _no_collection():
        return _build(Site(load.results(results, only)), out, renderer)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Leave the cyclic collector off: a build makes few cycles, and looking for them takes a quarter of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _build(found: Site, out: Path, renderer: Renderer) -> BuildReport:
    output, links, budget = Output(out), Links(), Budget()
    pages = []
    for file in _files(found, renderer):
        if file.path.startswith("artifacts/") and output.has(file.path):
            continue  # one file of several trials
        output.write(file.path, file.data)
        budget.add(file)
        if file.path.endswith(".html"):
            links.add(file.path, file.data.decode())
            pages.append(file.path)
    if renderer.address:
        indexed = [page for page in pages if not page.startswith(("trial/", "case/"))]
        site_map = card.sitemap(indexed, renderer.address)
        output.write(site_map.path, site_map.data)
    links.check(output.files)
    budget.finish()
    removed = output.finish()
    return BuildReport(
        sessions=len(found.results.sessions),
        trials=sum(len(session.trials) for session in found.results.sessions),
        pages=len(pages),
        files=len(output.files),
        changed=output.changed,
        removed=removed,
        bytes=budget.total,
        warnings=(*found.results.warnings, *budget.warnings),
        index=out / "index.html",
    )


def _files(site: Site, renderer: Renderer) -> Iterator[File]:
    yield File(".nojekyll", b"")
    yield from renderer.assets.values()
    for maker in MAKERS:
        for item in maker(site):
            yield from [item] if isinstance(item, File) else renderer.files(item)
