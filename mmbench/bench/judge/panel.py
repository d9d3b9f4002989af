"""A judge of one model or several: from a stored outcome to a verdict, and from a verdict to its record."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Generic, TypeVar

from mmbench import scoring
from mmbench.bench.judge import criteria, left, prompt, reply
from mmbench.bench.judge.client import Client
from mmbench.bench.judge.config import Config
from mmbench.bench.judge.criteria import Criterion
from mmbench.bench.judge.question import Answer, AskError, Question, Unreadable
from mmbench.bench.judge.retry import Patience, Sleep, Stopped, attempts
from mmbench.case import Case
from mmbench.errors import MmbenchError, PrerequisiteError
from mmbench.records import Line, capped

RAW_LIMIT = 8_000
T = TypeVar("T")


class JudgeFailed(MmbenchError):  # noqa: N818 (the judge failed, not the kit)
    """The judge stayed broken; everything else of the trial is in the ledger."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Said(Generic[T]):
    """What one model said to one question: a value read from its reply, or why there is none."""

    model: str
    value: T | None
    answer: Answer | None
    tries: int
    error: AskError | None


@dataclass(frozen=True, slots=True)
class Judge:
    """One or several models that grade by one configuration."""

    config: Config
    clients: tuple[Client, ...]
    patience: Patience = field(default_factory=Patience)
    rng: random.Random = field(default_factory=random.Random)

    @classmethod
    def of(cls, config: Config) -> Judge:
        """Make the judge of a configuration."""
        clients = (Client(config.wire, config.base_url, model, config.api_key) for model in config.models)
        return cls(config, tuple(clients))

    def ask(self, client: Client, question: Question, read: Callable[[str], T], sleep: Sleep) -> Said[T]:
        """Ask one model until its reply can be read, or patience is at an end; raises Stopped."""
        try:
            (value, answer), tries = attempts(
                lambda: _once(client, question, read), self.patience, sleep, self.rng
            )
        except AskError as error:
            return Said(client.model, None, error.answer, error.tries, error)
        return Said(client.model, value, answer, tries, None)

    def verdict(
        self,
        case: Case,
        trial: Line,
        checks: Line,
        results: Path,
        sleep: Sleep = time.sleep,
        *,
        before: Line | None = None,
    ) -> dict[str, Any]:
        """Return the fields of the verdict line of a graded attempt, from stored facts alone; raises Stopped.

        Of a panel that failed `before` only the members that gave no reply are asked again.
        """
        fields = {name: trial[name] for name in ("case", "arm", "run", "attempt")} | {
            "scoring": scoring.SCORING_VERSION,
            "judge": {
                "mode": self.config.mode,
                "models": list(self.config.models),
                "prompt_sha256": prompt.template_sha256(self.config.mode),
            },
        }
        reason = not_asked(trial)
        if reason is not None:
            told = f"not asked, {reason}: 0 of 5"
            return fields | _graded(case, checks, 0.0, told) | {"status": "not_asked", "replies": []}
        task = self.task(case, trial, results)
        kept = _kept(before, task.question)
        replies = [
            kept.get(client.model) or _record(self.ask(client, task.question, task.read, sleep))
            for client in self.clients
        ]
        fields |= {"asked_sha256": task.question.sha256, "replies": replies}
        failed = [reply for reply in replies if reply["error"] is not None]
        if failed:
            told = "; ".join(f"{reply['model']}: {reply['error']}" for reply in failed)
            blank = {"score": None, "calculation": "", "correctness": None, "passed": None}
            return fields | blank | {"status": "failed", "error": told[:1000]}
        grades = [task.grade(reply) for reply in replies]
        score = round(median(grade.score for grade in grades), 6)
        told = _calculation(grades, score)
        if kept and before is not None:
            told = f"{', '.join(kept)} as in line {before['seq']}; {told}"
        return fields | _graded(case, checks, score, told) | {"status": "ok"}

    def task(self, case: Case, trial: Line, results: Path) -> Task:
        """Return what is asked about a stored outcome, and how its reply is read."""
        seen = left.of_trial(trial, results)
        if self.config.mode == "criteria":
            listed = criteria.of_case(case.document)
            return Task(prompt.criteria(case, seen, listed), listed)
        return Task(prompt.score(case, seen))

    def ready(self, sleep: Sleep = time.sleep) -> list[Answer]:
        """Ask every model a trifle; PrerequisiteError names what is wrong with the first that cannot be asked."""
        text = 'This is a trial of the connection. Reply with {"reason": "ready", "score": 0}.'
        question = Question("You are a judge.", text, prompt.SCORE_SCHEMA)
        answers = []
        for client in self.clients:
            said = self.ask(client, question, lambda text: text, sleep)
            if said.answer is None or said.error is not None:
                raise PrerequisiteError(
                    f"The judge {client.model} cannot be asked ({str(said.error).rstrip('.')}).",
                    where=self.config.base_url,
                    fix="Check its key, model and base URL, or choose --judge off.",
                )
            answers.append(said.answer)
        return answers


@dataclass(frozen=True, slots=True)
class Grade:
    """One model's grade: 0..5, from points where criteria are judged."""

    score: float
    reason: str
    points: Mapping[str, float] | None
    calculation: str


@dataclass(frozen=True, slots=True)
class Task:
    """A question about an outcome and the reader of its replies."""

    question: Question
    listed: tuple[Criterion, ...] = ()
    """The criteria; none where one score is asked for."""

    def read(self, text: str) -> Grade:
        """Read a reply as it came; raises Unreadable."""
        if not self.listed:
            score = reply.score(text)
            return Grade(float(score.score), score.reason, None, f"{score.score}")
        read = criteria.parse(text, self.listed)
        return self._by_points(read.points, read.reason)

    def grade(self, recorded: Mapping[str, Any]) -> Grade:
        """Return the grade that a reply has given, from its record."""
        if recorded["criteria"] is not None:
            return self._by_points(recorded["criteria"], recorded["reason"])
        return Grade(float(recorded["score"]), recorded["reason"], None, f"{recorded['score']:g}")

    def _by_points(self, points: Mapping[str, float], reason: str) -> Grade:
        told = criteria.calculation(points, self.listed)
        return Grade(criteria.score(points, self.listed), reason, points, told)


def not_asked(trial: Line) -> str | None:
    """Return why an outcome is graded 0 without a call, None when the judge is to be asked."""
    if trial["status"] == "timeout":
        return "the time was up"
    if trial["status"] == "no_answer" or not trial["outcome"]["final_text"]["text"].strip():
        return "there is no answer"
    return None


def _once(client: Client, question: Question, read: Callable[[str], T]) -> tuple[T, Answer]:
    answer = client.ask(question)
    try:
        return read(answer.text), answer
    except Unreadable as error:
        raise AskError("unreadable", str(error), answer=answer) from error


def _kept(before: Line | None, question: Question) -> dict[str, dict[str, Any]]:
    """Return the good replies of a failed verdict by model, where the very same was asked."""
    if before is None or before["status"] != "failed" or before.get("asked_sha256") != question.sha256:
        return {}
    return {one["model"]: dict(one) for one in before["replies"] if one["error"] is None}


def _calculation(grades: list[Grade], score: float) -> str:
    if len(grades) == 1:
        return grades[0].calculation if grades[0].points else f"{score:g} of 5"
    steps = "; ".join(grade.calculation for grade in grades if grade.points)
    figures = ", ".join(f"{grade.score:g}" for grade in grades)
    return f"{steps}{'; ' if steps else ''}median({figures}) = {score:g} of 5"


def _graded(case: Case, checks: Line, score: float, told: str) -> dict[str, Any]:
    share = float(checks["checkpoint_score"])
    points = scoring.correctness(share, score)
    return {
        "score": score,
        "calculation": f"{told}; 50 · {share:g} + 50 · {score:g} / 5 = {points:g}",
        "error": None,
        "correctness": points,
        "passed": scoring.passed(points, case.threshold),
    }


def _record(said: Said[Grade]) -> dict[str, Any]:
    """Return a reply as the ledger holds it, the broken one too."""
    answer, grade = said.answer or Answer(""), said.value
    facts = asdict(answer)
    return {
        "model": said.model,
        "score": grade.score if grade else None,
        "criteria": dict(grade.points) if grade and grade.points else None,
        "reason": grade.reason if grade else "",
        "raw": capped(answer.text, RAW_LIMIT),
        "tries": said.tries,
        "error": None if said.error is None else str(said.error),
        **{name: facts[name] for name in ("served_model", "prompt_tokens", "completion_tokens")},
        "without": list(answer.without),
    }


__all__ = ["Grade", "Judge", "JudgeFailed", "Said", "Stopped", "Task", "not_asked"]
