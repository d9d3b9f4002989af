"""The page that compares any two: what its script says is what Python says, for every pair."""

from __future__ import annotations

import json
import random
import shutil
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from mmbench.report import load
from mmbench.report.build import build
from mmbench.report.charts.figure import Painter
from mmbench.report.pages import versus
from mmbench.report.pages.compare import choices
from mmbench.report.pages.site import Site
from mmbench.report.render import Page, Renderer
from mmbench.report.store import Store
from mmbench.report.tables.compare import ARMS, CaseMean, Side, against, duel
from tests.report.browser.test_site import axe_finds_nothing, opened
from tests.report.conftest import SITE
from tests.support import hostile, synthetic
from tests.support.synthetic import Plan

pytestmark = pytest.mark.browser

LONG = "synthetic-" + "long-name" * 4
PLANS = (
    Plan("synthetic-a", day=0, cases=12, runs=2, infra=0.1),
    Plan("synthetic-a", day=7, cases=12, runs=3, void_run=2),
    Plan("synthetic-b", day=1, cases=9, runs=1, timeouts=0.3),
    Plan("synthetic-c", day=2, cases=3, runs=2),
    Plan("synthetic-c", day=3, cases=12, runs=1, judge=False, cut=11),
    Plan(LONG, LONG, day=4, cases=12, runs=1),
    Plan("synthetic-oracle", day=5, cases=8, runs=1, skill=2.0, gain=0.0, timeouts=0.0, reference=True),
)
"""Unequal case sets, fewer cases than an interval needs, voids, unfinished trials, two methods, long names."""

READ = """(section) => {
  const texts = {};
  for (const spot of section.querySelectorAll("[data-put]")) texts[spot.dataset.put] = spot.textContent;
  const strong = section.querySelector("strong[data-put]");
  return {
    texts: {...texts, sign: strong.className, n: section.querySelector(".found").hidden ? "" : "some"},
    rows: [...section.querySelectorAll("table.duel tbody tr")].map((row) => [
      ...[...row.cells].slice(0, 4).map((cell) => cell.textContent),
      row.querySelector("a") ? new URL(row.querySelector("a").href).pathname.split("/").slice(-2).join("/") : null,
      row.cells[3].className.split(" ").pop(),
      row.querySelector(".dot-left").getAttribute("cx"),
      row.querySelector(".bar").getAttribute("d"),
      row.querySelector(".dot-right").getAttribute("d"),
    ]),
  };
}"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Path]:
    results = tmp_path_factory.mktemp("compared") / "results"
    synthetic.tree(results, PLANS, synthetic.write_fast)
    out = results.parent / "_site"
    build(results, out, site=SITE)
    return Site(load.results(results)), out


def shown(page: Any, left: str, right: str) -> list[Any]:
    """Return what the page shows of a pair, arm by arm."""
    page.evaluate("([left, right]) => { location.hash = new URLSearchParams({left, right}); }", [left, right])
    done = (
        "([l, r]) => document.querySelector('#result [data-put=status]').textContent.startsWith('Compared') "
    )
    done += "&& document.querySelector('[name=left]').value === l && document.querySelector('[name=right]').value === r"
    page.wait_for_function(done, arg=[left, right])
    return [section.evaluate(READ) for section in page.locator("#result section").all()]


def expected(arms: Any, names: tuple[str, str], known: Any) -> Any:
    words = versus.words(arms, names)
    words["n"] = "some" if words["n"] else ""
    rows = versus.rows(arms.comparison, known)
    return {
        "texts": words,
        "rows": [
            [r.case, r.left, r.right, r.difference, r.href, r.sign, r.start, r.bar, r.end] for r in rows
        ],
    }


def test_the_script_says_what_python_says_of_every_pair(made: tuple[Site, Path], browser: Any) -> None:
    site, out = made
    known = choices(site)
    assert {choice.summary.method for choice in known} != {known[0].summary.method}
    page, said = opened(browser)
    page.goto(f"{out.as_uri()}/compare.html")
    kinds = set()
    for left, right in permutations(known, 2):
        names = (left.brief, right.brief) if left.group == right.group else (left.full, right.full)
        found = duel(left.summary, right.summary)
        wanted = [expected(arms, names, site.cases) for arms in found.arms]
        assert shown(page, left.key, right.key) == wanted, (left.key, right.key)
        assert page.locator("#result .banner").is_visible() == (not found.same_method)
        kinds |= {arms.difference.note.split(":")[0] for arms in found.arms}
    assert len(kinds) > 3, "the pairs are too much alike"
    assert said == []
    page.context.close()


def sides(seed: int) -> tuple[Side, Side]:
    """Return two sides at random, odd ones among them."""
    draw = random.Random(seed)
    count = draw.choice([1, 2, 5, 8, 9, 12, 30, 200, 1500])
    clusters = draw.choice([1, 2, 3, 8, count])
    step = draw.choice([0.01, 0.05, 0.125, 0.25, 12.5, 25, 100])
    offset = draw.choice([None, None, 0, step, -step])

    def score() -> float:
        return draw.randint(0, int(100 / step)) * step

    left, right = [], []
    for number in range(count):
        name, cluster = f"case-{number:04d}", f"area-{number % clusters}"
        threshold, value = draw.choice([60.0, 50.0]), score()
        other = score() if offset is None else min(100.0, max(0.0, value + offset))
        if draw.random() < 0.9:
            left.append(CaseMean(name, cluster, threshold, value, draw.randint(1, 3)))
        if draw.random() < 0.9:
            right.append(CaseMean(name, cluster, threshold, other, 1))
    return Side(tuple(left), draw.randint(0, 2)), Side(tuple(right), draw.randint(0, 2))


def staged(out: Path, folder: Path, pairs: dict[str, tuple[Side, Side]], names: dict[str, str]) -> Path:
    """Make a page over sides of our own in a copy of the site's assets."""
    for part in ("assets", "explore"):
        shutil.copytree(out / part, folder / part)
    listed = []
    for key, both in pairs.items():
        for index, one in enumerate(both):
            side = f"{key}-{index}"
            arms = {arm: {"left_out": one.left_out, "cases": one.cases} for arm in ARMS}
            (folder / f"{side}.js").write_text(f"mmbenchSide({json.dumps(side)},{json.dumps(arms)});")
            name = names.get(key, key)
            listed.append(
                {"key": side, "group": key, "brief": f"{name} {index}", "full": name, "method": "m"}
            )
            listed[-1]["file"] = f"{side}.js"
    context = {"cells": [], "sessions": [], "sides": listed, "cases": [], "limit": versus.ROWS}
    page = folder / "compare.html"
    page.write_bytes(
        Renderer(SITE, Store(None), Painter()).render(Page("compare.html", "compares.html", context))
    )
    return page


def test_the_statistics_agree_on_odd_samples(made: tuple[Site, Path], browser: Any, tmp_path: Path) -> None:
    pairs = {f"draw-{seed}": sides(seed) for seed in range(80)}
    page, said = opened(browser)
    page.goto(staged(made[1], tmp_path / "site", pairs, {}).as_uri())
    notes = set()
    for key, (left, right) in pairs.items():
        arms = against(ARMS[0], left, right)
        notes.add(arms.difference.note)
        wanted = expected(arms, (f"{key} 0", f"{key} 1"), ())
        assert shown(page, f"{key}-0", f"{key}-1")[0] == wanted, key
    assert len(notes) > 6, notes
    assert said == []
    page.context.close()


def test_hostile_names_and_cases_stay_text(made: tuple[Site, Path], browser: Any, tmp_path: Path) -> None:
    odd = Side((CaseMean(hostile.MARKUP, hostile.ALL.replace("\ud800", ""), 60.0, 10.0, 1),), 0)
    page, said = opened(browser)
    page.goto(staged(made[1], tmp_path / "site", {"odd": (odd, odd)}, {"odd": hostile.MARKUP}).as_uri())
    (first, _) = shown(page, "odd-0", "odd-1")
    assert first["rows"][0][0] == hostile.MARKUP
    assert first["texts"]["left"] == f"{hostile.MARKUP} 0"
    assert page.title() != "owned"
    assert page.locator("img, [onerror], [onload]").count() == 0
    assert said == []
    page.context.close()


def test_an_address_names_both_sides_and_the_form_changes_it(made: tuple[Site, Path], browser: Any) -> None:
    site, out = made
    one, other = choices(site)[0], choices(site)[-1]
    page, _ = opened(browser)
    page.goto(f"{out.as_uri()}/compare.html?left={one.key}&right={other.key}")
    page.locator("#result section").first.wait_for()
    assert page.get_by_label("Left").input_value() == one.key
    assert page.get_by_label("Right").input_value() == other.key
    page.get_by_role("button", name="Swap").click()
    page.wait_for_function("key => document.querySelector('[name=left]').value === key", arg=other.key)
    assert page.url.split("#")[1].startswith("left=" + other.key.replace("/", "%2F"))
    page.get_by_label("Right").select_option(choices(site)[1].key)
    page.go_back()
    page.wait_for_function("key => document.querySelector('[name=right]').value === key", arg=one.key)
    page.context.close()


def test_pages_of_cells_and_sessions_lead_to_a_comparison_with_a_neighbour(
    made: tuple[Site, Path], browser: Any
) -> None:
    site, out = made
    page, noise = opened(browser)
    known = {choice.key: choice for choice in choices(site)}
    newest = site.cells[next(cell for cell in site.cells if cell.agent == "synthetic-a")][0]
    for path in (f"session/{newest.id}.html", "cell/synthetic-b/synthetic-gateway.html"):
        page.goto(f"{out.as_uri()}/{path}")
        page.get_by_role("link", name="Set it beside another").first.click()
        page.locator("#result section").first.wait_for()
        left, right = (page.get_by_label(side).input_value() for side in ("Left", "Right"))
        assert left != right
        alone = [choice.group for choice in known.values()].count(known[right].group) == 1
        assert alone or known[left].group == known[right].group
        assert right in (newest.id, *(key for key in known if key.startswith("synthetic-b/")))
    assert noise == []
    page.context.close()


def test_missing_data_is_said(made: tuple[Site, Path], browser: Any, tmp_path: Path) -> None:
    odd = Side((), 0)
    page, _ = opened(browser)
    path = staged(made[1], tmp_path / "site", {"odd": (odd, odd)}, {})
    (tmp_path / "site/odd-1.js").unlink()
    page.goto(path.as_uri())
    page.get_by_text("could not be loaded").wait_for()
    page.context.close()


def test_without_script_there_are_the_pairs_with_a_page(made: tuple[Site, Path], browser: Any) -> None:
    page, _ = opened(browser, java_script_enabled=False)
    page.goto(f"{made[1].as_uri()}/compare.html")
    assert page.locator("form").is_hidden()
    assert page.get_by_text("needs JavaScript").is_visible()
    page.get_by_role("link", name="synthetic-a").first.click()
    assert page.locator("table.duel tbody tr").count() > 3
    assert page.locator("table.duel .dumbbell").first.is_visible()
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_long_names_break_nothing(made: tuple[Site, Path], browser: Any, scheme: str, width: int) -> None:
    site, out = made
    key = next(choice.key for choice in choices(site) if LONG in choice.key)
    statics = sorted(
        path.relative_to(out) for path in out.glob("compare/cells/**/*.html") if LONG in str(path)
    )
    for address in (
        f"compare.html#left={key}&right={choices(site)[-1].key}",
        statics[0],
        "index.html",
        "charts.html",
    ):
        page, said = opened(
            browser, bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 800}
        )
        page.goto(f"{out.as_uri()}/{address}")
        page.wait_for_load_state("load")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        assert said == []
        axe_finds_nothing(page)
        page.context.close()
