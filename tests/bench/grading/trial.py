"""A small trial to grade: a dataset, the tree an agent left, and its answer."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench.bench.grading import CheckResult, Evidence, checkpoint_score, run_checks, survey


@dataclass
class Trial:
    """A dataset on disk, and a copy of it for the test to damage."""

    reference: Path
    tree: Path
    answer: str = ""
    hashes: bool = False

    def evidence(self, answer: str | None = None) -> Evidence:
        before = survey(self.reference, hashes=self.hashes)
        return Evidence(self.answer if answer is None else answer, self.tree, before, self.reference)

    def results(self, checks: Sequence[Mapping[str, Any]], answer: str | None = None) -> list[CheckResult]:
        return run_checks([{"weight": 1, **check} for check in checks], self.evidence(answer))

    def result(self, answer: str | None = None, **check: Any) -> CheckResult:
        return self.results([check], answer)[0]

    def score(self, answer: str | None = None, **check: Any) -> float:
        return self.result(answer, **check).score

    def scores(self, *checks: Mapping[str, Any]) -> list[float]:
        """Grade several checks in one run, so that one parser process serves them all."""
        return [result.score for result in self.results(checks)]

    def share(self, checks: Sequence[Mapping[str, Any]], answer: str | None = None) -> float:
        return checkpoint_score(self.results(checks, answer))

    def write(self, path: str, content: str | bytes = "x") -> Path:
        return put(self.tree, path, content)


def put(root: Path, path: str, content: str | bytes) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def trial(folder: Path, files: Mapping[str, str | bytes] | Sequence[str] = (), answer: str = "") -> Trial:
    """Make a trial whose tree is still as it was; given names only, each file holds its own name."""
    reference = folder / "reference"
    reference.mkdir()
    contents = files if isinstance(files, Mapping) else {name: f"content of {name}" for name in files}
    for path, content in contents.items():
        put(reference, path, content)
    shutil.copytree(reference, folder / "tree", symlinks=True)
    return Trial(reference, folder / "tree", answer)
