"""The built site as a whole."""

from __future__ import annotations

import os
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from mmbench.errors import DataError, UsageError
from mmbench.report.build import build
from mmbench.report.pages import sessions
from tests.report.conftest import SITE
from tests.support import hostile, synthetic
from tests.support.synthetic import Plan


class Reader(HTMLParser):
    """Collects what a page points at and what could run in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.scripts = 0
        self.handlers: list[str] = []
        self.styles = 0
        self.csp = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.links += [v for n, v in attrs if n in ("href", "src") and v is not None]
        self.ids += [v for n, v in attrs if n == "id" and v is not None]
        self.handlers += [n for n, _ in attrs if n.startswith("on")]
        self.styles += "style" in values or tag == "style"
        self.scripts += tag == "script" and "src" not in values and values.get("type") != "application/json"
        if values.get("http-equiv") == "Content-Security-Policy":
            self.csp = values["content"] or ""


def read(path: Path) -> Reader:
    reader = Reader()
    reader.feed(path.read_text())
    return reader


def pages(out: Path) -> list[Path]:
    return sorted(out.rglob("*.html"))


def content(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


def test_an_empty_folder_gives_a_page_that_says_how_to_start(tmp_path: Path) -> None:
    report = build(tmp_path / "none", tmp_path / "out", site=SITE)
    text = report.index.read_text()
    assert report.sessions == 0
    assert "No results yet" in text
    assert "nox -s bench" in text


def test_every_page_kind_is_there(built: Path) -> None:
    names = {str(path.relative_to(built)).split("/")[0] for path in pages(built)}
    assert names >= {
        "index.html",
        "cases.html",
        "sessions.html",
        "how.html",
        "cell",
        "session",
        "case",
        "trial",
        "method",
    }


def test_links_are_relative_and_lead_somewhere(built: Path) -> None:
    for page in pages(built):
        for link in read(page).links:
            parts = urlsplit(link)
            assert not parts.scheme and not parts.netloc and not link.startswith("/"), (page, link)
            if parts.path:
                target = (page.parent / unquote(parts.path)).resolve()
                assert target.is_file(), (page, link)


def test_ids_are_unique_and_anchors_exist(built: Path) -> None:
    for page in pages(built):
        found = read(page)
        assert len(found.ids) == len(set(found.ids)), page
        anchors = {link[1:] for link in found.links if link.startswith("#")}
        assert anchors <= set(found.ids), page


def test_hostile_text_is_inert(built: Path) -> None:
    for page in pages(built):
        found = read(page)
        assert found.handlers == [], page
        assert found.scripts == 0, page
        assert found.styles == 0, page
        assert "default-src 'none'" in found.csp, page
        text = page.read_text()
        assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text) is None, page
    session = next(p for p in (built / "trial").iterdir() if "synthetic-a" in p.name)
    trial = next(p for p in session.rglob("with_mm-1.html") if "‹ESC›" in p.read_text())
    assert "&lt;/script&gt;&lt;img src=x" in trial.read_text()


def test_what_a_browser_would_run_is_published_as_text(built: Path) -> None:
    endings = {path.suffix for path in (built / "artifacts").rglob("*") if path.is_file()}
    assert endings == {".png", ".txt"}
    published = {path.read_bytes() for path in (built / "artifacts").rglob("*.txt")}
    assert {hostile.SVG, hostile.HTML} <= published


def test_the_same_results_give_the_same_bytes(small: Path, built: Path, tmp_path: Path) -> None:
    zone = os.environ.get("TZ")
    os.environ["TZ"] = "Pacific/Auckland"
    time.tzset()
    try:
        build(small, tmp_path / "elsewhere" / "out", site=SITE)
    finally:
        os.environ.pop("TZ") if zone is None else os.environ.update(TZ=zone)
        time.tzset()
    assert content(tmp_path / "elsewhere" / "out") == content(built)


def test_a_second_build_writes_nothing(small: Path, tmp_path: Path) -> None:
    first = build(small, tmp_path / "out", site=SITE)
    again = build(small, tmp_path / "out", site=SITE)
    assert first.changed == first.files
    assert (again.changed, again.removed, again.files) == (0, 0, first.files)


def test_references_are_never_ranked(built: Path) -> None:
    text = (built / "index.html").read_text()
    ranked, references = text.split("<h3>Reference sessions</h3>")
    assert "synthetic-oracle" not in ranked
    assert "synthetic-oracle" in references.split("</section>")[0]


def test_only_leaves_the_others_out(small: Path, tmp_path: Path) -> None:
    chosen = sorted(small.glob("*.jsonl"))[1].stem
    report = build(small, tmp_path / "out", site=SITE, only=[chosen])
    assert report.sessions == 1
    with pytest.raises(UsageError):
        build(small, tmp_path / "out", site=SITE, only=["no-such"])


def test_a_broken_ledger_leaves_the_built_site_as_it_was(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(small, out, site=SITE)
    before = content(out)
    path = sorted(small.glob("*.jsonl"))[0]
    path.write_bytes(path.read_bytes().replace(b'"attempt":1', b'"attempt":2', 1))
    with pytest.raises(DataError):
        build(small, out, site=SITE)
    assert content(out) == before


def test_warnings_are_shown_and_returned(small: Path, tmp_path: Path) -> None:
    with sorted(small.glob("*.jsonl"))[0].open("ab") as stream:
        stream.write(b"{")
    report = build(small, tmp_path / "out", site=SITE)
    assert "torn line" in report.warnings[0]
    assert "torn line" in report.index.read_text()


def test_gaps_forbid_a_ranking_and_say_why(tmp_path: Path) -> None:
    plans = [Plan("synthetic-a", cases=8), Plan("synthetic-b", day=1, cases=8, cut=20)]
    synthetic.tree(tmp_path / "r", plans, synthetic.write_fast)
    text = build(tmp_path / "r", tmp_path / "out", site=SITE).index.read_text()
    assert "Not comparable: no ranking" in text
    assert "synthetic-b · synthetic-gateway: not yet run: 14 of 24 scheduled pairs" in text


def test_two_methods_stand_in_two_rankings(tmp_path: Path) -> None:
    plans = [Plan("synthetic-a", cases=8), Plan("synthetic-b", day=1, cases=8, judge=False)]
    synthetic.tree(tmp_path / "r", plans, synthetic.write_fast)
    build(tmp_path / "r", tmp_path / "out", site=SITE)
    assert len(list((tmp_path / "out/method").iterdir())) == 2
    board = (tmp_path / "out/index.html").read_text().split("</section>")[1]
    assert "synthetic-b" in board and "synthetic-a" not in board


def test_a_long_session_is_cut_into_parts(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "PART", 6)
    build(small, tmp_path / "out", site=SITE)
    name = sorted(small.glob("*.jsonl"))[0].stem
    parts = [tmp_path / f"out/session/{name}{end}" for end in (".html", "/2.html", "/3.html")]
    texts = [part.read_text() for part in parts]
    assert [
        next(line for line in text.splitlines() if "<caption>Pairs" in line)[9:].split(",")[0]
        for text in texts
    ] == ["Pairs 1 to 6 of 16", "Pairs 7 to 12 of 16", "Pairs 13 to 16 of 16"]


def test_pages_keep_their_budget(built: Path) -> None:
    sizes = {str(page.relative_to(built)): len(page.read_bytes()) for page in pages(built)}
    assert max(sizes.values()) <= 300_000, max(sizes, key=sizes.__getitem__)
    assert sum(len(path.read_bytes()) for path in built.glob("assets/*.css")) <= 20_000
