"""The agent that does nothing."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path, PurePosixPath

from mmbench.bench.agents.base import RawRun, Task
from mmbench.bench.agents.nop import Nop

TASK = Task("do it", PurePosixPath("/w"), PurePosixPath("/h"), "/bin", 60.0, solution="echo 42")


def test_it_changes_nothing_and_gives_no_answer(tmp_path: Path) -> None:
    launch = Nop().launch(TASK)
    done = subprocess.run(
        launch.argv, input=launch.stdin, cwd=tmp_path, capture_output=True, timeout=20, check=False
    )
    raw = RawRun(done.stdout, done.stderr, done.returncode)
    outcome = Nop().parse(raw)
    assert (outcome.status, outcome.parse, outcome.final_text) == ("no_answer", "ok", "")
    assert list(tmp_path.iterdir()) == []
    assert Nop().parse(replace(raw, ended="cancelled", exit_code=None)).status == "cancelled"


def test_it_is_never_ranked_and_has_no_program() -> None:
    assert Nop.reference
    assert (Nop.executable, Nop.wire, Nop().version_argv()) == ("", None, ())
