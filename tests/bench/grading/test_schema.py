import inspect
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mmbench.bench.grading import schema
from mmbench.bench.grading.kinds import KINDS

GOOD: list[dict[str, Any]] = [
    {"kind": "names_file", "weight": 2, "path": "scan_4471.pdf"},
    {"kind": "contains_number", "weight": 1, "value": "28.4"},
    {"kind": "contains_number", "weight": 0.5, "value": 28.4, "tolerance": 0.1, "near": "BLEU"},
    {"kind": "contains_text", "weight": 2, "value": "Attention Is All You Need"},
    {"kind": "path_exists", "weight": 1, "path": "vehicles/IMG_2231.jpg"},
    {"kind": "path_absent", "weight": 1, "path": "_other/DSC_0501.png"},
    {"kind": "artifact_exists", "weight": 1, "path": "invoices.csv"},
    {"kind": "artifact_row_count", "weight": 1, "path": "invoices.csv", "count": 2},
    {"kind": "artifact_contains", "weight": 1, "path": "invoices.csv", "value": "381.12"},
    {
        "kind": "table_match",
        "weight": 1,
        "path": "x.csv",
        "keys": ["file"],
        "truth": [{"file": "a", "n": [1, 2], "d": None}],
    },
    {"kind": "grouping", "weight": 1, "truth": {"cars": ["a.jpg"]}},
    {"kind": "tree_unchanged_except", "weight": 1, "allow": ["out/**"]},
    {
        "kind": "image_match",
        "weight": 1,
        "path": "x.png",
        "same_as": "a.png",
        "transform": [{"crop": [0, 0, 9, 9]}],
    },
    {"kind": "video_match", "weight": 1, "path": "x.mp4", "frames": [0, 1.5]},
    {"kind": "audio_match", "weight": 1, "path": "x.wav", "same_as": "a.wav", "channel_order": "swapped"},
    {"kind": "exif_preserved", "weight": 1, "files": {"vacation_001.jpg": "IMG_1.HEIC"}},
]
BAD: list[dict[str, Any]] = [
    {},
    {"kind": "names_file", "weight": 1},
    {"kind": "names_file", "weight": 0, "path": "a"},
    {"kind": "names_file", "weight": 1, "path": "a", "max_others": 3},
    {"kind": "no_such", "weight": 1},
    {"kind": "contains_number", "weight": 1, "value": "twenty"},
    {"kind": "contains_number", "weight": "1", "value": 20},
    {"kind": "contains_text", "weight": 1},
    {"kind": "artifact_contains", "weight": 1, "path": "x.csv"},
    {"kind": "path_exists", "weight": 1, "path": "a", "sha256": "abc"},
    {"kind": "table_match", "weight": 1, "path": "x.csv", "keys": [], "truth": [{"a": 1}]},
    {
        "kind": "table_match",
        "weight": 1,
        "path": "x.csv",
        "keys": ["a"],
        "truth": [{"a": 1}],
        "columns": {"a": {"typ": 1}},
    },
    {"kind": "image_match", "weight": 1, "path": "x", "transform": [{"crop": [0, 0, 9, 9], "rotate": 90}]},
    {"kind": "image_match", "weight": 1, "path": "x", "min_likeness": 0.3},
]


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(schema.checks_schema())


def test_the_file_is_what_the_kinds_say() -> None:
    assert schema.PATH.read_text(encoding="utf-8") == schema.text()


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema.checks_schema())


@pytest.mark.parametrize("check", GOOD, ids=lambda check: check["kind"])
def test_checks_of_every_form_are_valid(validator: Draft202012Validator, check: dict[str, Any]) -> None:
    assert [error.message for error in validator.iter_errors(check)] == []


@pytest.mark.parametrize("check", BAD, ids=json.dumps)
def test_what_is_not_declared_is_refused(validator: Draft202012Validator, check: dict[str, Any]) -> None:
    assert not validator.is_valid(check)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_closed_documented_and_its_defaults_are_valid(kind: str) -> None:
    spec = KINDS[kind]
    definition = schema.checks_schema()["$defs"][kind]
    assert definition["additionalProperties"] is False
    assert (inspect.getdoc(spec.grade) or "").startswith("Score ")
    for name, property_ in spec.properties.items():
        if "default" in property_:
            assert Draft202012Validator(property_).is_valid(property_["default"]), name
    assert set(spec.required) <= set(spec.properties)
