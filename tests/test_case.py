"""Suites load from every documented form, and a fault names its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmbench import case
from mmbench.errors import DataError, UsageError

DOCUMENT: dict[str, Any] = {
    "id": "find-it",
    "title": "Find it",
    "archetype": "retrieval",
    "modality": ["pdf"],
    "dataset": "Papers",
    "mm_commands": ["grep", "cat"],
    "difficulty": "medium",
    "prompt": "Which paper mentions it?",
    "ground_truth": {"file": "a.pdf"},
    "checks": [
        {"kind": "contains_text", "weight": 1, "value": "a"},
        {"kind": "names_file", "weight": 2, "path": "a.pdf"},
    ],
    "judge_objective": "Names the file.",
    "timeout_s": 60,
}


def folder(root: Path, document: dict[str, Any], **texts: str) -> Path:
    place = root / document["id"]
    place.mkdir(parents=True)
    given = {key: value for key, value in document.items() if key != "prompt"}
    (place / "case.json").write_text(json.dumps(given), encoding="utf-8")
    names = {"prompt": "prompt.md", "solution": "solution.sh", "plain": "solution.without_mm.sh"}
    for key, text in ({"prompt": document["prompt"]} | texts).items():
        (place / names[key]).write_text(text, encoding="utf-8")
    return place


def test_the_folder_the_jsonl_and_the_yaml_form_are_one_document(tmp_path: Path) -> None:
    import yaml

    folder(tmp_path / "suite", DOCUMENT)
    (tmp_path / "cases.jsonl").write_text(json.dumps(DOCUMENT) + "\n\n", encoding="utf-8")
    (tmp_path / "cases.yaml").write_text(yaml.safe_dump([DOCUMENT]), encoding="utf-8")
    forms = [
        case.load_suite(tmp_path, str(tmp_path / name)) for name in ("suite", "cases.jsonl", "cases.yaml")
    ]
    assert [suite.cases[0].document for suite in forms] == [DOCUMENT] * 3
    assert len({suite.cases[0].digest for suite in forms}) == 1


def test_the_twelve_fields_of_the_first_form_load_as_they_are(tmp_path: Path) -> None:
    assert set(DOCUMENT) == {
        "id", "title", "archetype", "modality", "dataset", "mm_commands", "difficulty", "prompt", "ground_truth",
        "checks", "judge_objective", "timeout_s",
    }  # fmt: skip
    path = tmp_path / "cases.jsonl"
    path.write_text(
        "".join(json.dumps(DOCUMENT | {"id": f"case-{n}"}) + "\n" for n in range(3)), encoding="utf-8"
    )
    assert [loaded.id for loaded in case.load_suite(tmp_path, str(path)).cases] == [
        "case-0",
        "case-1",
        "case-2",
    ]


def test_solutions_belong_to_arms(tmp_path: Path) -> None:
    folder(tmp_path / "suite", DOCUMENT, solution="mm grep x", plain="grep x")
    loaded = case.load_suite(tmp_path, "suite").cases[0]
    assert loaded.solution("with_mm") == loaded.solution("unprimed") == "mm grep x"
    assert loaded.solution("without_mm") == loaded.solution("placebo") == "grep x"


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"id": "../etc"}, "/id"),
        ({"archetype": "magic"}, "/archetype"),
        ({"dataset": "../outside"}, "/dataset"),
        ({"dataset": "/absolute"}, "/dataset"),
        ({"timeout_s": 0}, "/timeout_s"),
        ({"typo": 1}, "/"),
        ({"checks": []}, "/checks"),
        ({"checks": [{"kind": "no_such_kind", "weight": 1}]}, "/checks/0/kind"),
        ({"checks": [{"kind": "names_file", "weight": -1, "path": "a"}]}, "/checks/0/weight"),
        ({"checks": [{"kind": "names_file", "weight": 1, "path": "a", "typo": 1}]}, "/checks/0"),
    ],
)
def test_a_fault_names_its_pointer(change: dict[str, Any], pointer: str) -> None:
    found = case.faults(DOCUMENT | change, "here")
    assert pointer in {fault.pointer for fault in found}, found


def test_a_folder_that_is_not_named_like_its_case_is_a_fault(tmp_path: Path) -> None:
    place = folder(tmp_path / "suite", DOCUMENT)
    place.rename(tmp_path / "suite" / "other")
    with pytest.raises(DataError, match="the id is 'find-it', the folder 'other'"):
        case.load_suite(tmp_path, "suite")


@pytest.mark.parametrize("text", ["{", "[]", '{"id": NaN}', '{"id": 1, "id": 2}', "\ufeff{}", "[" * 100_000])
def test_what_is_no_json_object_is_named_with_file_and_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(DOCUMENT) + "\n" + text + "\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        case.load_suite(tmp_path, str(path))
    assert caught.value.where == "cases.jsonl:2"


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text((json.dumps(DOCUMENT) + "\n") * 2, encoding="utf-8")
    with pytest.raises(DataError, match="Two cases have the id"):
        case.load_suite(tmp_path, str(path))


def test_unknown_names_get_the_nearest(tmp_path: Path) -> None:
    folder(tmp_path / "suite", DOCUMENT)
    with pytest.raises(UsageError, match="Did you mean suite"):
        case.load_suite(tmp_path, "suit")
    with pytest.raises(UsageError, match="Did you mean find-it"):
        case.load_suite(tmp_path, "suite").select(["find-i"])


def test_the_digest_follows_the_content_and_not_its_order() -> None:
    turned = dict(reversed(DOCUMENT.items()))
    assert case.Case(DOCUMENT, "a").digest == case.Case(turned, "b").digest
    assert case.Case(DOCUMENT | {"prompt": "Other?"}, "a").digest != case.Case(DOCUMENT, "a").digest


def test_a_text_that_is_not_utf8_names_its_file(tmp_path: Path) -> None:
    place = folder(tmp_path / "suite", DOCUMENT)
    (place / "prompt.md").write_bytes(b"caf\xe9")
    with pytest.raises(DataError, match="not UTF-8") as error:
        case.load_suite(tmp_path, str(tmp_path / "suite"))
    assert error.value.where == "find-it/prompt.md"


@pytest.mark.parametrize("data", [b"caf\xe9", b"when: 2020-13-45", b"[" * 5000])
def test_a_file_that_is_no_yaml_names_itself(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "cases.yaml").write_bytes(data)
    with pytest.raises(DataError) as error:
        case.load_suite(tmp_path, str(tmp_path / "cases.yaml"))
    assert error.value.where == "cases.yaml"


def test_a_solution_beside_a_document_without_room_for_it_is_a_fault(tmp_path: Path) -> None:
    folder(tmp_path / "suite", DOCUMENT | {"solutions": "none"}, solution="true")
    with pytest.raises(DataError, match="/solutions"):
        case.load_suite(tmp_path, str(tmp_path / "suite"))


def test_a_suite_is_named_so_that_a_session_can_say_it(tmp_path: Path) -> None:
    (tmp_path / "My Cases.jsonl").write_text(json.dumps(DOCUMENT) + "\n", encoding="utf-8")
    assert case.load_suite(tmp_path, str(tmp_path / "My Cases.jsonl")).name == "my-cases"
