"""Made-up figures on the judge of the synthetic sessions, through the functions that make real ones."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Any

from mmbench.agreement import GradedCase, JudgedPair, Repeatability, grade_agreement
from mmbench.bench.judge.accuracy import Labelled, report
from tests.support import hostile
from tests.support.synthetic_plan import EMPTY

JUDGE, AT = "synthetic-judge", "2026-02-20T12:00:00.000Z"


def accuracy() -> dict[str, Any]:
    """Return what `judge accuracy --save` would keep over 120 pairs of three tasks."""
    rng = random.Random("synthetic accuracy")
    flip = {"A": "B", "B": "A"}
    labelled = []
    for number in range(120):
        chosen = rng.choice("AB")
        forward = chosen if rng.random() < 0.7 else flip[chosen]
        reverse = None if number % 20 == 0 else flip[chosen] if rng.random() < 0.65 else chosen
        task = ("retrieval", "artifact", hostile.MARKUP)[number % 3]
        pair = JudgedPair(f"{task}/{number}", chosen, forward, reverse, f"prompt-{number // 2}")  # type: ignore[arg-type]
        labelled.append(
            Labelled(pair, task, "synthetic", "", JUDGE, "A" if number % 4 == 0 else None, "1" * 64)
        )
    return _kept("accuracy", report(labelled), ["1" * 64])


def calibration() -> dict[str, Any]:
    """Return what `judge calibrate --save` would keep over 48 outcomes graded by two people."""
    rng = random.Random("synthetic calibration")
    cases = []
    for number in range(48):
        human = rng.randint(0, 5)
        near = [min(5, max(0, human + rng.choice((0, 0, 0, 1, -1)))) for _ in range(2)]
        arm = ("without_mm", "with_mm")[number % 2]
        cases.append(GradedCase(f"case-{number // 4}", arm, float(near[0]), (float(human), float(near[1]))))
    kinds = ("retrieval", "artifact", "organization")
    by = {
        k: asdict(grade_agreement([c for n, c in enumerate(cases) if n % 3 == i]))
        for i, k in enumerate(kinds)
    }
    figures = asdict(grade_agreement(cases)) | {"by": {"archetype": by, "modality": {}}}
    figures |= {"models": [JUDGE], "prompts": [EMPTY], "raters": 2, "unjudged": 3}
    return _kept("calibration", figures | {"repeats": asdict(Repeatability(12, 0.75, 0.35, 1.0))}, [EMPTY])


def _kept(kind: str, figures: dict[str, Any], prompts: list[str]) -> dict[str, Any]:
    return {
        "kind": kind,
        "v": 1,
        "at": AT,
        "judge": {"models": [JUDGE], "prompts": prompts},
        "figures": figures,
    }
