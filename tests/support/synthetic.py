"""A made-up results folder: agents named `synthetic-*` that never ran.

The report is built and looked at with it. Everything follows from names and
seeds, so the same tree has the same bytes anywhere. It must never be written
into the project's own `results/`; every title and session says "synthetic".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from mmbench import cleanup, jsontext
from mmbench.ledger import Ledger
from tests.support import synthetic_judge, synthetic_lines
from tests.support.synthetic_lines import Maker
from tests.support.synthetic_plan import Plan, cases, digest


def write(results: Path, plan: Plan) -> Path:
    """Write one session through the real ledger; returns its file."""
    maker = synthetic_lines.maker(plan)
    path = results / f"{plan.session}.jsonl"
    with Ledger.create(path, maker.clock) as book:
        for kind, fields in maker.lines():
            book.append(kind, fields)
    _write_files(results, plan, maker)
    return path


def write_fast(results: Path, plan: Plan) -> Path:
    """Write the same bytes as `write`, without validation and fsync: for trees of many thousand trials."""
    maker = synthetic_lines.maker(plan)
    path = results / f"{plan.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    prev = None
    with path.open("wb") as stream:
        for seq, (kind, fields) in enumerate(maker.lines()):
            stamp = {"kind": kind, "v": 1, "seq": seq, "at": maker.clock(), "prev": prev}
            data = json.dumps(
                jsontext.clean(stamp | fields), ensure_ascii=False, separators=(",", ":")
            ).encode()
            stream.write(data + b"\n")
            prev = jsontext.sha256(data)
    _write_files(results, plan, maker)
    return path


def _write_files(results: Path, plan: Plan, maker: Maker) -> None:
    (results / "cases").mkdir(parents=True, exist_ok=True)
    for content in cases(plan):
        path = results / "cases" / f"{digest(content)}.json"
        path.write_bytes(jsontext.canonical(content) + b"\n")
    for stored, data in maker.files.items() if "artifacts" not in plan.cleaned else ():
        path = results / stored
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if plan.cleaned:
        _clean(results, plan, maker)


def _clean(results: Path, plan: Plan, maker: Maker) -> None:
    maker.now += timedelta(days=30)
    with cleanup.writer(results, plan.session, maker.clock) as book:
        for number, what in enumerate(plan.cleaned, start=1):
            line = {"session": plan.session, "what": what, "files": 40 * number, "bytes": 1_500_000 * number}
            book.append(cleanup.RECORD, line | {"result": "removed", "error": None})


SMALL: tuple[Plan, ...] = (
    Plan("synthetic-a", day=0, runs=2, cases=8, hostile=True, artifacts=True),
    Plan("synthetic-b", day=1, runs=2, cases=8, skill=0.45, gain=0.2, timeouts=0.15),
    Plan("synthetic-oracle", day=2, runs=1, cases=8, skill=2.0, gain=0.0, timeouts=0.0, reference=True),
    Plan(
        "synthetic-arms-of-a-long-name",
        day=-1,
        runs=2,
        cases=8,
        arms=("without_mm", "with_mm", "unprimed", "placebo"),
        gain=0.3,
        artifacts=True,
        cleaned=("sandboxes", "streams", "artifacts"),
    ),
)
"""The fixed small tree behind the gold files."""


def measure(results: Path) -> None:
    """Write figures on the synthetic judge: two files, with names that try to break out of the page."""
    places = (("accuracy", synthetic_judge.accuracy()), ("calibration", synthetic_judge.calibration()))
    for kind, value in places:
        path = results / "judge" / f"{kind}-synthetic.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jsontext.canonical(value) + b"\n")


def three_months() -> tuple[Plan, ...]:
    """Return a realistic history: four agents, two methods, failures, voids, an unfinished session."""
    plans = [Plan("synthetic-oracle", day=0, runs=1, skill=2.0, gain=0.0, timeouts=0.0, reference=True)]
    made = (
        ("synthetic-a", 0.62, 0.14, 1.25, 0.95),
        ("synthetic-b", 0.50, 0.18, 1.10, 0.85),
        ("synthetic-c", 0.55, 0.01, 0.92, 0.40),
        ("synthetic-d", 0.48, -0.06, 0.85, 0.90),
    )
    for week in range(0, 13, 3):
        newer = week >= 6
        for offset, (agent, skill, gain, pace, adoption) in enumerate(made):
            plans.append(
                Plan(
                    agent,
                    day=7 * week + offset,
                    skill=skill + 0.003 * week,
                    gain=gain + (0.05 if newer else 0.0),
                    pace=pace,
                    adoption=adoption,
                    mm_version="0.13.2" if newer else "0.13.0",
                    judge=newer,
                    infra=0.05 if week == 3 else 0.0,
                )
            )
    plans[5] = replace(plans[5], void_run=2)
    plans[-1] = replace(plans[-1], missing_verdicts=2)
    plans.append(Plan("synthetic-a", "synthetic-local", day=92, cut=40, artifacts=True, hostile=True))
    return tuple(plans)


def tree(
    results: Path, plans: Sequence[Plan] = SMALL, writer: Callable[[Path, Plan], Path] = write
) -> list[Path]:
    """Write a whole results folder; returns its ledgers."""
    return [writer(results, plan) for plan in plans]
