"""Variants as cases of their own: same task and truth, another id, something in the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmbench import case as cases
from mmbench import variants
from mmbench.case import Case, Suite, load_suite
from mmbench.errors import DataError, UsageError
from tests.bench.test_case_tests import case

EMBEDDED = load_suite(Path(__file__).resolve().parents[1] / "cases", "embedded")
DAMAGED = {"id": "damaged", "obstacle": "corrupt_file", "path": "sky.txt"}
NO_FIND = {"id": "no-find", "obstacle": "missing_tool", "tool": "find", "solutions": {"with_mm": "mm find"}}


def test_a_variant_is_the_case_with_something_in_the_way() -> None:
    base = case(variants=[DAMAGED, NO_FIND], setup=[{"do": "mkdir", "path": "a"}], tags=["image"])
    damaged, no_find = variants.of_case(base)
    assert damaged.id == "green.damaged"
    assert damaged.setup == [{"do": "mkdir", "path": "a"}, {"do": "corrupt", "path": "sky.txt"}]
    assert damaged.obstacle == {"obstacle": "corrupt_file", "path": "sky.txt"}
    assert damaged.document["tags"] == ["image", "variant"]
    assert no_find.solution("with_mm") == "mm find"
    assert no_find.solution("without_mm") is None
    for one in (damaged, no_find):
        assert (one.prompt, one.checks, one.cluster) == (base.prompt, base.checks, base.cluster)
        assert "variants" not in one.document
        assert cases.faults(one.document, "here") == []
    assert len({base.digest, damaged.digest, no_find.digest}) == 3


def test_choosing_a_case_chooses_its_variants_where_they_are_wanted() -> None:
    suite = Suite("s", "d", (case(variants=[DAMAGED]), case(id="other", variants=[NO_FIND])))

    def chosen(*ids: str, also: bool = True) -> list[str]:
        return [one.id for one in variants.choose(suite, ids, also=also).cases]

    assert chosen(also=False) == ["green", "other"]
    assert chosen("green", also=False) == ["green"]
    assert chosen() == ["green", "green.damaged", "other", "other.no-find"]
    assert chosen("green") == ["green", "green.damaged"]
    assert chosen("other.no-find") == ["other.no-find"]
    with pytest.raises(UsageError, match="green.damaged"):
        chosen("green.damaged", also=False)


@pytest.mark.parametrize("twins", [(DAMAGED, DAMAGED), (DAMAGED, None)])
def test_an_id_that_is_there_twice_is_refused(twins: tuple[Any, Any]) -> None:
    listed = [one for one in twins if one]
    extra: tuple[Case, ...] = () if twins[1] else (case(id="green.damaged"),)
    with pytest.raises(DataError, match=r"green\.damaged"):
        variants.expand(Suite("s", "d", (case(variants=listed), *extra)))


@pytest.mark.parametrize(
    "variant",
    [
        {"obstacle": "missing_tool"},
        {"obstacle": "missing_tool", "tool": "mm"},
        {"obstacle": "missing_tool", "tool": "../bin/find"},
        {"obstacle": "renamed_tool", "tool": "find", "as": "mm"},
        {"obstacle": "renamed_tool", "tool": "find", "as": "../find"},
        {"obstacle": "misleading_alias", "tool": "ls", "as": "rm'; rm -rf ~ '"},
        {"obstacle": "corrupt_file", "path": "../../etc/passwd"},
        {"obstacle": "unwritable_folder"},
        {"obstacle": "option_name"},
        {"obstacle": "full_quota", "setup": [{"do": "write", "path": "/etc/x", "text": ""}]},
    ],
)
def test_a_variant_that_makes_no_sense_is_invalid(variant: dict[str, Any]) -> None:
    assert cases.faults(case(variants=[{"id": "odd"} | variant]).document, "here")


def test_the_embedded_suite_has_a_variant_of_every_obstacle_and_all_are_valid() -> None:
    found = [one for base in EMBEDDED.cases for one in variants.of_case(base)]
    obstacles = {one.obstacle["obstacle"] for one in found if one.obstacle}
    assert obstacles == {
        "missing_tool", "renamed_tool", "misleading_alias", "unwritable_folder",
        "corrupt_file", "option_name", "full_quota",
    }  # fmt: skip
    assert [fault for one in found for fault in cases.faults(one.document, one.id)] == []
