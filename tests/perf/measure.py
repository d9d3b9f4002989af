"""How things are measured: CPU seconds of child processes, medians, one line per figure."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
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
    at_least: bool = False
    """Whether the budget is the least that is wanted, not the most."""

    def __str__(self) -> str:
        held = self.value >= self.budget if self.at_least else self.value <= self.budget
        verdict = "within" if held else "UNDER" if self.at_least else "OVER"
        shown = f"{self.value:>9.2f} {self.unit:<9} budget {'≥ ' if self.at_least else ''}{self.budget:g}"
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


@dataclass(frozen=True, slots=True)
class Used:
    """What a process and its children used: CPU and wall-clock seconds, and its peak memory in bytes."""

    cpu: float
    wall: float
    memory: int


def used_by(argv: Sequence[str], cwd: Path = ROOT) -> Used:
    """Run a command to its end and return what it used."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(argv, cwd=cwd, stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            sys.exit(f"{' '.join(argv)} failed:\n{said.read().decode('utf-8', 'replace')}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Used(used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss * unit)


def median_of(measure: Callable[[], float], times: int) -> float:
    """Return the median of a measurement taken several times."""
    return statistics.median(measure() for _ in range(times))


def quiet() -> str:
    """Say how busy the machine is, because figures taken on a busy one are worse."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
