"""What may be compared, how it is called, and the words of a comparison."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from mmbench.report import load
from mmbench.report.assembly import Group
from mmbench.report.pages import compare, versus
from mmbench.report.pages.site import Site
from mmbench.report.render import File, Page
from mmbench.report.tables.compare import ARMS, CaseMean, Side, against, side
from tests.support import synthetic
from tests.support.synthetic import Plan

PLANS = (
    Plan("synthetic-a", day=0, cases=8, runs=1, judge=False),
    Plan("synthetic-a", day=1, cases=8, runs=1),
    Plan("synthetic-a", "synthetic-local", day=1, cases=8, runs=1),
    Plan("synthetic-b", day=2, cases=8, runs=1),
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    results = tmp_path_factory.mktemp("compared")
    synthetic.tree(results, PLANS, synthetic.write_fast)
    return Site(load.results(results))


def sides(*scores: tuple[float | None, float | None]) -> tuple[Side, Side]:
    """Return two sides from (left, right) scores of cases, None where a side lacks one."""
    both: list[list[CaseMean]] = [[], []]
    for number, pair in enumerate(scores):
        for one, score in zip(both, pair, strict=True):
            if score is not None:
                one.append(CaseMean(f"case-{number}", f"area-{number}", 60.0, score, 1))
    return Side(tuple(both[0]), 0), Side(tuple(both[1]), 2)


def words(*scores: tuple[float | None, float | None]) -> dict[str, str]:
    return versus.words(against(ARMS[0], *sides(*scores)), ("Left", "Right"))


def test_every_row_of_every_board_and_every_session_may_be_chosen(site: Site) -> None:
    found = compare.choices(site)
    assert len({choice.key for choice in found}) == len(found) == 8
    assert {choice.key for choice in found} >= {session.id for session in site.results.sessions}
    assert len({choice.full for choice in found}) == len(found)
    (old,) = (c for c in found if c.group.startswith("Agents") and "(current)" not in c.group)
    assert old.full == f"{old.brief}, method {old.summary.method[:12]}"


def test_a_choice_brings_its_data_as_a_script(site: Site) -> None:
    made = list(compare.pages(site))
    files = {file.path: file.data.decode() for file in made if isinstance(file, File)}
    (page,) = (page for page in made if isinstance(page, Page) and page.path == "compare.html")
    listed: Sequence[dict[str, str]] = page.context["sides"]
    assert {entry["file"] for entry in listed} == set(files)
    for entry, choice in zip(listed, compare.choices(site), strict=True):
        text = files[entry["file"]]
        key, arms = json.loads(f"[{text.removeprefix('mmbenchSide(').removesuffix(');' + chr(10))}]")
        assert key == entry["key"] == choice.key
        for arm in ARMS:
            found = side(choice.summary, arm)
            assert arms[arm]["left_out"] == found.left_out
            assert [CaseMean(*case) for case in arms[arm]["cases"]] == list(found.cases)


def test_neighbours_have_a_page_each(site: Site) -> None:
    made = [
        one for item in compare.pages(site) for one in (item.make() if isinstance(item, Group) else [item])
    ]
    paths = [page.path for page in made if isinstance(page, Page)]
    assert len(paths) == len(set(paths)) == 3 + 1 + 1
    assert sum(path.startswith("compare/cells/") for path in paths) == 3


def test_the_words_of_a_comparison() -> None:
    found = words((50, 70), (70, 50), (70, 90), (10, None), (None, 10), (80, 80))
    assert found["finding"] == "Right is ahead in 2 of 4 cases, behind in 1, level in 1."
    assert (found["wins"], found["ties"], found["losses"]) == ("2", "1", "1")
    assert [found[name] for name in ("both", "only_left", "only_right", "neither")] == ["2", "1", "1", "0"]
    assert found["difference"] == "+5.0" and found["interval"] == ""
    assert found["note"].startswith("The interval is withheld under 8 cases.")
    assert found["p_mcnemar"] == "p = 1.000"
    assert found["rest"] == (
        "Left out: 1 case only of Left; 1 case only of Right; 2 trials of Right without a score that counts."
    )


def test_a_small_p_is_not_zero() -> None:
    assert words(*[(0, 100)] * 20)["p_sign"] == "p < 0.001"
    assert versus.chance(0.0012) == "p = 0.001"


def test_nothing_in_common_is_said() -> None:
    found = words((50, None), (None, 50))
    assert found["n"] == "" and found["finding"] == "They have no case in common that both finished."


def test_long_tables_are_cut_at_what_differs_least() -> None:
    scores = [(0.0, number / 2) for number in range(versus.ROWS + 5)]
    made = against(ARMS[0], *sides(*scores))
    rows = versus.rows(made.comparison, {"case-154"})
    assert len(rows) == versus.ROWS
    assert (rows[0].case, rows[0].href, rows[0].bar) == ("case-154", "case/case-154.html", "M0.0 6H77.0")
    assert rows[1].href is None
    assert versus.words(made, ("a", "b"))["caption"].endswith(f"; the first {versus.ROWS}")
