"""`judge calibrate`: a judge's grades beside those of people, and beside its own when it is asked again.

The grades of people are JSON lines: {"session", "case", "arm", "run", "grades": {"rater": 0..5, …}}, with
`attempt` for another than the newest, and `grade` for a single rater.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from mmbench import jsontext
from mmbench.agreement import GradedCase, Repeatability, grade_agreement, repeatability
from mmbench.bench.judge import pairs as files
from mmbench.bench.judge import stored
from mmbench.bench.judge.panel import Judge, JudgeFailed, not_asked
from mmbench.bench.judge.reply import MAX_SCORE
from mmbench.bench.judge.stored import Stored
from mmbench.errors import DataError
from mmbench.layout import Project
from mmbench.records import Attempt, TrialKey

NEEDED = ("session", "case", "arm", "run")


@dataclass(frozen=True, slots=True)
class Human:
    """What people said of one recorded attempt."""

    session: str
    key: TrialKey
    attempt: int | None
    grades: Mapping[str, float | None]


def load(path: Path) -> list[Human]:
    """Read the grades of people; DataError names the first line that is not of the form."""
    lines = files.read_bytes(path).split(b"\n")
    found = [_human(line, f"{path.name}:{n}") for n, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise DataError("It holds no grades.", where=path.name)
    return found


def _human(line: bytes, where: str) -> Human:
    try:
        value = jsontext.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"The line is not JSON: {error}.", where=where) from error
    missing = [name for name in NEEDED if not isinstance(value, dict) or name not in value]
    if missing:
        raise DataError(f"The line lacks {', '.join(missing)}.", where=where)
    grades = value.get("grades", {"rater": value["grade"]} if "grade" in value else None)
    if isinstance(grades, list):
        grades = {f"rater {n}": grade for n, grade in enumerate(grades, start=1)}
    if not isinstance(grades, dict) or all(grade is None for grade in grades.values()):
        raise DataError("The line has no grade.", where=where)
    key = TrialKey(value["case"], value["arm"], value["run"])
    return Human(
        str(value["session"]), key, value.get("attempt"), {r: _grade(g, where) for r, g in grades.items()}
    )


def _grade(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_SCORE:
        raise DataError(f"A grade is {value!r}, not 0 to {MAX_SCORE}.", where=where)
    return float(value)


@dataclass(frozen=True, slots=True)
class Pairing:
    """An attempt with the grades of people; the judge's is None while it has none."""

    human: Human
    stored: Stored
    attempt: Attempt

    @property
    def judge(self) -> float | None:
        """Return the recorded score."""
        verdict = self.attempt.verdict
        return None if verdict is None or verdict["score"] is None else float(verdict["score"])


def pairings(project: Project, humans: Sequence[Human]) -> list[Pairing]:
    """Find the recorded attempt of every grade."""
    load_once = lru_cache(maxsize=None)(lambda name: stored.load(project, name))
    return [
        Pairing(human, found := load_once(human.session), found.attempt(human.key, human.attempt))
        for human in humans
    ]


def report(found: Sequence[Pairing], repeats: Repeatability | None = None) -> dict[str, Any]:
    """Return every figure as plain values; shares are 0..1, biases in grades."""
    judged = [one for one in found if one.judge is not None]
    raters = sorted({name for one in judged for name in one.human.grades})
    graded = [(one, _graded(one, raters)) for one in judged]
    figures = asdict(grade_agreement([case for _, case in graded]))
    prompts = sorted({one.attempt.verdict["judge"]["prompt_sha256"] for one in judged if one.attempt.verdict})
    models = sorted(
        {m for one in judged if one.attempt.verdict for m in one.attempt.verdict["judge"]["models"]}
    )
    shared = {
        "models": models,
        "prompts": prompts,
        "raters": len(raters),
        "unjudged": len(found) - len(judged),
        "by": {name: _by(graded, values) for name, values in GROUPS.items()},
    }
    return shared | figures | {"repeats": None if repeats is None else asdict(repeats)}


def _graded(one: Pairing, raters: Sequence[str]) -> GradedCase:
    return GradedCase(
        case=one.human.key.case,
        arm=one.human.key.arm,
        judge=one.judge or 0.0,
        humans=tuple(one.human.grades.get(name) for name in raters),
        cluster=one.stored.case(one.human.key.case).cluster,
    )


GROUPS: Mapping[str, Callable[[Mapping[str, Any]], Sequence[str]]] = {
    "archetype": lambda document: [document["archetype"]],
    "modality": lambda document: document["modality"],
}
"""What a case asks of an agent: agreement is told for each."""


def _by(
    graded: Sequence[tuple[Pairing, GradedCase]], values: Callable[[Mapping[str, Any]], Sequence[str]]
) -> dict[str, dict[str, Any]]:
    groups: defaultdict[str, list[GradedCase]] = defaultdict(list)
    for one, case in graded:
        for value in values(one.stored.case(case.case).document):
            groups[value].append(case)
    return {name: asdict(grade_agreement(groups[name])) for name in sorted(groups)}


def repeated(
    judge: Judge, found: Sequence[Pairing], times: int, tell: Callable[[int, int], None]
) -> Repeatability:
    """Ask the judge several times about each attempt; JudgeFailed when it gives no verdict."""
    asked = [one for one in found if not_asked(one.attempt.trial) is None and one.attempt.checks]
    rows: list[list[float]] = []
    for number, one in enumerate(asked, start=1):
        rows.append([_again(judge, one) for _ in range(times)])
        tell(number, len(asked))
    return repeatability(rows)


def _again(judge: Judge, one: Pairing) -> float:
    assert one.attempt.checks is not None
    case = one.stored.case(one.human.key.case)
    verdict = judge.verdict(case, one.attempt.trial, one.attempt.checks, one.stored.project.results)
    if verdict["score"] is None:
        raise JudgeFailed(
            f"The judge failed on {one.human.key.case} ({verdict['error']}).",
            fix="Run the same command again.",
        )
    return float(verdict["score"])


def table(found: Mapping[str, Any]) -> str:
    """Return the figures for people."""
    rows = [
        ("judge", ", ".join(found["models"]) or "n/a"),
        ("outcomes", f"{found['n']} graded by both, {found['unjudged']} without a verdict"),
        ("exact agreement", _share(found["exact"])),
        ("within one", _share(found["within_one"])),
        ("quadratic kappa", _figure(found["kappa"]) + _ends(found["kappa_interval"])),
        ("alpha, people", f"{_figure(found['alpha_humans'])} ({found['raters']} raters)"),
        ("alpha, with judge", _figure(found["alpha_all"])),
    ]
    rows += [(f"bias, {arm}", _estimate(bias)) for arm, bias in sorted(found["bias"].items())]
    if found["repeats"]:
        repeats = found["repeats"]
        told = f"{_share(repeats['identical'])} alike, sd {_figure(repeats['sd'])}, widest {_figure(repeats['widest'])}"
        rows.append(("asked again", f"{told} over {repeats['outcomes']} outcomes"))
    return "\n".join(f"{name:<20} {text}" for name, text in rows)


def _share(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f} %"


def _figure(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"


def _ends(interval: Mapping[str, float] | None) -> str:
    return f" ({interval['low']:.2f} to {interval['high']:.2f})" if interval else ""


def _estimate(bias: Mapping[str, Any]) -> str:
    ends = bias["interval"]
    told = f" ({ends['low']:+.2f} to {ends['high']:+.2f})" if ends else ""
    return f"{bias['point']:+.2f}{told} over {bias['n']}"


def shown(found: Mapping[str, Any], *, as_json: bool) -> str:
    """Return what `judge calibrate` prints."""
    return json.dumps(found, indent=2, ensure_ascii=False) if as_json else table(found)
