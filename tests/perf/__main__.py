"""Print the measured figures: `python -m tests.perf [NAME…]`."""

from __future__ import annotations

import sys

from tests.perf import bench
from tests.perf.measure import quiet


def main(names: list[str]) -> int:
    """Measure what is named, or all."""
    unknown = set(names) - bench.FIGURES.keys()
    if unknown:
        print(f"Unknown: {', '.join(sorted(unknown))}. Known: {', '.join(bench.FIGURES)}.", file=sys.stderr)
        return 2
    print(f"Medians of one run, {quiet()}.")
    for name in names or bench.FIGURES:
        for figure in bench.FIGURES[name]():
            print(figure, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
