"""The site in a real browser: quiet, inert, complete without script, better with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

KINDS = (
    "index.html",
    "charts.html",
    "cases.html",
    "sessions.html",
    "compare.html",
    "judge.html",
    "how.html",
    "data.html",
    "cell/*/*.html",
    "session/*.html",
    "case/*.html",
    "compare/cells/**/*.html",
    "method/*.html",
    "only/*/*.html",
    "trial/*synthetic-a*/*/with_mm-1.html",
    "session/*synthetic-arms*.html",
    "cell/synthetic-arms*/*.html",
    "trial/*synthetic-arms*/*/unprimed-1.html",
)


def page_of(built: Path, kind: str) -> str:
    return str(sorted(built.glob(kind))[-1].relative_to(built))


def opened(browser: Any, **options: Any) -> tuple[Any, list[str]]:
    page = browser.new_context(**options).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.extend(_failed(request)))
    return page, said


def _failed(request: Any) -> list[str]:
    """Return what failed; what leaving a page cut short did not."""
    return [] if "ERR_ABORTED" in (request.failure or "") else [f"failed {request.url}: {request.failure}"]


def axe_finds_nothing(page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    found = axe.Axe().run(page)
    assert found.response["passes"], "axe did not look at the page"
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_quiet_from_a_file_and_under_repo(
    built: Path, served: str, browser: Any, kind: str
) -> None:
    path = page_of(built, kind)
    for base in (built.as_uri(), served):
        page, said = opened(browser)
        asked: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(f"{base}/{path}")
        page.wait_for_load_state("load")
        assert said == []
        assert all(url.startswith(base) for url in asked), asked
        assert page.evaluate("getComputedStyle(document.body).maxWidth") != "none", "no style sheet"
        page.context.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_axe_finds_nothing(built: Path, browser: Any, kind: str, scheme: str, width: int) -> None:
    page, _ = opened(browser, color_scheme=scheme, bypass_csp=True, viewport={"width": width, "height": 800})
    page.goto(f"{built.as_uri()}/{page_of(built, kind)}")
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    axe_finds_nothing(page)
    page.context.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [320, 1280])
def test_a_page_fits_its_window(built: Path, browser: Any, kind: str, width: int) -> None:
    page, _ = opened(browser, viewport={"width": width, "height": 800})
    page.goto(f"{built.as_uri()}/{page_of(built, kind)}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def test_hostile_text_runs_nothing(built: Path, browser: Any) -> None:
    page, said = opened(browser)
    for path in sorted(built.glob("trial/*synthetic-a*/*/with_mm-1.html")):
        page.goto(path.as_uri())
        for summary in page.locator("summary").all():
            summary.click()
        assert page.title() != "owned"
        assert page.locator("img[src='x'], [onload], [onerror], iframe[src^='javascript']").count() == 0
        assert all("javascript:" not in (a.get_attribute("href") or "") for a in page.locator("a").all())
    assert said == []
    page.context.close()


def test_published_files_run_nothing_either(built: Path, served: str, browser: Any) -> None:
    page, _ = opened(browser)
    for path in sorted(built.glob("artifacts/*/*.txt")):
        page.goto(f"{served}/{path.relative_to(built)}")
        assert page.title() != "owned"
    page.context.close()


def test_columns_sort_by_their_numbers(built: Path, browser: Any) -> None:
    page, _ = opened(browser)
    page.goto(f"{built.as_uri()}/index.html")
    table = page.locator("table.board").first
    head = table.locator("thead th", has_text="Without")
    cells = table.locator("tbody tr td:nth-child(3)")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    values = [float(text) for text in cells.all_inner_texts()]
    assert values == sorted(values, reverse=True)
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert [float(text) for text in cells.all_inner_texts()] == sorted(values)
    assert table.locator("th[aria-sort]").count() == 1
    page.context.close()


def test_times_and_counts_sort_in_their_base_unit(built: Path, browser: Any) -> None:
    page, _ = opened(browser)
    session = page_of(built, "session/*synthetic-a*.html")
    page.goto(f"{built.as_uri()}/{session}")
    table = page.locator("table.trials")
    table.locator("thead button", has_text="Time without").click()
    seconds = [_seconds(text) for text in table.locator("tbody tr td:nth-child(6)").all_inner_texts()]
    assert seconds == sorted(seconds, reverse=True)
    assert max(seconds) > 60
    page.context.close()


def _seconds(text: str) -> float:
    words = text.replace(">", "").replace("\u00a0", " ").split()
    return 60 * float(words[0]) + float(words[2]) if "min" in words else float(words[0])


def test_the_filter_hides_rows_and_says_how_many_are_left(built: Path, browser: Any) -> None:
    page, _ = opened(browser)
    page.goto(f"{built.as_uri()}/cases.html")
    page.get_by_label("Filter rows").fill("audio medium")
    rows = page.locator("table.caselist tbody tr:visible").all_inner_texts()
    assert rows and all("audio" in row and "medium" in row for row in rows)
    assert f"{len(rows)} of 8 rows" in page.locator("[role=status]").first.inner_text()
    page.context.close()


def test_everything_is_there_without_script(built: Path, browser: Any) -> None:
    page, _ = opened(browser, java_script_enabled=False)
    page.goto(f"{built.as_uri()}/index.html")
    assert page.locator("table.board tbody tr").count() == 3
    assert page.locator("figure.chart svg").count() >= 2
    assert page.locator("button").count() == 0
    page.get_by_role("link", name="retrieval", exact=True).click()
    assert page.locator("h1").inner_text() == "Only retrieval"
    page.context.close()


def test_a_deep_link_is_reached_and_marked(built: Path, browser: Any) -> None:
    page, _ = opened(browser)
    trial = page_of(built, "trial/*synthetic-a*/*/with_mm-1.html")
    page.goto(f"{built.as_uri()}/{trial}#step-2")
    assert page.locator("#step-2").is_visible()
    assert page.evaluate("document.querySelector(':target').id") == "step-2"
    page.context.close()


@pytest.mark.parametrize(
    ("scheme", "background"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(17, 20, 24)")]
)
def test_charts_take_the_colours_of_the_scheme(
    built: Path, browser: Any, scheme: str, background: str
) -> None:
    page, _ = opened(browser, color_scheme=scheme)
    page.goto(f"{built.as_uri()}/index.html")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == background
    fill = page.evaluate("getComputedStyle(document.querySelector('.chart svg text')).fill")
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert fill == ink or fill == page.evaluate("getComputedStyle(document.querySelector('.note')).color")
    page.context.close()


def test_the_keyboard_reaches_the_content_first(built: Path, browser: Any) -> None:
    page, _ = opened(browser)
    page.goto(f"{built.as_uri()}/index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")
    page.context.close()


def test_a_csp_is_in_force(built: Path, browser: Any) -> None:
    page, said = opened(browser)
    page.goto(f"{built.as_uri()}/index.html")
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = \"document.title='owned'\";"
        " document.body.append(s); }"
    )
    assert page.title() != "owned"
    assert any("Content Security Policy" in text for text in said)
    page.context.close()
