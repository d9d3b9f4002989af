"""`judge prefer`: recorded outcomes of two arms, or of two sessions, side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mmbench.bench.judge import pairwise, stored
from mmbench.bench.judge.pairwise import Orders, Pair
from mmbench.bench.judge.panel import Judge
from mmbench.bench.judge.stored import Stored
from mmbench.errors import UsageError
from mmbench.layout import Project
from mmbench.records import Line, TrialKey


def sides(
    project: Project, sessions: Sequence[str], arms: Sequence[str]
) -> tuple[list[Pair], tuple[str, str]]:
    """Return the pairs to judge and the names of their sides.

    One session: two of its arms. Two sessions: one arm of both, over the cases
    that are the same in both.
    """
    found = [stored.load(project, name) for name in sessions]
    if len(found) == 1 and len(arms) == 2:
        (one,) = found
        pairs = list(_pairs(one, one, arms[0], arms[1]))
        names = (arms[0], arms[1])
    elif len(found) == 2 and len(arms) == 1:
        pairs = list(_pairs(found[0], found[1], arms[0], arms[0]))
        names = (found[0].session.id, found[1].session.id)
    else:
        raise UsageError(
            "Compare two arms of one session, or one arm of two sessions.",
            fix="For example: judge prefer SESSION --arms without_mm,with_mm",
        )
    if not pairs:
        raise UsageError(
            "There is no case with a graded outcome on both sides.", fix="Choose other sessions."
        )
    return pairs, names


def _pairs(a: Stored, b: Stored, arm_a: str, arm_b: str) -> Iterator[Pair]:
    left, right = _outcomes(a, arm_a), _outcomes(b, arm_b)
    for key, trial in left.items():
        other = right.get(key)
        if other is not None and a.session.header["cases"][key.case] == b.session.header["cases"][key.case]:
            yield pairwise.of_outcomes(a.case(key.case), trial, other, a.project.results)


def _outcomes(one: Stored, arm: str) -> dict[TrialKey, Line]:
    """Return the outcomes of an arm by case and run."""
    return {key._replace(arm=""): last.trial for key, last in one.graded() if key.arm == arm}


def ask(judge: Judge, pairs: Sequence[Pair], tell: Callable[[int, int], None]) -> dict[str, Orders]:
    """Judge every pair in both orders."""
    found: dict[str, Orders] = {}
    for number, pair in enumerate(pairs, start=1):
        found[pair.id] = pairwise.compare(judge, pair, ties=True)
        tell(number, len(pairs))
    return found


def report(judge: Judge, names: tuple[str, str], found: Mapping[str, Orders]) -> dict[str, Any]:
    """Return every figure and every outcome as plain values."""
    total = pairwise.summarise(list(found.values()))
    return {
        "judge": list(judge.config.models),
        "sides": {"a": names[0], "b": names[1]},
        "outcomes": {name: orders.outcome for name, orders in found.items()},
        **asdict(total.share),
        "flip_rate": total.share.flip_rate,
        "position_bias": total.position_bias,
        "unjudged": total.unjudged,
    }


def shown(found: Mapping[str, Any], *, as_json: bool) -> str:
    """Return what `judge prefer` prints."""
    if as_json:
        return json.dumps(found, indent=2, ensure_ascii=False)
    ends, share = found["interval"], found["share"]
    told = (
        "n/a"
        if share is None
        else f"{100 * share:.1f} % ({100 * ends['low']:.1f} to {100 * ends['high']:.1f})"
    )
    rows = [
        ("judge", ", ".join(found["judge"])),
        (f"A, {found['sides']['a']}", found["a"]),
        (f"B, {found['sides']['b']}", found["b"]),
        ("tie", found["tie"]),
        ("inconsistent", found["inconsistent"]),
        ("share for B (ties and flips half)", told),
        ("position bias", "n/a" if found["position_bias"] is None else f"{found['position_bias']:+.2f}"),
        ("without a verdict", found["unjudged"]),
    ]
    return "\n".join(f"{name:<40} {value}" for name, value in rows)
