"""How things are measured: CPU seconds of child processes, medians, one line per figure."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure and the budget it is held against."""

    name: str
    value: float
    unit: str
    budget: float
    detail: str = ""

    def __str__(self) -> str:
        verdict = "within" if self.value <= self.budget else "OVER"
        shown = f"{self.value:>9.2f} {self.unit:<9} budget {self.budget:g}"
        return f"{self.name:<34} {shown:<34} {verdict:<7} {self.detail}"


def child_cpu() -> float:
    """Return the CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_of(argv: Sequence[str], **options: object) -> float:
    """Run a command and return its CPU seconds, its own children included."""
    before = child_cpu()
    done = subprocess.run(argv, capture_output=True, cwd=ROOT, check=False, **options)  # type: ignore[call-overload]
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(argv)} failed:\n{done.stderr.decode('utf-8', 'replace')}")
    return child_cpu() - before


def median_of(measure: Callable[[], float], times: int) -> float:
    """Return the median of a measurement taken several times."""
    return statistics.median(measure() for _ in range(times))


def quiet() -> str:
    """Say how busy the machine is, because figures taken on a busy one are worse."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
