"""The lines of a synthetic session after the first, drawn from a seed."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mmbench import records, scoring
from tests.support import hostile
from tests.support.synthetic_plan import EMPTY, START, Fields, Plan, cases, header, schedule

_NO_STREAM = {"bytes": 0, "sha256": EMPTY, "truncated": False}


EFFECT = {"without_mm": 0.0, "with_mm": 1.0, "unprimed": 0.4, "placebo": -0.2}
"""How much of mm's gain an arm has."""


@dataclass(slots=True)
class Maker:
    """Draws the lines of one session."""

    plan: Plan
    rng: random.Random
    now: datetime
    files: dict[str, bytes] = field(default_factory=dict)

    def clock(self) -> str:
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def lines(self) -> Iterator[tuple[str, Fields]]:
        yield "session", header(self.plan)
        by_id = {c["id"]: (index, c) for index, c in enumerate(cases(self.plan))}
        unjudged = self.plan.missing_verdicts
        for position, entry in enumerate(schedule(self.plan)):
            if self.plan.cut is not None and position >= self.plan.cut:
                yield "end", self._end("interrupted")
                return
            index, chosen = by_id[entry["case"]]
            for line in self._trial(position, entry, index, chosen):
                if line[0] == "verdict" and unjudged:
                    unjudged -= 1
                    continue
                yield line
        if self.plan.void_run is not None:
            yield (
                "void",
                {
                    "run": self.plan.void_run,
                    "case": None,
                    "arm": None,
                    "why": "the synthetic endpoint changed",
                },
            )
        yield "end", self._end("complete")

    def _end(self, reason: str) -> Fields:
        return {"reason": reason, "message": "", "counts": {}}

    def _trial(
        self, position: int, entry: Fields, index: int, chosen: Fields
    ) -> Iterator[tuple[str, Fields]]:
        attempt = 1
        if self.rng.random() < self.plan.infra:
            yield "trial", self._attempt(position, entry, index, 1, "infra_error", 0.0)
            if self.rng.random() < 0.5:
                return
            attempt = 2
        hardness = {"easy": 0.2, "medium": 0.0, "hard": -0.25}[chosen["difficulty"]]
        harm = -0.35 if index % 12 == 7 else 0.0
        share = self.plan.skill + hardness + EFFECT[entry["arm"]] * (self.plan.gain + harm)
        share += 0.1 * math.sin(index * 2.3) + self.rng.gauss(0, 0.04)
        status = "timeout" if self.rng.random() < self.plan.timeouts else "completed"
        if status == "completed" and self.rng.random() < 0.02:
            status = "agent_error"
        yield "trial", self._attempt(position, entry, index, attempt, status, share)
        checks = self._checks(entry, attempt, chosen, 0.0 if status == "timeout" else share)
        yield "checks", checks
        if self.plan.judge:
            yield "verdict", self._verdict(entry, attempt, checks["checkpoint_score"], status)

    def _attempt(
        self, position: int, entry: Fields, index: int, attempt: int, status: str, share: float
    ) -> Fields:
        treated = entry["arm"] in ("with_mm", "unprimed")
        seconds = (40 + 9 * index) * math.exp(self.rng.gauss(0, 0.18)) / (self.plan.pace if treated else 1.0)
        seconds = 300.0 if status == "timeout" else 1.0 if status == "infra_error" else round(seconds, 3)
        started = self.clock()
        self.now += timedelta(seconds=seconds + 2)
        adoption = self.plan.adoption * (1.0 if entry["arm"] == "with_mm" else 0.4)
        calls = self._calls(index) if treated and self.rng.random() < adoption else []
        fresh = int(9000 * math.exp(self.rng.gauss(0, 0.2)) * (0.8 if calls else 1.0))
        failure = {
            "timeout": ("timeout", "the time limit of 300 s was reached"),
            "agent_error": ("crash", "the synthetic agent ended with exit code 1"),
            "infra_error": ("rate_limit", "the endpoint answered 429"),
        }.get(status)
        text = f"The file is file-{index}. Total: {100 + index}. (synthetic, share {share:.2f})"
        if self.plan.hostile:
            text = f"{hostile.ALL}\n{text}"
        ended = {"timeout": "timeout", "infra_error": "not_started"}.get(status, "exit")
        return {
            **entry,
            "attempt": attempt,
            "position": position,
            "status": status,
            "failure": {"kind": failure[0], "message": failure[1]} if failure else None,
            "started_at": started,
            "duration_s": seconds,
            "exit_code": {"completed": 0, "agent_error": 1}.get(status),
            "ended": ended,
            "outcome": {
                "final_text": records.capped("" if status in ("timeout", "infra_error") else text, 20_000),
                "model": "model-1",
                "turns": self.rng.randint(3, 12),
                "tool_calls": self.rng.randint(2, 20),
                "parse": "ok",
            },
            "usage": self._usage(fresh),
            "steps": {"items": self._steps(index, calls, text), "dropped": 0},
            "mm": {"calls": calls, "dropped": 0, "backend": None, "database": None},
            "tree": {"files": 180, "bytes": 12_000_000, "digest": None, "changes": [], "dropped": 0},
            "artifacts": self._artifacts(entry) if self.plan.artifacts and status == "completed" else [],
            "streams": {
                name: {"bytes": 0, "sha256": EMPTY, "truncated": False} for name in ("stdout", "stderr")
            },
            "stderr_tail": records.capped(hostile.ALL if self.plan.hostile else "synthetic: done\n", 4000),
            "treatment": {"intact": True, "changed": []},
            "canary": False,
        }

    def _calls(self, index: int) -> list[Fields]:
        commands = [["find", ".", "--kind", "image"], ["cat", f"file-{index}.pdf", "-m", "accurate"]]
        commands += [["grep", "total", "-i"], ["wc", "."]][: self.rng.randint(0, 2)]
        if self.plan.hostile:
            commands.append(["cat", hostile.FILE_NAME])
        return [
            {
                "argv": argv,
                "started_at": self.clock(),
                "duration_s": round(self.rng.uniform(0.2, 4.0), 3),
                "exit_code": 0 if self.rng.random() > 0.1 else 1,
                "failed": False,
                "reason": None,
            }
            for argv in commands
        ]

    def _usage(self, fresh: int) -> Fields:
        cached = fresh * 3
        return {
            "input_total": fresh + cached,
            "input_uncached": fresh,
            "cache_read": cached,
            "cache_write": 0,
            "output_total": fresh // 8,
            "reasoning": None,
            "cost_usd": round(fresh * 3e-6 + fresh // 8 * 15e-6, 6),
            "lower_bound": False,
        }

    def _steps(self, index: int, calls: Sequence[Fields], text: str) -> list[Fields]:
        steps: list[Fields] = [_step("message", None, "I look at the folder first.")]
        for call in calls:
            steps.append(_step("tool_call", "Bash", "mm " + " ".join(call["argv"])))
            steps.append(_step("tool_result", "Bash", f"file-{index}.pdf  12 KB\n" * 3))
        return [*steps, _step("message", None, text)]

    def _artifacts(self, entry: Fields) -> list[Fields]:
        made = []
        for name, media, data in hostile.ARTIFACTS:
            stored = f"artifacts/{self.plan.session}/{hashlib.sha256(data).hexdigest()}"
            self.files[stored] = data
            made.append(
                {
                    "path": name,
                    "size": len(data),
                    "sha256": hashlib.sha256(data).hexdigest(),
                    "media_type": media,
                    "stored": stored,
                    "refused": None,
                }
            )
        made.append(
            {
                "path": "huge.bin",
                "size": 10**9,
                "sha256": None,
                "media_type": "application/octet-stream",
                "stored": None,
                "refused": "larger than 5 MB",
            }
        )
        return made

    def _checks(self, entry: Fields, attempt: int, chosen: Fields, share: float) -> Fields:
        results = []
        for check in chosen["checks"]:
            score = 1.0 if self.rng.random() < share else 0.0
            reason = "it is there" if score else f"nothing in the answer fits {check['kind']}"
            results.append(
                {"kind": check["kind"], "weight": check["weight"], "score": score, "reason": reason}
            )
        checkpoint = scoring.checkpoint_score([(r["weight"], r["score"]) for r in results])
        points = None if self.plan.judge else scoring.correctness(checkpoint)
        return {
            **entry,
            "attempt": attempt,
            "scoring": scoring.SCORING_VERSION,
            "checkpoint_score": checkpoint,
            "results": results,
            "error": None,
            "correctness": points,
            "passed": None if points is None else scoring.passed(points),
            "duration_s": 0.01,
        }

    def _verdict(self, entry: Fields, attempt: int, checkpoint: float, status: str) -> Fields:
        asked = status not in ("timeout", "no_answer")
        score = float(min(5, max(0, round(5 * checkpoint + self.rng.gauss(0, 0.6))))) if asked else 0.0
        reply = {
            "model": "synthetic-judge",
            "score": score,
            "criteria": None,
            "reason": "synthetic reasoning: the answer names what it should",
            "raw": records.capped(f'{{"score": {score}}}', 2000),
            "tries": 1,
            "error": None,
            "served_model": "synthetic-judge",
            "prompt_tokens": 900,
            "completion_tokens": 40,
        }
        points = scoring.correctness(checkpoint, score)
        return {
            **entry,
            "attempt": attempt,
            "scoring": scoring.SCORING_VERSION,
            "judge": {"mode": "score", "models": ["synthetic-judge"], "prompt_sha256": EMPTY},
            "status": "ok" if asked else "not_asked",
            "score": score,
            "replies": [reply] if asked else [],
            "calculation": f"50·{checkpoint} + 50·{score:g}/5 = {points:g}",
            "error": None,
            "correctness": points,
            "passed": scoring.passed(points),
        }


def _step(kind: str, name: str | None, text: str) -> Fields:
    return {"kind": kind, "name": name, "text": records.capped(text, 4000)}


def maker(plan: Plan) -> Maker:
    """Return the maker of a plan's lines, at its start."""
    return Maker(plan, random.Random(f"{plan.session}/{plan.skill}"), START + timedelta(days=plan.day))
