"""A plan is extrapolated from the median trial of the same cell's earlier sessions, and from nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmbench.bench.estimate import estimate
from mmbench.ledger import Ledger
from tests.support import sessions


def write(folder: Path, name: str, trials: list[dict[str, Any]], agent: str = "claude") -> None:
    schedule = sessions.keys(len(trials))[: len(trials)]
    with Ledger.create(folder / f"{name}.jsonl") as book:
        head = sessions.header(schedule, session=name)
        book.append("session", head | {"cell": {"agent": agent, "profile": "local"}})
        for key, change in zip(schedule, trials, strict=True):
            line = sessions.trial(key, status=change.pop("status", "completed"))
            line["usage"] |= {key: change.pop(key) for key in list(change) if key in line["usage"]}
            book.append("trial", line | change)


def told(seconds: float, tokens: int | None = None, cost: float | None = None) -> dict[str, Any]:
    parts = {"input_total": tokens, "output_total": tokens and 0}
    return {"duration_s": seconds, "cost_usd": cost, **parts}


def test_medians_are_multiplied_by_the_trials_that_are_planned(tmp_path: Path) -> None:
    write(tmp_path, "a-claude-local-1", [told(10, 100, 0.1), told(20, 300, 0.2), told(60, 900, 0.9)])
    found = estimate(tmp_path, "claude", "local", 10, jobs=2)
    assert found is not None
    assert (found.sessions, found.seconds, found.tokens) == (1, 100, 3000)
    assert found.cost_usd == pytest.approx(2.0)


def test_figures_that_nobody_reported_stay_unknown(tmp_path: Path) -> None:
    write(tmp_path, "a-claude-local-1", [told(10), told(20)])
    found = estimate(tmp_path, "claude", "local", 4)
    assert found is not None
    assert (found.seconds, found.tokens, found.cost_usd) == (60, None, None)


def test_other_cells_and_ungraded_trials_say_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a-claude-local-1", [told(10)], agent="other")
    write(tmp_path, "b-claude-local-2", [told(10) | {"status": "infra_error"}])
    assert estimate(tmp_path, "claude", "local", 4) is None
    write(tmp_path, "c-claude-local-3", [told(30), told(1) | {"status": "infra_error"}])
    found = estimate(tmp_path, "claude", "local", 2)
    assert found is not None
    assert (found.sessions, found.seconds) == (1, 60)


def test_old_sessions_are_left_out_and_torn_lines_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "0-claude-local-0", [told(1000)])
    for number in range(10):
        write(tmp_path, f"1-claude-local-{number}", [told(1)])
    with (tmp_path / "1-claude-local-9.jsonl").open("ab") as file:
        file.write(b'{"kind":"trial","durat')
    found = estimate(tmp_path, "claude", "local", 1)
    assert found is not None
    assert (found.sessions, found.seconds) == (10, 1)
    (tmp_path / "2-claude-local-x.jsonl").write_bytes(b"")
    assert estimate(tmp_path, "claude", "local", 1) == found


def test_a_damaged_line_keeps_no_session_from_starting(tmp_path: Path) -> None:
    write(tmp_path, "a-claude-local-1", [told(10, 100), told(20, 300)])
    with (tmp_path / "a-claude-local-1.jsonl").open("a") as file:
        for rest in ("", ', "usage": 1, "duration_s": 9', ', "usage": {}, "duration_s": 9'):
            file.write(f'{{"kind": "trial", "status": "completed"{rest}}}\n')
        file.write("[" * 100_000 + "\n")
    found = estimate(tmp_path, "claude", "local", 2)
    assert found is not None
    assert (found.seconds, found.tokens) == (30, 400)
