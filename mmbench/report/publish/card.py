"""The picture that a link to the site shows elsewhere, and the site map; both need the site's address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

import vl_convert

from mmbench.report import figures
from mmbench.report.pages.site import Site
from mmbench.report.render import File
from mmbench.report.tables.headline import Headline

PATH = "assets/card.png"


def files(site: Site) -> Iterator[File]:
    """Yield the picture."""
    yield File(PATH, vl_convert.svg_to_png(svg(site.headline), scale=1))


def svg(found: Headline | None) -> str:
    """Draw the headline on 1200 × 630 pixels."""
    big, small = _words(found)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630">'
        '<rect width="1200" height="630" fill="#ffffff"/><rect width="1200" height="14" fill="#0072b2"/>'
        '<g font-family="Liberation Sans, Arial, sans-serif" fill="#1a1e23">'
        '<text x="80" y="130" font-size="40" font-weight="bold">mmbench</text>'
        '<text x="80" y="190" font-size="34" fill="#555555">Does the mm tool make AI agents better?</text>'
        f'<text x="80" y="380" font-size="120" font-weight="bold">{escape(big)}</text>'
        f'<text x="80" y="460" font-size="34" fill="#555555">{escape(small)}</text></g></svg>'
    )


def _words(found: Headline | None) -> tuple[str, str]:
    if found is None or found.lift.point is None:
        return "no data yet", "no agent has been measured"
    lift = found.lift
    bounds = f"95 % interval {figures.interval(lift.low, lift.high)}" if lift.interval else "no interval yet"
    doubt = "" if lift.distinguishable else ", may be 0"
    return f"{figures.signed(lift.point)} points", f"{bounds}{doubt}; {lift.n} cases, {found.agents} agents"


def sitemap(pages: Iterable[str], address: str) -> File:
    """Return the site map of a site that stands at an absolute address."""
    base = address.rstrip("/")
    urls = "".join(f"<url><loc>{escape(f'{base}/{page}')}</loc></url>\n" for page in sorted(pages))
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    text = f'{head}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    return File("sitemap.xml", text.encode())
