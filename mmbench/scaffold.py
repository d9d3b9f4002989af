"""A new case's folder: valid from the first minute, and failing its tests until it is filled in."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench import case as cases
from mmbench import layout
from mmbench.case import Archetype
from mmbench.errors import UsageError, unknown

ANSWER = "the answer"
"""What the checks of a new case ask for; nothing in any dataset is called that."""

CHECKS: dict[Archetype, list[dict[str, Any]]] = {
    "retrieval": [{"kind": "contains_text", "weight": 100, "all_of": [ANSWER]}],
    "artifact": [
        {
            "kind": "table_match",
            "weight": 55,
            "path": "table.csv",
            "keys": ["file"],
            "truth": [{"file": ANSWER}],
        },
        {"kind": "tree_unchanged_except", "weight": 45, "allow_added": ["table.csv"]},
    ],
    "organization": [
        {"kind": "grouping", "weight": 55, "truth": {"Sorted": [ANSWER]}},
        {
            "kind": "tree_unchanged_except",
            "weight": 45,
            "allow_added": ["Sorted/*"],
            "allow_deleted": [ANSWER],
        },
    ],
}
"""By archetype, with the weights that make damage elsewhere cost what it must."""

PROMPT = """\
Say here what is wanted, in the words of somebody who does not know which tools there are: what to find, make or
sort, what the result looks like to the letter, and what must stay as it is.
"""
WITH_MM = """\
set -eu
mm find . --format json > /tmp/files.json
"""
WITHOUT_MM = """\
set -eu
python3 - <<'PY'
import pathlib

for path in sorted(pathlib.Path().rglob("*")):
    print(path)
PY
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known of a case before it is written."""

    id: str
    archetype: Archetype
    modality: tuple[str, ...] = ("doc",)
    commands: tuple[str, ...] = ("find",)
    dataset: str = "."
    difficulty: str = "medium"


def begin(folder: Path, suite: str, wanted: Wanted) -> Path:
    """Write a new case into a suite and return its folder; UsageError when it cannot be one."""
    place = _place(folder, suite, wanted.id)
    texts = _texts(wanted)
    document = json.loads(texts["case.json"]) | {"prompt": PROMPT}
    for fault in cases.faults(document, wanted.id):
        raise UsageError(f"The case would be invalid at {fault.pointer}: {fault.reason}.")
    place.mkdir(parents=True)
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def _place(folder: Path, suite: str, name: str) -> Path:
    known = cases.suites(folder)
    place = folder / suite if suite in known else Path(suite)
    if suite not in known and not ("/" in suite and place.is_dir()):
        raise unknown("suite", suite, known)
    if not layout.is_name(name):
        raise UsageError(
            f"'{name}' cannot be an id.", fix="Use lower-case letters, digits, '.', '_' and '-'."
        )
    if (place / name).exists():
        raise UsageError(f"The suite {suite} already has a case '{name}'.", fix="Choose another id.")
    return place / name


def _texts(wanted: Wanted) -> dict[str, str]:
    document = {
        "id": wanted.id,
        "title": wanted.id.replace("-", " ").capitalize(),
        "archetype": wanted.archetype,
        "modality": list(wanted.modality),
        "dataset": wanted.dataset,
        "mm_commands": list(wanted.commands),
        "difficulty": wanted.difficulty,
        "tags": list(dict.fromkeys(wanted.modality)),
        "timeout_s": 300,
        "checks": CHECKS[wanted.archetype],
        "judge_objective": "Is the answer right, complete, and nothing beside it?",
        "ground_truth": {"answer": ANSWER},
        "canary": f"canary-{secrets.token_hex(12)}",
    }
    return {
        "case.json": json.dumps(document, indent=2, ensure_ascii=False) + "\n",
        "prompt.md": PROMPT,
        "solution.sh": WITH_MM,
        "solution.without_mm.sh": WITHOUT_MM,
    }


def said(folder: Path, name: str, root: Path) -> str:
    """Return what to do next."""
    shown = folder.relative_to(root) if folder.is_relative_to(root) else folder
    return (
        f"{shown}/ is there and valid. Write prompt.md, the truth and checks in case.json and the two solutions,\n"
        f"then run `nox -s cases -- test {name} --oracle` until it passes."
    )
