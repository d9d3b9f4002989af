"""Print what each fault costs: `python -m tests.faults [--tries N] [NAME…]`; all zeros where they should be."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from tests.faults import disks, processes
from tests.faults.account import HEAD, Cost

FAULTS: dict[str, Callable[[int], Cost]] = {
    "kill": processes.killed,
    "cut": disks.cut,
    "full": disks.full,
    "io": disks.broken,
    "device": disks.failing,
    "read-only": disks.read_only,
    "clock": disks.clock,
    "two": processes.two_at_once,
    "interrupt": processes.interrupted,
    "judge": processes.interrupted_judge,
    "hidden": disks.hidden,
    "names": disks.strange,
}


def main(words: list[str]) -> int:
    """Try what is named, or everything; 1 when something was lost, doubled or does not verify."""
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*FAULTS, []], metavar="NAME", help=", ".join(FAULTS))
    parser.add_argument(
        "--tries", type=int, default=20, help="moments of kill -9 (default 20); others follow it"
    )
    arguments = parser.parse_args(words)
    print(HEAD, flush=True)
    fine = True
    for name in arguments.names or FAULTS:
        cost = FAULTS[name](arguments.tries)
        print(cost, flush=True)
        fine = fine and (bool(cost.skipped) or cost.fine)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
