"""The picture for links elsewhere, and the site map."""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree as ET

from PIL import Image

from mmbench.report.build import build
from mmbench.report.publish import card
from tests.report.conftest import SITE


def test_the_picture_has_the_size_that_link_previews_take(built: Path) -> None:
    image = Image.open(io.BytesIO((built / card.PATH).read_bytes()))
    assert image.size == (1200, 630)
    assert len(image.convert("RGB").getcolors(1 << 20) or []) > 2


def test_without_results_it_says_so() -> None:
    assert "no data yet" in card.svg(None)
    ET.fromstring(card.svg(None))


def test_the_site_map_joins_the_address() -> None:
    root = ET.fromstring(card.sitemap(["b.html", "a&b.html"], "https://example.org/repo/").data)
    assert [url[0].text for url in root] == [
        "https://example.org/repo/a&b.html",
        "https://example.org/repo/b.html",
    ]


def test_an_address_gives_a_site_map_and_absolute_previews(small: Path, tmp_path: Path) -> None:
    build(small, tmp_path / "out", site=SITE, address="https://example.org/repo/")
    page = (tmp_path / "out/index.html").read_text()
    assert '<meta property="og:image" content="https://example.org/repo/assets/card.png">' in page
    assert '<meta property="og:url" content="https://example.org/repo/index.html">' in page
    text = (tmp_path / "out/sitemap.xml").read_text()
    assert "https://example.org/repo/index.html" in text and "/trial/" not in text


def test_without_an_address_nothing_is_absolute(built: Path) -> None:
    assert not (built / "sitemap.xml").exists()
    assert "og:image" not in (built / "index.html").read_text()


def test_tasks_and_transcripts_ask_not_to_be_indexed(built: Path) -> None:
    for kind in ("trial/*/*/*.html", "case/*.html"):
        for page in built.glob(kind):
            text = page.read_text()
            assert '<meta name="robots" content="noindex, noarchive">' in text
            assert "mmbench-canary-" in text
    assert "noindex" not in (built / "index.html").read_text()
