"""Sessions in the forms of others: one JSON document, flat tables, ATIF trajectories.

Standard library only; Parquet and the Hugging Face folder are made of the same
tables by `mmbench.report.export`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mmbench import cleanup, comparability, jsontext, ledger, soundness
from mmbench.errors import DataError
from mmbench.layout import Project, inside
from mmbench.records import Attempt, Session, Trial, state

FORMAT, VERSION = "mmbench-export", 1
Row = dict[str, Any]

SESSIONS: Mapping[str, type] = {
    "session": str, "started": str, "head": str, "agent": str, "agent_version": str, "model": str, "profile": str,
    "profile_model": str, "mm_version": str, "suite": str, "method": str, "reference": bool, "legacy": bool,
    "seed": int, "runs": int, "executable": int, "excluded": int, "voided": int, "completed": int, "failed": int,
    "skipped": int, "judge_failed": int, "unfinished": int, "pairs": int, "sound_pairs": int, "coverage": float,
    "technical_success": float, "quality_mean": float, "quality_median": float, "quality_sd": float, "seconds": float,
    "cost_usd": float,
}  # fmt: skip
TRIALS: Mapping[str, type] = {
    "session": str, "case": str, "arm": str, "run": int, "position": int, "attempt": int, "newest": bool,
    "state": str, "status": str, "failure": str, "void": str, "checkpoint": float, "judge": float,
    "correctness": float, "passed": bool, "started_at": str, "duration_s": float, "model": str, "turns": int,
    "tool_calls": int, "parse": str, "input_total": int, "input_uncached": int, "cache_read": int, "cache_write": int,
    "output_total": int, "reasoning": int, "cost_usd": float, "mm_calls": int, "mm_failed": int, "mm_requests": int,
    "mm_prompt_tokens": int, "mm_completion_tokens": int, "answer": str,
}  # fmt: skip
PAIRS: Mapping[str, type] = {"session": str, "case": str, "run": int, "sound": bool, "reasons": str}
TABLES: Mapping[str, Mapping[str, type]] = {"sessions": SESSIONS, "trials": TRIALS, "pairs": PAIRS}


def document(where: Project, paths: Sequence[Path]) -> dict[str, Any]:
    """Return everything about some sessions; `lines` are the ledger's own, in order."""
    loaded = [ledger.load(path) for path in paths]
    return {
        "format": FORMAT,
        "v": VERSION,
        "comparability": comparability.compare(loaded).record(),
        "sessions": [_session(where, session, path) for session, path in zip(loaded, paths, strict=True)],
    }


def _session(where: Project, session: Session, path: Path) -> dict[str, Any]:
    values, _, tail = ledger.read(path)
    return {
        "session": session.id,
        "head": session.head,
        "states": dict(sorted(session.states().items())),
        "figures": comparability.figures(session).record(),
        "pairs": [
            {"case": pair.case, "run": pair.run, "sound": pair.sound, "reasons": list(pair.reasons)}
            for pair in soundness.pairs(session)
        ],
        "warnings": list(_warnings(session, tail)),
        "artifacts": [
            {"case": key.case, "arm": key.arm, "run": key.run, "attempt": attempt.number, **artifact}
            for key, trial in session.trials.items()
            for attempt in trial.attempts
            for artifact in attempt.trial["artifacts"]
        ],
        "cleaned": [asdict(removal) for removal in cleanup.read(path.parent, session.id)],
        "cases": {name: _case(where, digest) for name, digest in session.header["cases"].items()},
        "lines": values,
    }


def _warnings(session: Session, tail: bytes) -> Iterator[str]:
    if tail:
        yield f"the last line is torn: {len(tail)} bytes are left out"
    if session.header["provenance"]["preflight"] == "skipped":
        yield "the preflight was skipped"
    if not session.header["provenance"]["sandbox"]["hides_files"]:
        yield "the sandbox did not hide the files of the machine"
    if not session.finished:
        yield "the session is not finished"
    if comparability.is_legacy(session):
        yield "taken over from an older store"
    yield from (f"{soundness.WORDS[reason]}: {count} pairs" for reason, count in _reasons(session))


def _reasons(session: Session) -> list[tuple[soundness.Reason, int]]:
    return soundness.counted(soundness.pairs(session)).most_common()


def _case(where: Project, digest: str) -> Any:
    path = where.case_file(digest)
    return jsontext.loads(path.read_bytes()) if path.is_file() else None


def tables(paths: Sequence[Path]) -> dict[str, list[Row]]:
    """Return the flat tables by name; each row has the columns of TABLES, None where unknown."""
    loaded = [ledger.load(path) for path in paths]
    return {
        "sessions": [_session_row(session) for session in loaded],
        "trials": [row for session in loaded for row in _trial_rows(session)],
        "pairs": [
            {"session": s.id, "case": p.case, "run": p.run, "sound": p.sound, "reasons": ",".join(p.reasons)}
            for s in loaded
            for p in soundness.pairs(s)
        ],
    }


def _session_row(session: Session) -> Row:
    header = session.header
    subject, plan = header["subject"], header["plan"]
    figures = comparability.figures(session).record()
    quality = figures["quality"] or {"mean": None, "median": None, "sd": None}
    known: Row = {
        **figures,
        "started": header["at"],
        "head": session.head,
        "agent": subject["agent"]["name"],
        "agent_version": subject["agent"]["version"],
        "model": subject["agent"]["model"],
        "profile": subject["profile"]["name"],
        "profile_model": subject["profile"]["model"],
        "mm_version": subject["mm"]["version"],
        "suite": plan["suite"],
        "reference": header["reference"],
        "seed": plan["seed"],
        "runs": plan["runs"],
        **{f"quality_{name}": quality[name] for name in ("mean", "median", "sd")},
    }
    return {name: known[name] for name in SESSIONS}


def _trial_rows(session: Session) -> Iterator[Row]:
    for trial in session.trials.values():
        known: Row = {"session": session.id, **trial.key._asdict(), "position": trial.position}
        known |= {"void": trial.voided, "state": state(session, trial)}
        if not trial.attempts:
            yield dict.fromkeys(TRIALS) | known | {"newest": True}
        for attempt in trial.attempts:
            yield {name: (known | _attempt(trial, attempt)).get(name) for name in TRIALS}


def _attempt(trial: Trial, attempt: Attempt) -> Row:
    line, checks, verdict = attempt.trial, attempt.checks or {}, attempt.verdict or {}
    scored = verdict if verdict.get("correctness") is not None else checks
    outcome, calls, backend = line["outcome"], line["mm"]["calls"], line["mm"]["backend"] or {}
    return {
        **{name: line[name] for name in ("attempt", "status", "started_at", "duration_s")},
        **{name: outcome[name] for name in ("model", "turns", "tool_calls", "parse")},
        **{name: value for name, value in line["usage"].items() if name in TRIALS},
        "newest": attempt is trial.last,
        "failure": line["failure"]["kind"] if line["failure"] else None,
        "checkpoint": checks.get("checkpoint_score"),
        "judge": verdict.get("score"),
        "correctness": attempt.correctness,
        "passed": scored.get("passed"),
        "mm_calls": len(calls) + line["mm"]["dropped"],
        "mm_failed": sum(call["failed"] for call in calls),
        "mm_requests": backend.get("requests"),
        "mm_prompt_tokens": backend.get("prompt_tokens"),
        "mm_completion_tokens": backend.get("completion_tokens"),
        "answer": outcome["final_text"]["text"],
    }


def csv_bytes(rows: Sequence[Row], columns: Mapping[str, type]) -> bytes:
    """Write rows as CSV; unknown is empty, and no text is a formula to a spreadsheet."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row[name]) for name in columns] for row in rows)
    return stream.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r", "'")):
        return f"'{value}"
    return value


Files = Iterator[tuple[str, bytes]]


def json_files(where: Project, paths: Sequence[Path]) -> Files:
    """Yield the one document."""
    yield "sessions.json", jsontext.dumps(document(where, paths)).encode() + b"\n"


def csv_files(where: Project, paths: Sequence[Path]) -> Files:
    """Yield a CSV file for each table."""
    del where
    for name, rows in tables(paths).items():
        yield f"{name}.csv", csv_bytes(rows, TABLES[name])


def atif_files(where: Project, paths: Sequence[Path]) -> Files:
    """Yield a trajectory for each attempt whose stream told its steps."""
    from mmbench import atif

    for path in paths:
        session = ledger.load(path)
        for trial in session.trials.values():
            for attempt in trial.attempts:
                case = _case(where, session.header["cases"].get(trial.key.case, ""))
                made = atif.trajectory(session, attempt, case["prompt"] if case else None)
                if made is not None:
                    name = (
                        f"{session.id}/{trial.key.case}.{trial.key.arm}.{trial.key.run}.{attempt.number}.json"
                    )
                    yield name, jsontext.dumps(made).encode() + b"\n"


FORMATS: Mapping[str, Callable[[Project, Sequence[Path]], Files]] = {
    "json": json_files,
    "csv": csv_files,
    "atif": atif_files,
}


def write(files: Files, out: Path) -> int:
    """Write files below a folder; return how many.

    DataError when there is nothing to write, or a results file names a place elsewhere.
    """
    count = 0
    for name, data in files:
        path = out / name
        if not inside(path, out):
            raise DataError(f"A session would be written out of the folder, to {name}.", where=name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        count += 1
    if not count:
        raise DataError("There is nothing to export in this form.", fix="Choose another --format.")
    return count
