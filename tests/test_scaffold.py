"""A case that was just begun: valid, and told as failing until it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench import case, scaffold
from mmbench.bench import case_tests, dataset
from mmbench.case import Archetype
from mmbench.errors import UsageError
from mmbench.scaffold import Wanted

ARCHETYPES: tuple[Archetype, ...] = ("retrieval", "artifact", "organization")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    (tmp_path / "cases" / "mine").mkdir(parents=True)
    return tmp_path / "cases"


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_a_new_case_is_valid_and_fails_its_tests(cases: Path, archetype: Archetype) -> None:
    folder = scaffold.begin(
        cases, "mine", Wanted("paper-trail", archetype, ("pdf", "image"), ("grep", "cat"))
    )
    assert sorted(path.name for path in folder.iterdir()) == [
        "case.json", "prompt.md", "solution.sh", "solution.without_mm.sh",
    ]  # fmt: skip
    (begun,) = case.load_suite(cases, "mine").cases
    assert begun.document["modality"] == ["pdf", "image"]
    data = cases.parent / "data"
    data.mkdir()
    (data / "a.txt").write_text("a")
    (data / "b.txt").write_text("b")
    bench = case_tests.Bench(dataset.resolve(str(data), cases), repeat=1, kind="process")
    faults = bench.test(begun).faults
    assert any("solved without mm it reaches" in fault or "a grader failed" in fault for fault in faults), (
        faults
    )


def test_two_cases_have_two_canaries(cases: Path) -> None:
    for name in ("one", "two"):
        scaffold.begin(cases, "mine", Wanted(name, "retrieval"))
    one, two = case.load_suite(cases, "mine").cases
    assert one.document["canary"] != two.document["canary"]


@pytest.mark.parametrize(
    ("suite", "wanted"),
    [
        ("mien", Wanted("fine", "retrieval")),
        ("mine", Wanted("../out", "retrieval")),
        ("mine", Wanted("fine", "retrieval", modality=("hologram",))),
        ("mine", Wanted("fine", "retrieval", commands=("destroy",))),
        ("mine", Wanted("fine", "retrieval", dataset="../elsewhere")),
    ],
)
def test_what_could_not_be_a_case_is_refused_and_nothing_written(
    cases: Path, suite: str, wanted: Wanted
) -> None:
    with pytest.raises(UsageError):
        scaffold.begin(cases, suite, wanted)
    assert list((cases / "mine").iterdir()) == []


def test_a_case_is_never_overwritten(cases: Path) -> None:
    scaffold.begin(cases, "mine", Wanted("mine", "retrieval"))
    with pytest.raises(UsageError, match="already has"):
        scaffold.begin(cases, "mine", Wanted("mine", "artifact"))
