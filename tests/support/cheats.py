"""Agents that cheat, for measuring how much a case's checks give away.

- *shotgun* solves nothing, names every file and states every number and text it can think of,
  and writes the same into every file that a check looks at.
- *touch* creates an empty file at every path that a check looks at.
- *mangle* solves the case and then damages a file that has nothing to do with it.

All know the case's checks and truth, which no real agent does: what they cannot earn, nobody can.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench.bench.grading import Evidence, FileFact, checkpoint_score, run_checks, survey
from mmbench.bench.grading.look import matches
from mmbench.bench.grading.validator import run_validator
from mmbench.case import Case

COUNTED = 2000
"""The shotgun states every whole number up to this one."""


@dataclass(frozen=True, slots=True)
class Played:
    """A tree as a cheat left it, with what was there before and what it said."""

    tree: Path
    reference: Path
    before: dict[str, FileFact]
    answer: str = ""

    def score(self, case: Case) -> float:
        """Grade it: points, 0 to 100."""
        evidence = Evidence(self.answer, self.tree, self.before, self.reference)
        results = run_checks(case.checks, evidence)
        if source := case.document.get("validator"):
            weight = float(case.document.get("validator_weight", 1))
            truth = case.document["ground_truth"]
            results.append(run_validator(source, evidence, truth=truth, weight=weight))
        return 100 * checkpoint_score(results)


def begin(case: Case, dataset: Path, folder: Path) -> Played:
    """Copy the case's subtree and look at it."""
    reference = dataset / case.dataset
    tree = folder / "work"
    shutil.copytree(reference, tree, symlinks=True)
    return Played(tree, reference, survey(tree, hashes=True))


def shotgun(case: Case, played: Played) -> Played:
    """Say everything: every file, every number, every text of the truth and of the checks."""
    texts = [str(value) for value in leaves([case.document["ground_truth"], case.checks])]
    files = [path for path, fact in played.before.items() if fact.kind == "file"]
    words = "\n".join([*files, *texts, *map(str, range(COUNTED))])
    for path in _written(case):
        _put(played.tree / path, words)
    return Played(played.tree, played.reference, played.before, words)


def touch(case: Case, played: Played) -> Played:
    """Create an empty file wherever a check looks and nothing is yet."""
    for path in [*_written(case), *_destinations(case)]:
        if not (played.tree / path).exists():
            _put(played.tree / path, "")
    return Played(played.tree, played.reference, played.before, "Done.")


def solve(case: Case, played: Played) -> Played:
    """Solve the case by its own solution without mm, or else by its truth."""
    solution = case.solution("without_mm")
    if solution is None:
        return Played(played.tree, played.reference, played.before, _by_truth(case, played.tree))
    environment = {"PATH": os.environ["PATH"], "HOME": str(played.tree.parent), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-s"],
        input=f"{{ :\n{solution}\n}} </dev/null\n",
        cwd=played.tree,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return Played(played.tree, played.reference, played.before, done.stdout)


def mangle(case: Case, solved: Played) -> Played:
    """Damage a file of a solved case that the case has nothing to do with."""
    victim = next(path for path in solved.before if _is_unrelated(path, case, solved))
    with (solved.tree / victim).open("ab") as stream:
        stream.write(b"\n")
    return solved


def _is_unrelated(path: str, case: Case, solved: Played) -> bool:
    allowed = [
        glob
        for check in case.checks
        if check["kind"] == "tree_unchanged_except"
        for name in ("allow", "allow_changed", "allow_deleted", "allow_added")
        for glob in check.get(name, ())
    ]
    is_file = solved.before[path].kind == "file" and (solved.tree / path).is_file()
    return is_file and not any(matches(path, glob) for glob in allowed)


def leaves(value: Any) -> Iterator[Any]:
    """Yield the scalars of a JSON value."""
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield value


def _written(case: Case) -> list[str]:
    """Return the files that checks expect the agent to write, originals that it may change included."""
    kinds = ("table_match", "artifact_contains", "artifact_exists", "docx_text", "audio_match")
    return sorted({check["path"] for check in case.checks if check["kind"] in kinds})


def _destinations(case: Case) -> list[str]:
    """Return the places at which checks expect files of the dataset."""
    found = [check["path"] for check in case.checks if check["kind"] == "path_exists"]
    for check in case.checks:
        if check["kind"] == "grouping":
            found += [f"{folder}/{Path(p).name}" for folder, paths in check["truth"].items() for p in paths]
    return found


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _by_truth(case: Case, tree: Path) -> str:
    for check in case.checks:
        if check["kind"] == "grouping":
            for folder, paths in check["truth"].items():
                (tree / folder).mkdir(exist_ok=True)
                for path in paths:
                    (tree / path).rename(tree / folder / Path(path).name)
        elif check["kind"] == "table_match":
            _put(tree / check["path"], _table(check["truth"]))
        elif check["kind"] == "artifact_contains":
            _put(tree / check["path"], _subtitles(case.document["ground_truth"]))
    return "Done."


def _subtitles(truth: dict[str, Any]) -> str:
    """Spread the lines that are said evenly over the clip."""
    step = truth["seconds"] // len(truth["lines"])
    cues = [
        f"{n + 1}\n00:00:{n * step:02},000 --> 00:00:{(n + 1) * step:02},000\n{line}\n"
        for n, line in enumerate(truth["lines"])
    ]
    return "\n".join(cues)


def _table(rows: list[dict[str, Any]]) -> str:
    lines = [list(rows[0])] + [[_cell(value) for value in row.values()] for row in rows]
    return "\n".join(",".join(json.dumps(cell, ensure_ascii=False) for cell in line) for line in lines)


def _cell(value: Any) -> str:
    value = value[0] if isinstance(value, list) else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
