"""Grade one finished attempt."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from mmbench.bench import clarification, tree, validators
from mmbench.bench.grading import base
from mmbench.bench.grading.base import CheckFailedToRun, Evidence, FileFact, run_checks
from mmbench.bench.grading.validator import run_validator
from mmbench.bench.room import Kind
from mmbench.bench.trial import Executed, TrialSpec
from mmbench.case import Case
from mmbench.outcome import GRADED
from mmbench.scoring import SCORING_VERSION, checkpoint_score, correctness, passed


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
        asked=clarification.asked(spec.case, executed.record.get("clarification")),
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
