"""A recorded session of two cases and both arms, written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mmbench import jsontext
from mmbench.layout import Project, project
from mmbench.ledger import Ledger
from mmbench.records import TrialKey
from tests.bench.judge import samples
from tests.support import sessions

ANSWERS = {"without_mm": "It says egret.", "with_mm": "It says heron."}


def write(root: Path, scores: dict[TrialKey, float | None], session: str = "s1") -> Project:
    """Write a session with these scores of the judge; None leaves the verdict out."""
    where = project(root / "results", root / "state")
    keys = list(scores)
    documents = {key.case: dict(samples.case(id=key.case).document) for key in keys}
    header = sessions.header(keys, session=session, judge="score")
    header["cases"] = {name: jsontext.digest(document) for name, document in documents.items()}
    for name, document in documents.items():
        path = where.case_file(header["cases"][name])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jsontext.canonical(document))
    with Ledger.create(where.ledger(session)) as book:
        book.append("session", header)
        for key, score in scores.items():
            book.append("trial", sessions.trial(key, text=ANSWERS[key.arm]))
            book.append("checks", sessions.checks(key, score=0.5, judged=True))
            if score is not None:
                book.append("verdict", verdict(key, score))
    return where


def verdict(key: TrialKey, score: float) -> dict[str, Any]:
    """Return the fields of a verdict line."""
    return {
        **key._asdict(),
        "attempt": 1,
        "scoring": "1",
        "judge": {"mode": "score", "models": ["m"], "prompt_sha256": sessions.HASH},
        "status": "ok",
        "score": score,
        "replies": [],
        "calculation": "",
        "error": None,
        "correctness": 25 + 10 * score,
        "passed": 25 + 10 * score >= 60,
    }


def both_arms(cases: int = 2) -> list[TrialKey]:
    """Return the keys of both arms."""
    return [TrialKey(f"word-{n}", arm, 1) for n in range(cases) for arm in ANSWERS]
