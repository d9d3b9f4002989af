"""The bench half: start-up, overhead per trial, the shim, and how fast resume decides."""

from __future__ import annotations

import io
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from pathlib import Path

from mmbench import ledger, records
from mmbench.bench import mm as treatment
from mmbench.bench import opening, shim, tree
from mmbench.cli import main
from mmbench.layout import Project, project
from tests.perf.measure import Figure, child_cpu, cpu_of, median_of
from tests.support import sessions
from tests.test_case import DOCUMENT

FEW, MANY = 2, 42
TRIALS = 2_000


def start_up() -> Iterator[Figure]:
    """Measure what `--help` costs beside a bare Python."""
    bare = median_of(lambda: cpu_of([sys.executable, "-c", "pass"]), 11)
    helped = median_of(lambda: cpu_of([sys.executable, "-m", "mmbench", "--help"]), 11)
    yield Figure("mmbench --help", helped, "CPU-s", 0.2, f"{helped / bare:.1f}x a bare Python")


def overhead() -> Iterator[Figure]:
    """Measure the CPU per `nop` trial beyond copying the tree in and out, over sessions of the real command."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        files = root / "files"
        for number in range(200):
            path = files / f"folder-{number % 10}" / f"file-{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x" * 20_000)
        suite = _suite(root, files)
        _session(suite, root / "warm", FEW)
        few, _ = _session(suite, root / "few", FEW)
        many, copying = _session(suite, root / "many", MANY)
    per_trial = 1000 * (many - few) / (2 * (MANY - FEW))
    each = 1000 * copying / (2 * MANY)
    detail = f"{per_trial:.1f} in all, copying and removing 200 files {each:.1f}"
    yield Figure("overhead of a nop trial", per_trial - each, "CPU-ms", 40, detail)


@contextmanager
def _copies_timed() -> Iterator[list[float]]:
    """Note the CPU of every copy and removal where it happens: on a busy disk it varies with the moment."""
    spent: list[float] = []

    def timed(action: Callable[..., None]) -> Callable[..., None]:
        def run(*arguments: object) -> None:
            before = time.thread_time()
            action(*arguments)
            spent.append(time.thread_time() - before)

        return run

    copy, remove = tree.copy, tree.remove
    tree.copy, tree.remove = timed(copy), timed(remove)
    try:
        yield spent
    finally:
        tree.copy, tree.remove = copy, remove


def _suite(root: Path, files: Path) -> Path:
    place = root / "suite"
    place.mkdir()
    (place / "suite.json").write_text(
        json.dumps({"name": "perf", "dataset": str(files), "description": "perf"})
    )
    case = DOCUMENT | {
        "id": "idle",
        "dataset": ".",
        "checks": [{"kind": "contains_text", "weight": 1, "value": "a"}],
    }
    (place / "cases.jsonl").write_text(json.dumps(case) + "\n")
    return place


def _session(suite: Path, results: Path, runs: int) -> tuple[float, float]:
    """Run a session in this process; return its CPU seconds, children included, and those of copying."""
    endpoint = [
        "--profile.base-url",
        "http://127.0.0.1:9/v1",
        "--profile.model",
        "none",
        "--profile.api-key",
        "none",
    ]
    command = ["bench", "nop", "--suite", str(suite), "--runs", str(runs), *endpoint, "--skip-preflight"]
    before = child_cpu() + time.process_time()
    with _copies_timed() as spent, redirect_stderr(io.StringIO()):
        code = main([*command, "--results", str(results)])
    assert code == 0, code
    return child_cpu() + time.process_time() - before, sum(spent)


def shim_cost() -> Iterator[Figure]:
    """Measure what the logging shim adds to a call, in pairs of calls.

    In place of mm stands a script that ends at once, under mm's own Python:
    mm's start takes 200 ms, which vary by more than the shim costs.
    """
    mm = treatment.locate(project().state)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "logs").mkdir()
        nothing = root / "nothing"
        nothing.write_text(f"#!{mm.python}\nimport types, typing  # which mm loads too\n")
        nothing.chmod(0o755)
        shim.write_shim(root / "mm", replace(mm, executable=nothing), root / "logs", {})
        env = {"PATH": os.environ["PATH"], "HOME": folder}
        pairs = [(cpu_of([str(nothing)], env=env), cpu_of([str(root / "mm")], env=env)) for _ in range(101)]
        assert len(shim.read_calls(root / "logs")) == len(pairs)
        whole = median_of(lambda: cpu_of([str(mm.executable), "--version"], env=env), 9)
    added = 1000 * statistics.median(with_it - without for without, with_it in pairs)
    detail = f"median of {len(pairs)} pairs; mm --version takes {1000 * whole:.0f}"
    yield Figure("shim, added to an mm call", added, "CPU-ms", 5, detail)


def resume() -> Iterator[Figure]:
    """Measure how long it takes to decide what is left of a session of 2,000 trials."""
    with tempfile.TemporaryDirectory() as folder:
        where = Project(Path(folder), Path(folder), Path(folder))
        path = where.ledger("20260101t000000z-synthetic-none-0000")
        _long_ledger(path)
        took = median_of(lambda: _timed(lambda: _decide(where)), 5)
        size = path.stat().st_size / 1e6
    yield Figure("resume of 2,000 trials decides", took, "s", 1.0, f"{size:.0f} MB of records")


def _long_ledger(path: Path) -> None:
    schedule = sessions.keys(cases=20, runs=TRIALS // 40)
    lines, previous = [], None
    kinds = [("session", sessions.header(schedule, session=path.stem))]
    for key in schedule[:-1]:
        kinds += [("trial", sessions.trial(key, text="answer " * 200)), ("checks", sessions.checks(key))]
    for seq, (kind, fields) in enumerate(kinds):
        line = json.dumps(
            {"kind": kind, "v": 1, "seq": seq, "at": sessions.AT, "prev": previous, **fields}
        ).encode()
        previous = ledger.RawLine(seq, line).sha256
        lines.append(line + b"\n")
    path.write_bytes(b"".join(lines))


def _decide(where: Project) -> None:
    state = opening.newest(where, "synthetic", "none")
    assert state is not None
    book, now = ledger.Ledger.open(where.ledger(state.id))
    book.close()
    assert [trial.key for trial in now.trials.values() if records.needs_run(trial)]


def _timed(action: object) -> float:
    started = time.perf_counter()
    action()  # type: ignore[operator]
    return time.perf_counter() - started


FIGURES = {"help": start_up, "trial": overhead, "shim": shim_cost, "resume": resume}
