"""As many results for asv: a project with a history, and what its benchmarks measured on five machines.

A machine stands for an agent, a commit for the day of a session, a benchmark
for one measured value of a case, its parameters for arm and run. Written in
the form of asv's own result files (version 2): 5 machines, 10 commits and 100
benchmarks with 20 parameter combinations are 100,000 values, each with the
interval, quartiles and counts that asv keeps of a timing.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

MACHINES, COMMITS, CASES, COMBINATIONS = 5, 10, 100, 20
TRIALS = MACHINES * COMMITS * CASES * COMBINATIONS
_MACHINE = {"os": "Linux", "arch": "x86_64", "cpu": "", "num_cpu": "2", "ram": ""}
_PARAMS = [["without", "with"], [str(run) for run in range(1, COMBINATIONS // 2 + 1)]]
_STATS = [f"stats_{name}" for name in ("ci_99_a", "ci_99_b", "q_25", "q_75", "number", "repeat")]
_COLUMNS = ["result", "params", "version", "started_at", "duration", *_STATS, "samples", "profile"]


def write(root: Path, values: int) -> None:
    """Write the project with so many values a trial; `asv publish` run in `root` makes its site in `root/html`."""
    names = [f"suite.Group{number % 10}.time_case_{number:04d}" for number in range(CASES * values)]
    commits = _history(root / "project")
    _dump(root / "asv.conf.json", _settings())
    _dump(root / "results" / "benchmarks.json", {name: _benchmark(name) for name in names} | {"version": 2})
    rng = random.Random(7)
    for number in range(MACHINES):
        machine = _MACHINE | {"machine": f"synthetic-{number}"}
        place = root / "results" / machine["machine"]
        _dump(place / "machine.json", machine | {"version": 1})
        for day, commit in enumerate(commits):
            _dump(place / f"{commit[:8]}-virtualenv-py3.11.json", _results(machine, commit, day, names, rng))


def points(html: Path) -> int:
    """Count the values in the graphs of a published site, each benchmark's own and no summary."""
    graphs = html / "graphs"
    own = [
        path for path in graphs.rglob("*.time_case_*.json") if path.relative_to(graphs).parts[0] != "summary"
    ]
    return sum(len(values) for path in own for _, values in json.loads(path.read_text()))


def _dump(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def _history(place: Path) -> list[str]:
    place.mkdir(parents=True)
    who = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "synthetic")
    who |= dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "synthetic@example.org")
    _git(place, "init", "--quiet", "--initial-branch", "main")
    for number in range(COMMITS):
        when = f"{1_770_000_000 + 86_400 * number} +0000"
        dated = who | {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        _git(place, "commit", "--quiet", "--allow-empty", "--message", f"Change {number}", env=dated)
    return _git(place, "rev-list", "--reverse", "main").split()


def _git(place: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        ["git", "-C", str(place), *arguments],
        env=os.environ | (env or {}),
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def _settings() -> dict[str, Any]:
    return {
        "version": 1,
        "project": "synthetic",
        "project_url": "https://example.org/",
        "repo": "project",
        "branches": ["main"],
        "environment_type": "virtualenv",
        "benchmark_dir": "benchmarks",
        "results_dir": "results",
        "html_dir": "html",
    }


def _benchmark(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "type": "time",
        "unit": "seconds",
        "code": "def time_case(self, arm, run): ...",
        "params": [[repr(value) for value in values] for values in _PARAMS],
        "param_names": ["arm", "run"],
        "version": "1",
        "timeout": 60.0,
        "number": 0,
        "repeat": 0,
        "rounds": 2,
        "sample_time": 0.01,
        "warmup_time": -1,
        "min_run_count": 2,
    }


def _results(
    machine: dict[str, str], commit: str, day: int, names: list[str], rng: random.Random
) -> dict[str, Any]:
    date = 1000 * (1_770_000_000 + 86_400 * day)
    return {
        "commit_hash": commit,
        "env_name": "virtualenv-py3.11",
        "date": date,
        "params": machine | {"python": "3.11"},
        "python": "3.11",
        "requirements": {},
        "env_vars": {},
        "result_columns": _COLUMNS,
        "results": {name: _row(date, rng) for name in names},
        "durations": {},
        "version": 2,
    }


def _row(date: int, rng: random.Random) -> list[Any]:
    values = [rng.gauss(10, 0.5) for _ in range(COMBINATIONS)]
    spread = [[round(value * share, 3) for value in values] for share in (0.95, 1.05, 0.98, 1.02)]
    params = [[repr(value) for value in part] for part in _PARAMS]
    return [values, params, "1", date, 20.0, *spread, [1] * COMBINATIONS, [10] * COMBINATIONS]
