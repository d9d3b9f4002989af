"""Badges for a README: the headline's lift and speedup as pictures, and as shields.io endpoints."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import escape

from mmbench.report import figures
from mmbench.report.pages.site import Site
from mmbench.report.publish.shapes import Badge, encode
from mmbench.report.render import File
from mmbench.report.tables.headline import Headline

GREEN, RED, GREY = "#00805d", "#c24e00", "#555"


def files(site: Site) -> Iterator[File]:
    """Yield both badges in both forms."""
    for name, badge in (("lift", lift(site.headline)), ("speedup", speedup(site.headline))):
        yield File(f"data/badge/{name}.json", encode(badge))
        yield File(f"badge/{name}.svg", picture(badge).encode())


def lift(found: Headline | None) -> Badge:
    """Return the badge of the lift; a lift that cannot be told from 0 is grey and says so."""
    if found is None or found.lift.point is None:
        return Badge(1, "mm lift", "no data", GREY)
    value = found.lift
    text = f"{figures.signed(value.point)} points"
    if not value.distinguishable:
        return Badge(1, "mm lift", f"{text}, may be 0", GREY)
    return Badge(1, "mm lift", text, GREEN if (value.point or 0) > 0 else RED)


def speedup(found: Headline | None) -> Badge:
    """Return the badge of the speedup."""
    if found is None or found.speed.point is None:
        return Badge(1, "mm speedup", "no data", GREY)
    value = found.speed
    low, high = value.low, value.high
    if low is None or high is None or low <= 1 <= high:
        return Badge(1, "mm speedup", f"{figures.times(value.point)}, may be 1", GREY)
    return Badge(1, "mm speedup", figures.times(value.point), GREEN if low > 1 else RED)


def picture(badge: Badge) -> str:
    """Draw a badge; widths are estimated from the letters, 6.6 pixels each."""
    left, right = (round(6.6 * len(text)) + 16 for text in (badge.label, badge.message))
    label, message = escape(badge.label), escape(badge.message)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{label}: {message}"><title>{label}: {message}</title>'
        f'<rect width="{left + right}" height="20" rx="3" fill="{badge.color}"/>'
        f'<path d="M3 0h{left - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#1a1e23"/>'
        '<g fill="#fff" font-family="Verdana,Arial,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="14" textLength="{left - 12}">{label}</text>'
        f'<text x="{left + right / 2}" y="14" textLength="{right - 12}">{message}</text></g></svg>\n'
    )
