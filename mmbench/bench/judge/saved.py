"""Figures on a judge, kept beside the results so that the report can show them: results/judge/<kind>-<hash>.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from mmbench import jsontext
from mmbench.layout import Project

Kind = Literal["accuracy", "calibration"]


def save(
    where: Project, kind: Kind, figures: Mapping[str, Any], *, models: Sequence[str], prompts: Sequence[str]
) -> Path:
    """Write figures once; the same figures are the same file."""
    judge = {"models": sorted(set(models)), "prompts": sorted(set(prompts))}
    value = {"kind": kind, "v": 1, "judge": judge, "figures": dict(figures)}
    path = where.results / "judge" / f"{kind}-{jsontext.digest(value)[:12]}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsontext.canonical(value) + b"\n")
    return path
