"""Print the measured figures: `python -m tests.perf [NAME…]`."""

from __future__ import annotations

import os
import sys

from tests.perf import bench, report
from tests.perf.measure import quiet

FIGURES = bench.FIGURES | report.FIGURES


def main(names: list[str]) -> int:
    """Measure what is named, or all."""
    unknown = set(names) - FIGURES.keys()
    if unknown:
        print(f"Unknown: {', '.join(sorted(unknown))}. Known: {', '.join(FIGURES)}.", file=sys.stderr)
        return 2
    os.environ.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # else each process compiles all code anew, as no user's does
    print(f"Medians of one run, {quiet()}.")
    for name in names or FIGURES:
        for figure in FIGURES[name]():
            print(figure, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
