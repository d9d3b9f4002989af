"""Obstacle variants of cases: the same task and truth, with something in the way. Pure.

A variant of a case is a case of its own, `<case>.<variant>`, tagged `variant`;
its document says which obstacle it has. Variants are run only when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mmbench.case import Case, Suite
from mmbench.errors import DataError

TAG = "variant"
AS_STEPS: dict[str, dict[str, str]] = {
    "unwritable_folder": {"do": "mode", "mode": "0555"},
    "corrupt_file": {"do": "corrupt"},
}
"""Obstacles that are a step of the setup at the variant's path."""


def expand(suite: Suite) -> Suite:
    """Return the suite with every variant after its case; DataError when an id would be there twice."""
    cases = tuple(one for case in suite.cases for one in (case, *of_case(case)))
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise DataError(f"A variant and another case are both named '{case.id}'.", where=case.source)
        seen.add(case.id)
    return replace(suite, cases=cases)


def of_case(case: Case) -> Iterator[Case]:
    """Yield the variants of a case as cases of their own."""
    for variant in case.document.get("variants", ()):
        yield Case(_document(case, variant), case.source)


def choose(suite: Suite, ids: Sequence[str], *, also: bool) -> Suite:
    """Return the named cases, or all; `also` with the variants of each, which can be named by themselves too."""
    if not also:
        return suite.select(ids) if ids else suite
    every = expand(suite)
    named = [one.id for case in suite.cases if case.id in ids for one in of_case(case)]
    return every.select([*ids, *named]) if ids else every


def _document(case: Case, variant: Mapping[str, Any]) -> dict[str, Any]:
    document = {name: value for name, value in case.document.items() if name != "variants"}
    obstacle = {name: value for name, value in variant.items() if name not in ("id", "setup", "solutions")}
    steps = [*case.setup, *variant.get("setup", ())]
    if step := AS_STEPS.get(variant["obstacle"]):
        steps.append({**step, "path": variant["path"]})
    changed: dict[str, Any] = {
        "id": f"{case.id}.{variant['id']}",
        "tags": [*document.get("tags", ()), TAG],
        "obstacle": obstacle,
    }
    changed |= {"setup": steps} if steps else {}
    changed |= {"solutions": variant["solutions"]} if "solutions" in variant else {}
    return document | changed
