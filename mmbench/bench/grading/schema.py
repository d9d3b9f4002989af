"""The JSON Schema of checks, made from the kinds themselves: `python -m mmbench.bench.grading.schema` writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mmbench.bench.grading.kinds import KINDS

PATH = Path(__file__).resolve().parents[3] / "schemas" / "checks.schema.json"


def checks_schema() -> dict[str, Any]:
    """Return the schema of one check of a case: the closed definition of its kind, which `kind` selects.

    The kinds exclude each other. They are selected by `if` rather than tried by
    `oneOf`, so that a fault is told by the one definition that is meant.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "checks.schema.json",
        "title": "One check of a case",
        "type": "object",
        "properties": {"kind": {"enum": sorted(KINDS)}},
        "required": ["kind", "weight"],
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{kind}"},
            }
            for kind in sorted(KINDS)
        ],
        "$defs": {kind: KINDS[kind].params_schema(kind) for kind in sorted(KINDS)},
    }


def text() -> str:
    """Return the schema as the file holds it."""
    return json.dumps(checks_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
