"""The JSON Schemas, loaded once, and what they have to say about a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmbench import jsontext
from mmbench.errors import DataError

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
    from referencing import Registry

RECORD_KINDS = ("session", "trial", "checks", "verdict", "void", "end")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a value: where in it, and why."""

    pointer: str
    reason: str


def schema_folder() -> Path:
    """Return the folder that holds the schemas of this checkout."""
    return Path(__file__).resolve().parent.parent / "schemas"


def load(name: str) -> dict[str, Any]:
    """Read one schema by its name, for example `case` or `record.trial`."""
    path = schema_folder() / f"{name}.schema.json"
    try:
        schema: dict[str, Any] = jsontext.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"The schema {name} cannot be read: {error}.", where=path.name) from error
    return schema


@lru_cache(maxsize=1)
def _registry() -> Registry[Any]:
    from referencing import Registry as NewRegistry
    from referencing import Resource

    names = sorted(path.name.removesuffix(".schema.json") for path in schema_folder().glob("*.schema.json"))
    return NewRegistry().with_resources(
        (f"{name}.schema.json", Resource.from_contents(load(name))) for name in names
    )


@lru_cache(maxsize=32)
def validator(name: str) -> Validator:
    """Return the cached validator of a schema, with formats asserted."""
    from jsonschema import Draft202012Validator

    schema = load(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(
        schema, registry=_registry(), format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def faults(name: str, value: Any) -> Iterator[Fault]:
    """Yield every fault of a value against a schema, in document order."""
    errors = sorted(
        validator(name).iter_errors(value), key=lambda error: [str(part) for part in error.absolute_path]
    )
    for error in errors:
        deepest = _deepest(error)
        yield Fault(_pointer(deepest), _reason(deepest))


def _deepest(error: ValidationError) -> ValidationError:
    """Follow alternatives down to the one that was most probably meant."""
    from jsonschema.exceptions import best_match

    while error.context:
        closest = best_match(error.context)
        if closest is None:
            break
        error = closest
    return error


def _pointer(error: ValidationError) -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path)
    return "".join(f"/{part}" for part in parts) or "/"


def _reason(error: ValidationError) -> str:
    message = error.message
    return message if len(message) <= 300 else f"{message[:140]} … {message[-140:]}"


def first_fault(name: str, value: Any) -> Fault | None:
    """Return the first fault of a value, or None when it is valid."""
    return next(faults(name, value), None)
