"""A synthetic session as planned: its cases and its first line."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from mmbench import jsontext, records, scoring
from tests.support import hostile

Fields = dict[str, Any]
START = datetime(2026, 2, 2, 8, 0, tzinfo=UTC)
ARMS = ("without_mm", "with_mm")


@dataclass(frozen=True, slots=True)
class Plan:
    """One synthetic session: who, when, how well and what went wrong."""

    agent: str
    profile: str = "synthetic-gateway"
    day: int = 0
    """Days after 2026-02-02."""
    runs: int = 3
    cases: int = 12
    skill: float = 0.55
    """Share of the checks that pass without mm, before the case's difficulty."""
    gain: float = 0.15
    """What mm adds to it."""
    pace: float = 1.2
    """Wall-clock time without mm over time with mm."""
    adoption: float = 0.9
    mm_version: str = "0.13.2"
    agent_version: str = "2.0.0"
    judge: bool = True
    reference: bool = False
    infra: float = 0.0
    timeouts: float = 0.03
    void_run: int | None = None
    cut: int | None = None
    """Number of trials after which the session stops, None when it finishes."""
    missing_verdicts: int = 0
    hostile: bool = False
    artifacts: bool = False
    arms: tuple[str, ...] = ARMS
    cleaned: tuple[str, ...] = ()
    """What a clean-up took away afterwards: sandboxes, streams, artifacts."""

    @property
    def session(self) -> str:
        """Return the session's id."""
        day = (START + timedelta(days=self.day)).strftime("%Y%m%dt%H%M%Sz")
        return f"{day}-{self.agent}-{self.profile}"


def case(index: int) -> Fields:
    """Return one synthetic case in the form that results/cases holds."""
    archetype = ("retrieval", "artifact", "organization")[index % 3]
    modality = ("image", "pdf", "audio", "video", "doc", "mixed")[index % 6]
    difficulty = ("easy", "medium", "hard")[(index // 2) % 3]
    made = {
        "id": f"{archetype}-{modality}-{index:02d}",
        "title": f"Synthetic {archetype} over {modality} files, number {index}",
        "archetype": archetype,
        "modality": [modality],
        "dataset": f"area-{index % 8}",
        "mm_commands": [("find", "cat", "grep", "peek", "sql", "wc")[index % 6], "cat"],
        "difficulty": difficulty,
        "prompt": f"A synthetic prompt.\nFind the {modality} file that fits and answer with its name.",
        "ground_truth": {"file": f"file-{index}.{modality}", "total": 100 + index},
        "checks": [
            {"kind": "names_file", "weight": 2, "file": f"file-{index}.{modality}"},
            {"kind": "contains_number", "weight": 1, "number": 100 + index},
            {"kind": "contains_text", "weight": 1, "text": "synthetic"},
        ],
        "judge_objective": "The synthetic answer names the file and the total.",
        "timeout_s": 300,
        "tags": ["synthetic"],
        "solutions": {"with_mm": "#!/bin/sh\nmm find . --kind image\n"},
    }
    if index == 3:
        made["title"] = f"Synthetic case with hostile text {hostile.MARKUP}"
        made["prompt"] = hostile.ALL
    return made


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


EMPTY = _sha("")


def digest(content: Fields) -> str:
    return jsontext.digest(content)


def cases(plan: Plan) -> list[Fields]:
    """Return the cases that a session covers."""
    return [case(index) for index in range(plan.cases)]


def header(plan: Plan) -> Fields:
    """Return the fields of the session line."""
    chosen = cases(plan)
    parts: Fields = {
        "suite": "synthetic",
        "cases": {c["id"]: digest(c) for c in chosen},
        "arms": list(plan.arms),
        "scoring": scoring.SCORING_VERSION,
        "judge": {"mode": "score", "models": ["synthetic-judge"], "prompt": EMPTY}
        if plan.judge
        else {"mode": "off"},
        "primer": _sha("primer"),
        "limits": {"output_bytes": 16_000_000},
        "sandbox": "bubblewrap",
        "dataset": _sha("dataset"),
    }
    return {
        "session": plan.session,
        "cell": {"agent": plan.agent, "profile": plan.profile},
        "reference": plan.reference,
        "subject": {
            "agent": {"name": plan.agent, "version": plan.agent_version, "adapter": "1", "model": "model-1"},
            "profile": {
                "name": plan.profile,
                "kind": "adhoc",
                "model": "synthetic/vision-1",
                "endpoint": "loopback",
                "capabilities": ["ocr", "vision"],
                "weights": None,
            },
            "mm": {
                "version": plan.mm_version,
                "digest": hashlib.sha256(plan.mm_version.encode()).hexdigest(),
            },
        },
        "method": {"hash": records.method_hash(parts), "parts": parts},
        "plan": {
            "suite": "synthetic",
            "arms": list(plan.arms),
            "runs": plan.runs,
            "seed": 7,
            "schedule": schedule(plan),
            "excluded": [{"case": "speech-99", "arm": None, "reason": "the profile cannot hear speech"}],
            "margin": 5.0,
        },
        "cases": {c["id"]: digest(c) for c in chosen},
        "provenance": _provenance(plan),
    }


def schedule(plan: Plan) -> list[Fields]:
    rng = random.Random(plan.session)
    entries = []
    for run in range(1, plan.runs + 1):
        for chosen in cases(plan):
            arms = list(plan.arms)
            rng.shuffle(arms)
            entries += [{"case": chosen["id"], "arm": arm, "run": run} for arm in arms]
    return entries


def _provenance(plan: Plan) -> Fields:
    return {
        "kit": {"version": "0.1.0", "commit": "0" * 40, "dirty": False},
        "host": {
            "os": "Linux",
            "machine": "x86_64",
            "cpu": "synthetic",
            "cores": 8,
            "memory_gb": 32.0,
            "python": "3.12.1",
        },
        "sandbox": {"kind": "bubblewrap", "hides_files": True},
        "dataset": {
            "name": "synthetic",
            "revision": "1",
            "digest": _sha("dataset"),
            "files": 180,
            "bytes": 12_000_000,
        },
        "preflight": "passed",
        "command": ["bench", plan.agent, plan.profile, "--runs", str(plan.runs), "--seed", "7"],
    }
