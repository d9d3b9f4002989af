"""Agents that cheat, for measuring how much a case's checks give away.

- *shotgun* solves nothing, names every file and states every number and text it can think of,
  and writes the same into every file that a check looks at. A user who can be asked, it asks for every word
  that a good question holds.
- *touch* creates an empty file at every path that a check looks at.
- *mangle* solves the case and then damages a file that has nothing to do with it.

All know the case's checks and truth, which no real agent does: what they cannot earn, nobody can.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from mmbench.bench import clarification, tree, validators
from mmbench.bench.grading import (
    CheckResult,
    Evidence,
    FileFact,
    checkpoint_score,
    run_checks,
    survey,
)
from mmbench.bench.grading.look import matches
from mmbench.bench.grading.validator import run_validator
from mmbench.bench.process import Limits
from mmbench.bench.room import Bind, Kind, Room, best_kind, etc_binds, interpreter_binds
from mmbench.case import Case
from mmbench.errors import DataError
from mmbench.layout import inside

COUNTED = 2000
"""The shotgun states every whole number up to this one."""


@dataclass(frozen=True, slots=True)
class Played:
    """A tree as a cheat left it, with what was there before and what it said."""

    tree: Path
    reference: Path
    before: dict[str, FileFact]
    answer: str = ""
    exchange: Mapping[str, Any] | None = None
    """What was said with the user of a clarification case, as records hold it."""

    def results(self, case: Case, kind: Kind | None = None) -> list[CheckResult]:
        """Grade it check by check, a validator in a room of the given kind or the best one."""
        asked = clarification.asked(case, self.exchange)
        evidence = Evidence(self.answer, self.tree, self.before, self.reference, asked)
        results = run_checks(case.checks, evidence)
        if source := case.document.get("validator"):
            weight = float(case.document.get("validator_weight", 1))
            truth = case.document["ground_truth"]
            run = validators.runner(kind or best_kind())
            results.append(run_validator(source, evidence, truth=truth, weight=weight, run_sandboxed=run))
        return results

    def score(self, case: Case, kind: Kind | None = None) -> float:
        """Grade it: points, 0 to 100."""
        return points(self.results(case, kind))


def points(results: list[CheckResult]) -> float:
    """Return the points of graded checks, 0 to 100."""
    return 100 * checkpoint_score(results)


def begin(source: Path, folder: Path) -> Played:
    """Copy a case's subtree and look at it."""
    work = folder / "work"
    shutil.copytree(source, work, symlinks=True)
    return Played(work, source, survey(work, hashes=True))


def shotgun(case: Case, played: Played) -> Played:
    """Say everything: every file, every number, every text of the truth and of the checks."""
    texts = [str(value) for value in leaves([case.document["ground_truth"], case.checks])]
    files = [path for path, fact in played.before.items() if fact.kind == "file"]
    words = "\n".join([*files, *texts, *map(str, range(COUNTED))])
    for path in _written(case):
        _put(_inside(played.tree, path), words)
    return replace(played, answer=words, exchange=question(case))


def question(case: Case) -> dict[str, Any] | None:
    """Return the exchange of an agent that asks before all else, with every word that is looked for."""
    told = clarification.asked(case, None)
    if told is None:
        return None
    words = " ".join(word for point in told.must_ask for word in point)
    return clarification.Exchange(question=words, asked_s=0.0, changed_before=0).record()


def touch(case: Case, played: Played) -> Played:
    """Create an empty file wherever a check looks and nothing is yet."""
    for path in [*_written(case), *_destinations(case)]:
        place = _inside(played.tree, path)
        if not place.exists():
            _put(place, "")
    return replace(played, answer="Done.")


def solve(case: Case, played: Played, kind: Kind | None = None) -> Played:
    """Solve the case by its own solution without mm, or else by its truth; DataError when the solution fails."""
    solution = case.solution("without_mm")
    if solution is None:
        return replace(played, answer=_by_truth(case, played.tree))
    room = _room(played.tree, kind or best_kind())
    script = f"{{ :\n{solution}\n}} </dev/null\n".encode()
    with clarification.attended(case, played.tree, tree.marks(played.tree)) as exchange:
        done = room.run(["bash", "-s"], limits=Limits(case.timeout_s), stdin=script)
    if done.exit_code != 0:
        said = done.stderr.bytes().decode("utf-8", "replace").strip()[-300:]
        raise DataError(
            f"The solution without mm of {case.id} failed: {said or done.ended}.", where=case.source
        )
    answer = done.stdout.bytes().decode("utf-8", "replace")
    return replace(played, answer=answer, exchange=exchange.record() if exchange else None)


def _room(tree: Path, kind: Kind) -> Room:
    """Return a room that shows the tree, an empty home and the system; no mm and no dataset."""
    home = tree.parent / "home"
    home.mkdir()
    isolated = kind != "process"
    work = PurePosixPath("/workspace") if isolated else PurePosixPath(tree)
    inside = PurePosixPath("/tmp") if isolated else PurePosixPath(home)  # noqa: S108 (private in the room)
    binds = (
        Bind(home, inside, writable=True),
        Bind(tree, work, writable=True),
        *(etc_binds(tree.parent / "etc", inside) if isolated else ()),
        *interpreter_binds(Path(sys.base_prefix)),
    )
    path = f"{os.defpath}:{sys.base_prefix}/bin"
    return Room(kind, binds, work, {"PATH": path, "HOME": str(inside), "LC_ALL": "C.UTF-8"})


def mangle(case: Case, solved: Played) -> Played:
    """Damage a file of a solved case that the case has nothing to do with."""
    victim = next((path for path in solved.before if _is_unrelated(path, case, solved)), None)
    if victim is None:
        raise DataError(
            f"{case.id} lets every file be changed: no damage could cost anything.", where=case.source
        )
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


def _inside(root: Path, path: str) -> Path:
    """Return a place of the tree; DataError for one outside: a case must not have anything written there."""
    place = root / path
    if not inside(place, root):
        raise DataError(f"A check looks out of the tree: {path}.")
    return place


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))  # names of files need not be UTF-8


def _by_truth(case: Case, tree: Path) -> str:
    for check in case.checks:
        if check["kind"] == "grouping":
            for folder, paths in check["truth"].items():
                place = _inside(tree, folder)
                place.mkdir(exist_ok=True)
                for path in paths:
                    _inside(tree, path).rename(place / Path(path).name)
        elif check["kind"] == "table_match":
            _put(_inside(tree, check["path"]), _table(check["truth"]))
        elif check["kind"] == "artifact_contains":
            _put(_inside(tree, check["path"]), _subtitles(case.document["ground_truth"]))
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
