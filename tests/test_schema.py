"""The schemas are schemas, closed, and say the same as the code."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from mmbench import schema
from mmbench.outcome import Status

NAMES = sorted(
    path.name.removesuffix(".schema.json") for path in schema.schema_folder().glob("*.schema.json")
)
OPEN = {"ground_truth", "parts", "setup"}
"""Objects that are open on purpose: their content is the author's own."""


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_valid_and_names_itself(name: str) -> None:
    loaded = schema.load(name)
    Draft202012Validator.check_schema(loaded)
    assert loaded["$schema"].endswith("2020-12/schema")
    assert loaded["$id"] == f"{name}.schema.json"


def objects(value: Any, name: str = "") -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    if isinstance(value, dict):
        if "properties" in value:
            found.append((name, value))
        for key, item in value.items():
            if key not in ("if", "then"):  # conditions on an object that is closed around them
                found += objects(item, key)
    elif isinstance(value, list):
        for item in value:
            found += objects(item, name)
    return found


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name.startswith(("record", "case", "suite", "checks"))]
)
def test_each_object_is_closed(name: str) -> None:
    found = objects(schema.load(name))
    unclosed = [key for key, item in found if key not in OPEN and "additionalProperties" not in item]
    # The root of the checks only leads to the definition of each kind, and those are closed.
    assert unclosed == ([""] if name == "checks" else [])


def test_statuses_are_those_of_the_code() -> None:
    statuses = schema.load("record.trial")["properties"]["status"]["enum"]
    assert statuses == list(get_args(Status))


def test_formats_are_asserted() -> None:
    bad = {"kind": "void", "v": 1, "seq": 1, "at": "2026-13-45T00:00:00Z", "prev": "0" * 64, "run": 1,
           "case": None, "arm": None, "why": "x"}  # fmt: skip
    fault = schema.first_fault("record.void", bad)
    assert fault is not None and fault.pointer == "/at"
    assert schema.first_fault("record.void", bad | {"at": "2026-12-01T00:00:00Z"}) is None
