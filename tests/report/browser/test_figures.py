"""Figures in a browser: chart, table and files without script; with it a chart that moves, for those who ask."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from mmbench.report.charts.figure import Figure, Painter, data, spec
from mmbench.report.render import Page, Renderer
from mmbench.report.store import Store
from tests.report.browser.test_site import axe_finds_nothing, opened
from tests.report.conftest import SITE
from tests.support import hostile

pytestmark = pytest.mark.browser


@pytest.fixture
def charts(built: Path, browser: Any) -> Iterator[tuple[Any, list[str], list[str]]]:
    """Return the page of charts, what it said and what it asked for."""
    page, said = opened(browser)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.goto(f"{built.as_uri()}/charts.html")
    page.wait_for_load_state("load")
    yield page, said, asked
    page.context.close()


def explored(page: Any, name: str) -> Any:
    """Click Explore on a figure; returns the figure once its chart moves."""
    figure = page.locator(f"figure#{name}")
    figure.get_by_role("button", name="Explore").click()
    figure.get_by_role("button", name="Back to the still image").wait_for()
    return figure


@pytest.mark.parametrize("script", [True, False])
def test_a_figure_turns_into_its_table_and_back(built: Path, browser: Any, script: bool) -> None:
    page, _ = opened(browser, java_script_enabled=script)
    page.goto(f"{built.as_uri()}/charts.html")
    figure = page.locator("figure#per-case")
    assert figure.locator(".drawing").is_visible() and figure.locator(".numbers").is_hidden()
    figure.get_by_label("Table", exact=True).check()
    assert figure.locator(".drawing").is_hidden() and figure.locator(".numbers tbody tr").count() > 3
    figure.get_by_label("Table", exact=True).press("ArrowLeft")
    assert figure.locator(".drawing").is_visible() and figure.locator(".numbers").is_hidden()
    page.context.close()


def test_the_files_of_a_figure_hold_what_it_shows(built: Path, browser: Any) -> None:
    page, said = opened(browser, java_script_enabled=False)
    page.goto(f"{built.as_uri()}/charts.html")
    for figure in page.locator("figure.chart").all():
        hrefs = [link.get_attribute("href") for link in figure.locator(".save a").all()]
        drawing, table = (built / href for href in hrefs)
        figure.get_by_label("Table", exact=True).check()
        cells = figure.locator(".numbers tr").first.locator("th").all_inner_texts()
        rows = list(csv.reader(table.read_text().splitlines()))
        assert rows[0] == cells
        assert len(rows) == figure.locator(".numbers tr").count()
        alone, complaints = opened(browser)
        alone.goto(drawing.as_uri())
        assert alone.locator("svg > title").text_content() == figure.locator("figcaption a").inner_text()
        assert complaints == []
        alone.context.close()
    assert said == []
    page.context.close()


def test_nothing_is_loaded_before_the_click_and_one_script_after(charts: Any) -> None:
    page, said, asked = charts
    assert not [name for name in asked if "vega" in name]
    for name in ("per-case", "drift"):
        explored(page, name)
    assert [name for name in asked if name.startswith("vega.")] == asked[-1:]
    assert said == []


def test_every_chart_can_be_explored(built: Path, browser: Any) -> None:
    for address in ("index.html", "charts.html"):
        page, said = opened(browser)
        page.goto(f"{built.as_uri()}/{address}")
        names = [figure.get_attribute("id") for figure in page.locator("figure.chart").all()]
        assert len(names) > 1
        for name in names:
            still = page.locator(
                f"#{name} .drawing svg [class*=mark-symbol] path, #{name} .drawing [class*=mark-rect] path"
            )
            marks = still.count()
            figure = explored(page, name)
            live = figure.locator(".stage svg [class*=mark-symbol] path, .stage svg [class*=mark-rect] path")
            assert live.count() == marks, name
        assert said == []
        page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_axe_finds_nothing_in_an_explored_chart(built: Path, browser: Any, scheme: str, width: int) -> None:
    page, _ = opened(browser, color_scheme=scheme, bypass_csp=True, viewport={"width": width, "height": 800})
    page.goto(f"{built.as_uri()}/charts.html")
    for name in ("per-case", "time-quality", "radar"):
        explored(page, name)
    page.locator("figure#tokens").get_by_label("Table", exact=True).check()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    axe_finds_nothing(page)
    page.context.close()


def test_the_keyboard_walks_over_the_points_and_back_to_the_still_image(charts: Any) -> None:
    page, said, _ = charts
    figure = page.locator("figure#per-case")
    figure.get_by_role("button", name="Explore").focus()
    page.keyboard.press("Enter")
    figure.get_by_role("button", name="Back to the still image").wait_for()
    figure.locator(".stage").focus()
    told = figure.locator(".said")
    page.keyboard.press("ArrowRight")
    first = told.inner_text()
    case, without = figure.locator(".numbers tbody tr").first.locator("th, td").all_text_contents()[:2]
    assert case in first
    page.keyboard.press("ArrowRight")
    assert case in told.inner_text() and told.inner_text() != first
    assert any(
        float(without) == pytest.approx(float(text.split()[-1]), rel=1e-3)
        for text in (first, told.inner_text())
    )
    page.keyboard.press("ArrowLeft")
    assert told.inner_text() == first
    assert figure.locator(".ring").count() == 1
    page.keyboard.press("Escape")
    assert figure.locator(".live").count() == 0 and figure.locator(".drawing").is_visible()
    assert page.evaluate("document.activeElement.textContent").startswith("Explore")
    assert said == []


def test_a_series_is_singled_out_by_button_and_by_legend(charts: Any) -> None:
    page, said, _ = charts
    figure = explored(page, "per-case")
    faded = figure.locator(".stage [class*=mark-symbol][class*=role-mark] path[opacity='0.12']")
    button = figure.get_by_role("button", name="with mm", exact=True)
    assert faded.count() == 0
    button.click()
    page.wait_for_function("() => document.querySelector('#per-case .stage path[opacity=\"0.12\"]')")
    half = faded.count()
    assert button.get_attribute("aria-pressed") == "true"
    assert half * 2 == figure.locator(".stage [class*=mark-symbol][class*=role-mark] path").count()
    figure.locator(".stage [class*=role-legend-label] text", has_text=re.compile("^with mm$")).click()
    page.wait_for_function("() => !document.querySelector('#per-case .stage path[opacity=\"0.12\"]')")
    assert button.get_attribute("aria-pressed") == "false"
    assert said == []


def test_a_chart_is_zoomed_by_button_wheel_and_drag(charts: Any) -> None:
    page, said, _ = charts
    figure = explored(page, "time-quality")
    first = "document.querySelector('#time-quality .stage [class*=role-axis-label]')"
    labels = f"[...{first}.children].map((label) => label.textContent).sort().join()"
    whole = page.evaluate(labels)
    figure.get_by_role("button", name="Zoom in").click()
    page.wait_for_function(f"() => {labels} !== {whole!r}")
    near = page.evaluate(labels)
    figure.get_by_role("button", name="Zoom in").click()
    page.wait_for_function(f"() => {labels} !== {near!r}")
    figure.get_by_role("button", name="Whole chart").click()
    page.wait_for_function(f"() => {labels} === {whole!r}")
    stage = figure.locator(".stage svg")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, 40)
    page.keyboard.down("Alt")
    page.mouse.wheel(0, 300)
    page.keyboard.up("Alt")
    page.wait_for_function(f"() => {labels} !== {whole!r}")
    assert said == []


def test_pointing_at_a_mark_tells_its_numbers(charts: Any) -> None:
    page, _, _ = charts
    figure = explored(page, "time-quality")
    figure.locator(".stage [class*=mark-symbol][class*=role-mark] path").first.hover()
    page.wait_for_function(
        "() => document.querySelector('#time-quality .said').textContent.includes('price')"
    )
    assert "synthetic-" in figure.locator(".said").inner_text()


def test_a_script_that_is_missing_is_said_and_the_image_stays(
    built: Path, browser: Any, tmp_path: Path
) -> None:
    shutil.copytree(built / "assets", tmp_path / "assets")
    shutil.copy(built / "charts.html", tmp_path)
    page, _ = opened(browser)
    page.goto(f"{tmp_path.as_uri()}/charts.html")
    figure = page.locator("figure#per-case")
    figure.get_by_role("button", name="Explore").click()
    figure.get_by_role("button", name="could not be loaded").wait_for()
    assert figure.locator(".drawing").is_visible() and figure.locator(".live").count() == 0
    page.context.close()


def test_a_page_without_figures_has_no_button(built: Path, browser: Any) -> None:
    page, _ = opened(browser)
    page.goto(f"{built.as_uri()}/how.html")
    assert page.get_by_role("button", name="Explore").count() == 0
    page.context.close()


def test_hostile_text_in_a_chart_stays_text(built: Path, browser: Any, tmp_path: Path) -> None:
    text = f'{hostile.MARKUP} " href="x" {hostile.ALL}'.replace("\ud800", "")
    rows = [
        {"name": text, "arm": arm, "mean": value} for arm, value in ((hostile.MARKUP, 1), ("__proto__", 2))
    ]
    color = alt.Color("arm:N", scale=alt.Scale(domain=[hostile.MARKUP, "__proto__"], range=["red", "blue"]))
    chart = alt.Chart(data(rows)).mark_point().encode(x="mean:Q", y="name:N", color=color)
    figure = Figure("odd", hostile.MARKUP, text, text, spec(chart), {"symbol": 2}, (text,), ((text,),))
    for part in ("assets", "explore"):
        shutil.copytree(built / part, tmp_path / part)
    page = Page("charts.html", "charts.html", {"board": _Board(), "figures": [figure]}, (figure,))
    for file in Renderer(SITE, Store(None), Painter()).files(page):
        (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file.path).write_bytes(file.data)
    view, said = opened(browser)
    view.goto(f"{tmp_path.as_uri()}/charts.html")
    odd = explored(view, "odd")
    odd.locator(".stage").focus()
    view.keyboard.press("ArrowRight")
    assert "<img src=x" in odd.locator(".said").inner_text()
    odd.locator(".tools button").first.click()
    assert view.title() != "owned"
    assert view.locator("img, [onerror], [onload], a[href='x']").count() == 0
    assert said == []
    view.goto(f"{tmp_path.as_uri()}/figure/charts/odd.svg")
    assert view.locator("script, image, a, [onload], [onerror]").count() == 0
    view.context.close()


class _Board:
    """As much of a board as the page of charts asks for."""

    key = "method"


@pytest.mark.parametrize("width", [320, 390])
def test_a_wide_chart_scrolls_in_its_own_frame_and_says_so(built: Path, browser: Any, width: int) -> None:
    page, _ = opened(browser, viewport={"width": width, "height": 800})
    page.goto(f"{built.as_uri()}/charts.html")
    frame = page.locator("#per-case .drawing")
    assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    assert page.locator("#per-case .hint").is_visible()
    frame.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('#per-case .drawing').scrollLeft > 0")
    page.context.close()


def test_a_chart_that_fits_has_no_hint(built: Path, browser: Any) -> None:
    page, _ = opened(browser, viewport={"width": 1280, "height": 800})
    page.goto(f"{built.as_uri()}/charts.html")
    assert page.locator("#per-case .hint").is_hidden()
    page.context.close()
