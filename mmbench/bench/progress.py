"""Show what a session is doing: a live display in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from mmbench.bench.trial import TrialSpec
from mmbench.records import Line
from mmbench.terminal import visible

GOOD, BAD, DIM = "green", "red", "dim"


def outcome_text(record: Line, checks: Line | None, verdict: Line | None = None) -> Text:
    """Return one attempt's result in a few words."""
    status = record["status"]
    if checks is None:
        failure = record["failure"] or {"kind": "unknown", "message": ""}
        return _bad(f"{status}: {failure['kind']} {failure['message']}".strip())
    if checks["checkpoint_score"] is None:
        return _bad(f"ungraded: {checks['error']}")
    if verdict is not None and verdict["status"] == "failed":
        return _bad(f"without a verdict: {verdict['error']}")
    points = 100 * checks["checkpoint_score"] if verdict is None else verdict["correctness"]
    style = GOOD if points >= 60 else ""
    note = "" if status == "completed" else f"  {status}"
    return Text(f"{points:5.1f} points{note}", style=style)


def _bad(text: str) -> Text:
    """Return the beginning of a reason, which holds words of agents and endpoints, as one line."""
    return Text(visible(text[:160]).replace("\n", " "), style=BAD)


class Progress:
    """The progress of one session, to be used as a context."""

    def __init__(self, cell: str, total: int, stream: bool = False, console: Console | None = None) -> None:
        self._console = console or Console(file=sys.stderr, highlight=False)
        self._cell, self._total, self._stream = cell, total, stream
        self._done = 0
        self._running: dict[str, tuple[TrialSpec, float]] = {}
        self._lock = threading.Lock()
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._stream:
            self._live = Live(
                get_renderable=self._table, console=self._console, refresh_per_second=4, transient=True
            )
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def started(self, spec: TrialSpec) -> None:
        """Tell that an attempt begins."""
        with self._lock:
            self._running[spec.name] = (spec, time.monotonic())

    def finished(
        self, spec: TrialSpec, record: Line, checks: Line | None, verdict: Line | None = None
    ) -> None:
        """Tell what an attempt came to."""
        with self._lock:
            self._running.pop(spec.name, None)
            self._done += 1
        line = Text().append(
            f"{self._cell}  {self._done:>{len(str(self._total))}}/{self._total}  ", style=DIM
        )
        line.append(f"{spec.key.case:<34} {spec.key.arm:<10} run {spec.key.run}  ", style="")
        line.append(f"{record['duration_s']:7.1f} s  ", style=DIM)
        line.append(outcome_text(record, checks, verdict))
        self._console.print(line, soft_wrap=True)

    def tee(self, spec: TrialSpec) -> Callable[[bytes], None] | None:
        """Return a writer of the agent's output to stderr when it was asked for."""
        return self._show if self._stream else None

    def _show(self, data: bytes) -> None:
        from mmbench.bench.grading.clean import clean_text

        # Escape sequences of an agent must not drive the user's terminal.
        self._console.print(Text(clean_text(data.decode("utf-8", "replace"))), end="", soft_wrap=True)

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 2))
        with self._lock:
            running = list(self._running.values())
        for spec, since in running:
            elapsed = time.monotonic() - since
            table.add_row(
                Text("●", style="cyan"),
                Text(self._cell, style=DIM),
                spec.key.case,
                spec.key.arm,
                f"run {spec.key.run}",
                Text(f"{elapsed:.0f} s of {spec.timeout_s:.0f}", style=DIM),
            )
        return table
