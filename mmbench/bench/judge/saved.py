"""Figures on a judge, kept beside the results so that the report can show them: results/judge/<kind>-<hash>.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mmbench import atomic, jsontext, ledger, schema, trust
from mmbench.errors import DataError
from mmbench.layout import Project
from mmbench.trust import Kind


def save(
    where: Project, kind: Kind, figures: Mapping[str, Any], *, models: Sequence[str], prompts: Sequence[str]
) -> Path:
    """Write figures once: the same figures are the same file, with the date of the first time."""
    judge = {"models": sorted(set(models)), "prompts": sorted(set(prompts))}
    value: dict[str, Any] = {"kind": kind, "v": trust.VERSION, "judge": judge, "figures": dict(figures)}
    path = where.results / "judge" / f"{kind}-{jsontext.digest(value)[:12]}.json"
    if path.exists():
        return path
    value["at"] = ledger.utc_now()
    fault = schema.first_fault("judge", value)
    if fault is not None:
        raise DataError(
            f"These figures cannot be kept: {fault.reason}.",
            where=fault.pointer,
            fix="Look for names of more than 200 characters in the files that they come from.",
        )
    atomic.write(path, jsontext.canonical(value) + b"\n")
    return path
