"""Start, watch and end real sessions of the tiny suite."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from mmbench.records import TrialKey
from tests.faults import account
from tests.faults.account import Cost
from tests.support import tiny
from tests.support.tiny import Place

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 300
SLOW = f"sleep 0.2\n{tiny.GOOD}"


@contextlib.contextmanager
def place(script: str = SLOW, cases: int = 3) -> Iterator[Place]:
    """Make the suite and the agent in a folder that is gone at the end."""
    with tempfile.TemporaryDirectory(prefix="mmbench-faults-") as folder:
        yield tiny.make(Path(folder), cases, script)


class Bench:
    """One bench in a process of its own, its output in a file that survives it."""

    def __init__(self, where: Place, *more: str, env: dict[str, str] | None = None) -> None:
        self.log = where.root / f"log-{time.monotonic_ns()}"
        with self.log.open("wb") as file:
            self.process = subprocess.Popen(
                where.command("--jobs", "2", *more),
                cwd=ROOT,
                env={**where.environment(), **(env or {})},
                stdout=file,
                stderr=file,
            )

    @property
    def output(self) -> str:
        """Return what it has said so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def told(self) -> set[TrialKey]:
        """Return the trials that it told as finished."""
        return account.reported(self.output)

    def wait(self) -> int:
        """Wait for its end and return its exit code."""
        return self.process.wait(LIMIT_S)

    def until(self, holds: Callable[[], bool]) -> bool:
        """Wait until something holds or the bench has ended; return whether it held."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            if holds():
                return True
            if self.process.poll() is not None:
                return holds()
            time.sleep(0.02)
        return False

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the bench alone, as a terminal's reader or the kernel would."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, number)


def only_ledger(where: Place) -> Path | None:
    """Return the results file, None when there is none yet."""
    found = sorted(where.results.glob("*.jsonl"))
    return found[0] if found else None


def resume(where: Place, *more: str) -> Bench:
    """Continue a session and wait for its end."""
    bench = Bench(where, "--resume", *more)
    bench.wait()
    return bench


def settle(fault: str, where: Place, told: set[TrialKey], *more: str) -> Cost:
    """Continue a session after a fault and count the cost; one that is not whole is explained on stderr."""
    bench = resume(where, *more)
    ledger = only_ledger(where)
    cost = account.count(fault, ledger, told)
    if not cost.fine:
        print(account.explain(ledger, bench.output), end="", file=sys.stderr, flush=True)
    return cost


def ended(bench: Bench, code: int, cost: Cost) -> Cost:
    """Return what a fault cost when the process that met it ended with `code`; another one is explained and wrong."""
    if bench.wait() == code:
        return cost
    print(f"  ended with {bench.wait()}, not {code}\n{bench.output}", end="", file=sys.stderr, flush=True)
    return Cost(cost.fault, 1)
