"""An unsound pair leaves both arms, with its reason, however well each arm did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmbench import records, soundness
from mmbench.ledger import Ledger
from mmbench.ledger import load as fold_again
from mmbench.report import load
from mmbench.report.tables.summary import summarise
from tests.support import sessions

Change = Callable[[dict[str, Any]], object]

CHANGES: dict[str, Change] = {
    "models differ": lambda trial: trial["outcome"].update(model="another"),
    "treatment changed": lambda trial: trial.update(treatment={"intact": False, "changed": ["shim"]}),
    "canary seen": lambda trial: trial.update(canary=True),
    "mm unreachable": lambda trial: trial["mm"].update(
        calls=[
            {"argv": ["mm"], "started_at": sessions.AT, "duration_s": 0, "exit_code": 127, "failed": True}
            | {"reason": "it cannot be started"}
        ]
    ),
}


def write(path: Path, change: Change) -> None:
    """Write two pairs whose every trial scores 100; the first's treated trial is changed."""
    schedule = sessions.keys(cases=2)
    with Ledger.create(path) as book:
        book.append("session", sessions.header(schedule, session=path.stem))
        for number, key in enumerate(schedule):
            trial = sessions.trial(key)
            trial["outcome"]["model"] = "one"
            if number == 1:
                change(trial)
            book.append("trial", trial)
            book.append("checks", sessions.checks(key))


@pytest.mark.parametrize("name", CHANGES)
def test_the_pair_leaves_both_arms(name: str, tmp_path: Path) -> None:
    write(tmp_path / "s1.jsonl", CHANGES[name])
    found = load.results(tmp_path)
    summary = summarise(found, found.sessions)
    assert dict(summary.lift.excluded) == {name: 1}
    assert (summary.sound, summary.scheduled) == (2, 4)
    assert [pair.sound for pair in summary.pairs] == [False, True]
    assert [count for _, count in summary.unsound] == [1]


@pytest.mark.parametrize("name", CHANGES)
def test_the_report_and_the_contract_say_the_same(name: str, tmp_path: Path) -> None:
    write(tmp_path / "s1.jsonl", CHANGES[name])
    found = load.results(tmp_path)
    shown = [(pair.case, pair.run, pair.reasons) for pair in summarise(found, found.sessions).pairs]
    session: records.Session = fold_again(tmp_path / "s1.jsonl")
    assert shown == [(pair.case, pair.run, pair.reasons) for pair in soundness.pairs(session)]
