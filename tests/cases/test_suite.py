"""The embedded suite as a whole: its composition, its truths and its prompts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mmbench.bench import cheats, clarification, leaks
from mmbench.bench.fixture.labels import labels
from mmbench.case import Case, load_suite
from tests.bench.fixture.conftest import Built
from tests.cases.common import manifest
from tests.cases.truths import TRUTHS

CASES = Path(__file__).resolve().parents[2] / "cases"
SUITE = load_suite(CASES, "embedded")
COMMANDS = ("find", "peek", "wc", "sql", "grep", "cat")
GUARDED = ("artifact", "organization")
HELD = {"table_match": "truth", "grouping": "truth"}

every_case = pytest.mark.parametrize("case", SUITE.cases, ids=lambda case: case.id)
left_behind = pytest.mark.parametrize(
    "case",
    [case for case in SUITE.cases if case.document["archetype"] in GUARDED],
    ids=lambda case: case.id,
)


def _count(field: str) -> Counter[str]:
    return Counter(case.document[field] for case in SUITE.cases)


def _primary(case: Case) -> str:
    return str(case.document["mm_commands"][0])


def test_the_suite_has_so_many_cases_of_three_archetypes_and_two_difficulties() -> None:
    assert _count("archetype") == {"retrieval": 15, "artifact": 11, "organization": 7}
    assert _count("difficulty") == {"hard": 21, "medium": 12}


def test_every_surface_of_mm_is_the_primary_one_of_at_least_four_cases() -> None:
    primary = Counter(_primary(case) for case in SUITE.cases)
    assert all(primary[command] >= 4 for command in COMMANDS), primary


def test_every_modality_bears_load_in_at_least_five_cases() -> None:
    borne = Counter(modality for case in SUITE.cases for modality in case.document["modality"])
    assert all(borne[modality] >= 5 for modality in ("image", "video", "audio", "pdf", "doc")), borne


def test_no_two_cases_share_archetype_primary_command_and_dominant_modality() -> None:
    kinds = Counter(
        (case.document["archetype"], _primary(case), case.document["modality"][0]) for case in SUITE.cases
    )
    assert [kind for kind, number in kinds.items() if number > 1] == []


def test_every_case_has_a_truth_and_every_truth_a_case() -> None:
    assert {case.id for case in SUITE.cases} == TRUTHS.keys()


def test_canaries_differ() -> None:
    canaries = [case.document["canary"] for case in SUITE.cases]
    assert len(set(canaries)) == len(canaries)


@every_case
def test_the_ground_truth_is_what_the_labels_say(case: Case) -> None:
    assert case.document["ground_truth"] == TRUTHS[case.id](labels())


@every_case
def test_the_checks_hold_what_the_ground_truth_holds(case: Case) -> None:
    known = list(_values(case.document["ground_truth"]))
    for check in case.checks:
        for value in _wanted(check):
            assert value in known, (check["kind"], value)


def _wanted(check: dict[str, Any]) -> Iterator[Any]:
    """Yield what a check asks for in the spelling of the truth."""
    if check["kind"] in HELD:
        yield from _values(check[HELD[check["kind"]]])
    elif check["kind"] == "contains_number":
        yield check["value"]
    elif "sha256" in check:
        yield check["sha256"]
    elif check["kind"] == "names_file":
        yield from [check["path"]] if isinstance(check["path"], str) else check["path"]


def _values(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _values(item)
    elif isinstance(value, list):
        for item in value:
            yield from _values(item)
    else:
        yield value


@every_case
def test_the_subtree_and_the_files_that_checks_name_exist(case: Case) -> None:
    top = "" if case.dataset == "." else f"{case.dataset}/"
    files = {entry.path.removeprefix(top) for entry in manifest() if entry.path.startswith(top)}
    assert files
    for check in case.checks:
        named = [check["same_as"]] if "same_as" in check else []
        if check["kind"] == "names_file":
            named += [check["path"]] if isinstance(check["path"], str) else check["path"]
        if check["kind"] == "grouping":
            named += [path for paths in check["truth"].values() for path in paths]
        assert set(named) <= files


@every_case
def test_the_prompt_names_no_tool_and_gives_no_answer_away(case: Case) -> None:
    assert list(leaks.prompt_leaks(case)) == []


ASKING = [case for case in SUITE.cases if case.clarification is not None]


def test_two_cases_have_a_user_to_ask() -> None:
    assert [case.id for case in ASKING] == ["too-big", "yearly-cost"]
    assert all("clarification" in case.document["tags"] for case in ASKING)


@pytest.mark.parametrize("case", ASKING, ids=lambda case: case.id)
def test_a_user_can_be_asked_and_answers_what_the_truth_says(case: Case, built: Built) -> None:
    assert list(clarification.faults(case, built.path(case.dataset))) == []
    answer = clarification.Channel.of(case)
    assert answer is not None
    said = re.findall(r"\d+\.?\d*", answer.text.replace(",", ""))
    truth = case.document["ground_truth"]
    wanted = [truth["limit_bytes"] / 1000] if "limit_bytes" in truth else truth["rates"].values()
    assert {float(value) for value in wanted} <= {float(number) for number in said}


@pytest.mark.parametrize("case", ASKING, ids=lambda case: case.id)
def test_asking_well_and_doing_nothing_is_not_enough(case: Case, built: Built, tmp_path: Path) -> None:
    played = cheats.begin(built.path(case.dataset), tmp_path)
    asked = replace(played, exchange=cheats.question(case))
    assert asked.results(case)[0].score == 1
    assert asked.score(case) < 35


@every_case
def test_no_check_depends_on_mm(case: Case) -> None:
    assert list(leaks.dependence_on_mm(case)) == []


@left_behind
def test_damage_elsewhere_costs_at_least_thirty_points(case: Case) -> None:
    total = sum(check["weight"] for check in case.checks) + case.document.get("validator_weight", 0)
    guards = [check["weight"] for check in case.checks if check["kind"] == "tree_unchanged_except"]
    assert 100 * 0.75 * sum(guards) / total >= 30


@every_case
def test_the_solution_derives_its_answer_and_does_not_quote_it(case: Case) -> None:
    for arm in ("with_mm", "without_mm"):
        solution = case.solution(arm) or ""
        for check in case.checks:
            for text in leaks.of_check(check):
                if len(text) > 3 and check["kind"] != "contains_text":
                    assert text not in solution, (arm, text)


@every_case
def test_only_local_abilities_are_needed(case: Case) -> None:
    assert case.needs <= {"ocr", "speech"}
    assert case.solution("with_mm") is not None
