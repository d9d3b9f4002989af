"""Grade one finished attempt, and keep the files that its checks speak of."""

from __future__ import annotations

import mimetypes
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from mmbench import jsontext
from mmbench.bench import tree, validators
from mmbench.bench.grading import base
from mmbench.bench.grading.base import CheckFailedToRun, Evidence, FileFact, run_checks
from mmbench.bench.grading.validator import run_validator
from mmbench.bench.redact import Redactor
from mmbench.bench.room import Kind
from mmbench.bench.trial import Executed, TrialSpec
from mmbench.case import Case
from mmbench.outcome import GRADED
from mmbench.scoring import SCORING_VERSION, checkpoint_score, correctness, passed

MAX_ARTIFACTS = 20
MAX_ARTIFACT = 2 << 20
MAX_OTHERS = 8
MAX_OTHER = 64 << 10


def grade(spec: TrialSpec, executed: Executed, kind: Kind, *, judged: bool) -> dict[str, Any] | None:
    """Run the case's checks over what the agent left; None for an outcome that is not graded.

    A grader that fails leaves the attempt ungraded, with the reason.
    """
    if executed.record["status"] not in GRADED or executed.sandbox is None:
        return None
    found = evidence(spec, executed)
    return {**spec.key._asdict(), "attempt": spec.attempt} | checked(spec.case, found, kind, judged=judged)


def checked(case: Case, found: Evidence, kind: Kind, *, judged: bool) -> dict[str, Any]:
    """Run a case's checks over evidence and return what a checks line says of them."""
    started = time.perf_counter()
    try:
        results = _results(case, found, kind)
        error = None
    except CheckFailedToRun as failure:
        results, error = [], str(failure)
    duration = round(time.perf_counter() - started, 4)
    return {"scoring": SCORING_VERSION, "duration_s": duration} | _scored(case, results, error, judged)


def _results(case: Case, found: Evidence, kind: Kind) -> list[base.CheckResult]:
    """Run the checks and, where the case has one, its validator in a room of its own."""
    results = run_checks(case.checks, found)
    source = case.document.get("validator")
    if source is not None:
        weight = float(case.document.get("validator_weight", 1))
        truth = case.document["ground_truth"]
        results.append(
            run_validator(source, found, truth=truth, weight=weight, run_sandboxed=validators.runner(kind))
        )
    return results


def _scored(case: Case, results: list[base.CheckResult], error: str | None, judged: bool) -> dict[str, Any]:
    share = None if error else checkpoint_score([(result.weight, result.score) for result in results])
    points = None if share is None or judged else correctness(share)
    return {
        "checkpoint_score": share,
        "results": [
            {"kind": r.kind, "weight": r.weight, "score": round(r.score, 6), "reason": r.reason}
            for r in results
        ],
        "error": error,
        "correctness": points,
        "passed": None if points is None else passed(points, case.threshold),
    }


def evidence(spec: TrialSpec, executed: Executed) -> Evidence:
    """Collect what the checks may look at."""
    assert executed.sandbox is not None
    return Evidence(
        answer=executed.answer,
        tree=executed.sandbox.path("work"),
        before=facts(executed.sandbox.before, spec.hashes),
        reference=spec.source,
    )


def facts(marks: Mapping[str, tree.Mark], hashes: Mapping[str, str]) -> dict[str, FileFact]:
    """Turn the look at the fresh copy into what the checks know of the start."""
    return {
        path: FileFact(
            kind=mark.kind,
            size=mark.size,
            mode=mark.mode,
            mtime_ns=mark.mtime_ns,
            sha256=hashes.get(path),
            target=mark.target,
            ctime_ns=mark.ctime_ns,
            inode=mark.inode,
        )
        for path, mark in marks.items()
    }


def keep_artifacts(
    spec: TrialSpec, executed: Executed, folder: Path, results: Path, redactor: Redactor
) -> list[dict[str, Any]]:
    """Copy what the agent wrote: the files that the checks name, then a few other small ones for the judge.

    Regular files only, stored by content hash; what is refused is listed with its reason.
    """
    if executed.sandbox is None or spec.case.document["archetype"] == "organization":
        return []
    named = {str(check["path"]) for check in spec.case.checks if "path" in check}
    written = [change for change in executed.changes if change.change != "deleted"]
    wanted = [change for change in written if change.path in named]
    known = set(spec.hashes.values())
    others = [change for change in written if change.path not in named and _is_small_new(change, known)]
    kept: list[dict[str, Any]] = []
    for change in wanted[:MAX_ARTIFACTS] + others[:MAX_OTHERS]:
        path = executed.sandbox.path("work") / change.path
        entry = {
            "path": tree.shown(change.path),
            "size": change.size,
            "sha256": change.sha256,
            "media_type": _media_type(PurePosixPath(change.path)),
            "stored": None,
            "refused": _refusal(change),
        }
        data = None if entry["refused"] else tree.read_regular(path, MAX_ARTIFACT)
        if data is not None and redactor.hit(os.fsencode(change.path) + b"\n" + data):
            entry |= {"refused": "it holds a secret, or a name of the machine it was made on"}
        elif data is not None:
            stored = folder / f"{jsontext.sha256(data)[:16]}-{_safe(change.path)}"
            _store(stored, data)
            entry |= {"stored": stored.relative_to(results).as_posix()}
        kept.append(entry)
    return kept


def _is_small_new(change: tree.TreeChange, known: set[str]) -> bool:
    """Tell a small file with contents of its own; what was moved or copied is in the dataset."""
    return change.kind == "file" and 0 < change.size <= MAX_OTHER and change.sha256 not in known


def _refusal(change: tree.TreeChange) -> str | None:
    if change.kind != "file":
        return f"it is a {change.kind}"
    return (
        f"it has {change.size:,} bytes, over the limit of {MAX_ARTIFACT:,}"
        if change.size > MAX_ARTIFACT
        else None
    )


def _safe(path: str) -> str:
    name = os.fsencode(path.rpartition("/")[2]).decode("ascii", "replace").replace("\ufffd", "_")
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[-60:].lstrip(".") or "file"


def _store(path: Path, data: bytes) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(data)
    partial.replace(path)


def _media_type(path: PurePosixPath) -> str:
    """Guess a file's media type from its name."""
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"
