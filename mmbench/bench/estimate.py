"""What a plan will take, from the earlier sessions of the same cell: time, tokens, cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from mmbench.outcome import GRADED

NEWEST = 10
"""Sessions that are looked at: older ones tell of older versions."""

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Sums for a whole plan; None where no earlier trial tells the figure."""

    sessions: int
    seconds: float
    tokens: float | None
    cost_usd: float | None


def estimate(results: Path, agent: str, profile: str, trials: int, jobs: int = 1) -> Estimate | None:
    """Extrapolate from the median trial of the cell's newest sessions; None without one."""
    sessions = list(_sessions(results, agent, profile))
    records = [record for session in sessions for record in session]
    if not records:
        return None
    tokens, cost = _median(map(_tokens, records)), _median(record["usage"]["cost_usd"] for record in records)
    return Estimate(
        sessions=len(sessions),
        seconds=median(record["duration_s"] for record in records) * trials / jobs,
        tokens=None if tokens is None else tokens * trials,
        cost_usd=None if cost is None else cost * trials,
    )


def _sessions(results: Path, agent: str, profile: str) -> Iterator[Sequence[Record]]:
    """Yield the graded trials of each session of a cell, newest first."""
    found = 0
    for path in sorted(results.glob(f"*-{agent}-{profile}-*.jsonl"), reverse=True):
        header, *lines = list(_lines(path)) or [{}]
        if header.get("cell") != {"agent": agent, "profile": profile}:
            continue
        trials = [line for line in lines if _tells(line)]
        if trials:
            yield trials
            found += 1
        if found == NEWEST:
            return


def _tells(line: Record) -> bool:
    """Tell a graded trial with all that is asked of it; what lacks something is `validate`'s business."""
    usage = line.get("usage")
    if line.get("kind") != "trial" or line.get("status") not in GRADED or not isinstance(usage, dict):
        return False
    return "duration_s" in line and {"input_total", "output_total", "cost_usd"} <= usage.keys()


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the whole lines of a results file."""
    for raw in path.read_bytes().split(b"\n"):
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if isinstance(line, dict):
            yield line


def _tokens(record: Record) -> int | None:
    usage = record["usage"]
    if usage["input_total"] is None or usage["output_total"] is None:
        return None
    return int(usage["input_total"]) + int(usage["output_total"])


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
