"""JSON Schema fragments that the parameters of several kinds of check share."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

PATH: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 1024,
    "description": "Relative to the root of the tree.",
}
TEXT: Schema = {"type": "string", "minLength": 1, "maxLength": 10_000}
TEXTS: Schema = {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 1000}
NUMBER: Schema = {
    "anyOf": [
        {"type": "number"},
        {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$"},
    ],
    "description": "A number, or a string that holds one.",
}
TOLERANCE: Schema = {
    "type": "number",
    "minimum": 0,
    "default": 0,
    "description": "Largest difference that is accepted.",
}
COUNT: Schema = {"type": "integer", "minimum": 0}
GLOBS: Schema = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 1024},
    "maxItems": 1000,
    "description": "`*` and `?` stay within a name, `**` spans folders; hidden names match.",
}
FORMAT: Schema = {
    "enum": ["csv", "tsv", "json", "jsonl", "xlsx", "text"],
    "description": "How to parse the file; by its extension when left out.",
}


def flag(description: str, *, default: bool = False) -> Schema:
    """Return the schema of a switch."""
    return {"type": "boolean", "default": default, "description": description}


def described(schema: Schema, description: str, **more: Any) -> Schema:
    """Return a schema with a description of its own, and a default for instance."""
    return {**schema, "description": description, **more}
