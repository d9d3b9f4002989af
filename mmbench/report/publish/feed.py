"""An Atom feed of sessions, and robots.txt.

Every address must be relative, since the site does not know where it will
stand: Atom resolves them against the feed's own place.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from mmbench.report import figures
from mmbench.report.pages.site import Site, session_path
from mmbench.report.render import File
from mmbench.report.tables.summary import Summary
from mmbench.report.text import visible

ENTRIES = 30
EPOCH = "1970-01-01T00:00:00Z"


def files(site: Site) -> Iterator[File]:
    """Yield the feed and robots.txt."""
    yield File("feed.xml", atom(site).encode())
    yield File("robots.txt", ROBOTS)


_HIDDEN = ("trial", "case", "data/transcript", "data/case-spec")
ROBOTS = "".join(("User-agent: *\n", *(f"Disallow: /{path}/\n" for path in _HIDDEN))).encode()
"""Tasks, truths and transcripts stay out of indexes and, as far as crawlers obey, of training data."""


def atom(site: Site) -> str:
    """Return the feed, newest session first; its time is that of the newest session."""
    newest = list(reversed(site.results.sessions))[:ENTRIES]
    updated = newest[0].started if newest else EPOCH
    entries = "".join(_entry(site.by_session[session.id]) for session in newest)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom">\n'
        "<title>mmbench sessions</title>\n<id>urn:mmbench:sessions</id>\n"
        f"<updated>{updated}</updated>\n<author><name>mmbench</name></author>\n"
        f'<link rel="self" href="feed.xml"/>\n<link href="index.html"/>\n{entries}</feed>\n'
    )


def _entry(summary: Summary) -> str:
    session = summary.newest
    lift = summary.lift
    bounds = figures.interval(lift.low, lift.high)
    text = (
        f"Lift {figures.signed(lift.point)} points{f' ({bounds})' if bounds else ''}, "
        f"{summary.sound} of {summary.scheduled} trials in the figures."
    )
    kind = "Reference session" if session.reference else "Session"
    title = f"{kind}: {session.cell.agent} with {session.cell.profile}"
    return (
        f"<entry><title>{escape(visible(title))}</title><id>urn:mmbench:session:{session.id}</id>"
        f"<updated>{session.started}</updated><link href={quoteattr(session_path(session.id))}/>"
        f"<summary>{escape(visible(text))}</summary></entry>\n"
    )
