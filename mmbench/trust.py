"""How far judges agree with people, as it was measured: results/judge/*.json.

`judge accuracy --save` and `judge calibrate --save` write these files, the
report reads them. Each is checked against its schema before it is believed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mmbench import jsontext, schema
from mmbench.errors import DataError
from mmbench.layout import is_name
from mmbench.schema import Fault

Kind = Literal["accuracy", "calibration"]
VERSION = 1
_SCHEMA = "judge"


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one file: `accuracy` on pairs that people labelled, `calibration` on graded outcomes."""

    name: str
    kind: Kind
    at: str
    """UTC, when they were kept."""
    models: tuple[str, ...]
    prompts: tuple[str, ...]
    """Hashes of the questions that the judge was asked, empty where the predictions do not tell."""
    figures: dict[str, Any]

    def same_judge(self, models: Sequence[str]) -> bool:
        """Tell whether it speaks of these models."""
        return bool(models) and sorted(models) == sorted(self.models)

    def same_question(self, models: Sequence[str], prompt: str | None) -> bool:
        """Tell whether it speaks of these models with this question, and of no other."""
        return self.same_judge(models) and prompt is not None and self.prompts == (prompt,)


def files(results: Path) -> Iterator[Path]:
    """Yield every file of figures by name."""
    yield from sorted((results / "judge").glob("*.json"))


def faults(path: Path) -> Iterator[Fault]:
    """Yield what is wrong with one file."""
    try:
        value = jsontext.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        yield Fault("/", f"it is not JSON: {error}")
        return
    if not is_name(path.stem):
        yield Fault("/", "its name is not that of a file of figures")
    yield from schema.faults(_SCHEMA, value)


def read(results: Path) -> tuple[Measured, ...]:
    """Read every file, newest first; DataError names the first that is not of the form."""
    found = [_read(path) for path in files(results)]
    return tuple(sorted(found, key=lambda one: (one.at, one.name), reverse=True))


def _read(path: Path) -> Measured:
    fault = next(faults(path), None)
    if fault is not None:
        raise DataError(
            f"judge/{path.name} is not of the form, at {fault.pointer}: {fault.reason}.",
            where=f"judge/{path.name}",
            fix="Restore the file from git, or measure again with --save.",
        )
    value = jsontext.loads(path.read_bytes())
    judge = value["judge"]
    return Measured(
        path.stem,
        value["kind"],
        value["at"],
        tuple(judge["models"]),
        tuple(judge["prompts"]),
        value["figures"],
    )
