"""From a results folder to a site: load → tables → pages → files.

The same results give the same bytes. A page is a small value; this module
alone renders pages and writes them.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mmbench.report import load
from mmbench.report.assembly import Assembly, Group, Groups, Item
from mmbench.report.charts.figure import Painter, drawings_of
from mmbench.report.load import Kept
from mmbench.report.memo import Memo
from mmbench.report.output import Output
from mmbench.report.pages import about, boards, cases, cells, charts, compare, facets, sessions, trials
from mmbench.report.pages.site import Site
from mmbench.report.publish import badge, card, data, feed
from mmbench.report.render import File, Renderer
from mmbench.report.store import Store, fingerprint

Maker = Callable[[Site], Iterator[Item | Group]]
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

    `cache` is a folder for what is dear to make: drawings, folded sessions,
    figures, and which pages need no making again; it may be deleted at any
    time and never changes the site. `address` is where the site will stand (https://…), which only
    the site map and link previews need.

    DataError names the first damaged file and line; UsageError when `out`
    holds somebody else's files; warnings (torn tail, copies) are in the report.
    """
    store, code = Store(cache), fingerprint()
    memo, drawings = Memo(store, "figures", code), drawings_of(store)
    with _no_collection():
        found = Site(load.results(results, only, Kept(store, code), memo))
        renderer = Renderer(site, store, Painter(drawings), address)
        source = _source(code, site, address)
        groups = Groups(store, source)
        with Output(out) as output:
            report = _build(found, Assembly(output, renderer, groups, results), renderer)
        memo.keep()
        drawings.keep()
        if _source(code, site, address) == source:  # else some pages are of old templates, some of new ones
            groups.keep()
        return report


def _source(code: str, site: Path, address: str | None) -> str:
    """Return the fingerprint of all that pages follow from besides results: code, templates, assets."""
    made = hashlib.sha256(f"{code} {address}".encode())
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        data = path.read_bytes()
        made.update(f"\n{path.relative_to(site)} {len(data)}\n".encode() + data)
    return made.hexdigest()


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


def _build(found: Site, assembly: Assembly, renderer: Renderer) -> BuildReport:
    output = assembly.output
    for item in _items(found, renderer):
        assembly.add(item)
    if renderer.address:
        indexed = [page for page in assembly.pages if not page.startswith(("trial/", "case/"))]
        site_map = card.sitemap(indexed, renderer.address)
        output.write(site_map.path, site_map.data)
    assembly.links.check(output.files)
    assembly.budget.finish()
    removed = output.finish()
    return BuildReport(
        sessions=len(found.results.sessions),
        trials=sum(len(session.header.plan.schedule) for session in found.results.sessions),
        pages=len(assembly.pages),
        files=len(output.files),
        changed=output.changed,
        removed=removed,
        bytes=assembly.budget.total,
        warnings=(*found.results.warnings, *assembly.budget.warnings),
        index=output.folder / "index.html",
    )


def _items(site: Site, renderer: Renderer) -> Iterator[Item | Group]:
    yield File(".nojekyll", b"")
    yield from renderer.assets.values()
    for maker in MAKERS:
        yield from maker(site)
