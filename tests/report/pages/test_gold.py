"""Four pages as they were looked at, built from the small synthetic results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import gold

GOLD = Path(__file__).parent / "gold"
PAGES = {
    "home": "index.html",
    "session": "session/20260203t080000z-synthetic-b-synthetic-gateway.html",
    "case": "case/retrieval-video-03.html",
    "trial": "trial/20260202t080000z-synthetic-a-synthetic-gateway/artifact-doc-04/with_mm-1.html",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_it_was_looked_at(built: Path, name: str, tmp_path: Path) -> None:
    gold.check(GOLD / f"{name}.golden.html", scrubbed((built / PAGES[name]).read_text()), tmp_path)


def scrubbed(html: str) -> str:
    """Leave out the content hashes of assets: a change of the style sheet is no change of a page."""
    return re.sub(r"((?:assets|explore)/[a-z]+)\.[0-9a-f]{8}\.", r"\1.HASH.", html)
