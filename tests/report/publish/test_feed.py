"""The feed and robots.txt."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from mmbench.report import load
from mmbench.report.pages.site import Site
from mmbench.report.publish import feed

ATOM = "{http://www.w3.org/2005/Atom}"


def test_the_feed_lists_sessions_newest_first(built: Path) -> None:
    root = ET.fromstring((built / "feed.xml").read_text())
    entries = root.findall(f"{ATOM}entry")
    stamps = [entry.findtext(f"{ATOM}updated") for entry in entries]
    assert stamps == sorted(stamps, reverse=True)
    assert root.findtext(f"{ATOM}updated") == stamps[0]
    assert entries[0].findtext(f"{ATOM}title") == "Reference session: synthetic-oracle with synthetic-gateway"
    for entry in entries:
        link = entry.find(f"{ATOM}link")
        assert link is not None and (built / link.attrib["href"]).is_file()


def test_an_empty_feed_has_no_time_of_its_building(tmp_path: Path) -> None:
    text = feed.atom(Site(load.results(tmp_path)))
    assert ET.fromstring(text).findtext(f"{ATOM}updated") == feed.EPOCH


def test_tasks_and_transcripts_are_kept_from_crawlers(built: Path) -> None:
    lines = (built / "robots.txt").read_text().splitlines()
    assert {"Disallow: /trial/", "Disallow: /data/transcript/"} <= set(lines)
