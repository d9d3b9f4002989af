"""`mmbench regrade`: today's checks and judge on recorded outcomes, as new lines beside the old ones."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mmbench import case as cases
from mmbench import scoring
from mmbench.bench import clarification, credentials, grade, staging, tree
from mmbench.bench import dataset as datasets
from mmbench.bench.dataset import Dataset
from mmbench.bench.grading import answer, asking
from mmbench.bench.grading.base import Evidence, FileFact
from mmbench.bench.judge import config as judges
from mmbench.bench.judge import stored
from mmbench.bench.judge.config import JudgeOptions
from mmbench.bench.judge.panel import Judge, JudgeFailed
from mmbench.bench.judge.retry import Stopped
from mmbench.bench.judge.stored import Stored
from mmbench.bench.rebuild import NotKept, Origin, rebuild
from mmbench.bench.redact import Redactor
from mmbench.bench.room import Kind, best_kind
from mmbench.case import Case, Suite
from mmbench.errors import Interrupted, MmbenchError, UsageError
from mmbench.layout import Project
from mmbench.ledger import Ledger
from mmbench.records import Attempt, Line, Session

PLAIN = frozenset({"contains_number", "contains_text", *asking.KINDS})
"""Kinds of check that look at nothing but what was said."""
SAID = answer.KINDS.keys() | asking.KINDS.keys()
"""Kinds that need no final tree."""
FLEETING = frozenset({"mtime_preserved", "mode_preserved"})
"""Kinds that look at what no record holds: times and permissions."""
Tell = Callable[[str], None]


@dataclass(slots=True)
class Regraded:
    """What came of regrading one session."""

    session: str
    done: int = 0
    moved: int = 0
    """Attempts whose correctness is another one now."""
    left: dict[str, str] = field(default_factory=dict)
    """Trials that could not be regraded, and why."""


@dataclass(frozen=True, slots=True)
class Regrader:
    """What regrading a session needs."""

    project: Project
    kind: Kind
    judge: Judge | None
    """None keeps the scores of the old verdicts."""
    redactor: Redactor
    cancel: threading.Event
    tell: Tell
    suite: str | None = None
    """Where today's cases are; None for the session's own suite."""

    def session(self, name: str) -> Regraded:
        """Regrade the newest attempt of every trial; JudgeFailed stops, with everything before it written."""
        found = stored.load(self.project, name)
        today = Today.of(found, self.suite)
        result = Regraded(found.session.id)
        book, now = Ledger.open(self._path(found, name), redact=self.redactor.record)
        with book:
            for key, attempt in Stored(self.project, now).graded():
                if self.cancel.is_set():
                    raise Interrupted("Interrupted; what was regraded is in the results.")
                try:
                    self._attempt(book, now, today, attempt, result)
                except NotKept as reason:
                    result.left["/".join(map(str, key))] = str(reason)
                    self.tell(f"{key.case} {key.arm} run {key.run}: not regraded, {reason}")
        return result

    def _path(self, found: Stored, name: str) -> Path:
        return Path(name) if name.endswith(".jsonl") else self.project.ledger(found.session.id)

    def _attempt(
        self, book: Ledger, session: Session, today: Today, attempt: Attempt, result: Regraded
    ) -> None:
        """Grade one attempt again and write its lines, the verdict known before the first is written."""
        case = today.case(attempt.trial)
        before = attempt.correctness
        checks = self._checks(session, today, case, attempt.trial)
        verdict = self._verdict(case, attempt, checks) if session.judged else None
        book.append("checks", checks)
        if verdict is not None:
            book.append("verdict", verdict)
        after = checks["correctness"] if verdict is None else verdict["correctness"]
        result.done += 1
        result.moved += before != after
        self.tell(
            f"{case.id} {attempt.trial['arm']} run {attempt.trial['run']}: {_points(before)} -> {_points(after)}"
        )

    def _checks(self, session: Session, today: Today, case: Case, trial: Line) -> dict[str, Any]:
        head = {name: trial[name] for name in ("case", "arm", "run", "attempt")}
        with tempfile.TemporaryDirectory(prefix="mmbench-regrade-") as folder:
            target = Path(folder) / "tree"
            try:
                found = today.evidence(case, trial, self.project.results, target)
                return head | grade.checked(case, found, self.kind, judged=session.judged)
            finally:
                tree.remove(target)

    def _verdict(self, case: Case, attempt: Attempt, checks: Line) -> dict[str, Any] | None:
        if checks["checkpoint_score"] is None:
            return None
        if self.judge is None:
            return _kept(case, attempt.verdict, checks)
        try:
            verdict = self.judge.verdict(case, attempt.trial, checks, self.project.results, self.cancel.wait)
        except Stopped as stopped:
            raise Interrupted("Interrupted; what was regraded is in the results.") from stopped
        if verdict["status"] == "failed":
            raise JudgeFailed(
                f"The judge failed on {case.id} ({verdict['error']}); it keeps its old grade.",
                fix="Run the same command again once the judge works, or with --judge off to keep the old scores.",
            )
        return verdict


def _kept(case: Case, old: Line | None, checks: Line) -> dict[str, Any]:
    """Return the old verdict with the correctness that follows from the new checks."""
    if old is None or old["score"] is None:
        raise NotKept("it has no verdict to keep")
    share, score = float(checks["checkpoint_score"]), float(old["score"])
    points = scoring.correctness(share, score)
    fields = {name: value for name, value in old.items() if name not in ("kind", "v", "seq", "at", "prev")}
    return fields | {
        "scoring": scoring.SCORING_VERSION,
        "correctness": points,
        "passed": scoring.passed(points, case.threshold),
        "calculation": f"score of line {old['seq']} kept; 50 · {share:g} + 50 · {score:g} / 5 = {points:g}",
    }


@dataclass(frozen=True, slots=True)
class Today:
    """Today's cases and dataset beside a recorded session."""

    stored: Stored
    suite: Suite | None
    dataset: Dataset | None
    """None when it is not the one that the session had."""

    @classmethod
    def of(cls, found: Stored, named: str | None = None) -> Today:
        """Find today's suite and dataset; what is not there any more is None.

        A suite that is named must be there.
        """
        project, header = found.project, found.session.header
        told = header["provenance"]["dataset"]
        try:
            suite = cases.load_suite(project.cases, named or str(header["plan"]["suite"]))
        except MmbenchError:
            if named:
                raise
            suite = None  # a suite from elsewhere: its cases are graded as they were
        try:
            dataset = datasets.resolve(suite.dataset if suite else str(told["name"]), project.datasets)
        except MmbenchError:
            dataset = None  # answers can be graded without it, and every other trial says that it is missing
        same = dataset is not None and dataset.digest == told["digest"]
        return cls(found, suite, dataset if same else None)

    def case(self, trial: Line) -> Case:
        """Return a case as it is today, if it still sets the same task, else as it was; raises NotKept."""
        was = self.stored.case(trial["case"])
        now = next((case for case in self.suite.cases if case.id == was.id), None) if self.suite else None
        if now is None:
            return was
        if _task(now) != _task(was):
            raise NotKept("its task is another one today")
        return now

    def evidence(self, case: Case, trial: Line, results: Path, target: Path) -> Evidence:
        """Return what today's checks may look at, the final tree made again where they need it; raises NotKept."""
        text = trial["outcome"]["final_text"]
        if text["truncated"]:
            raise NotKept("its answer was kept in part only")
        kinds = {str(check["kind"]) for check in case.checks}
        asked = clarification.asked(case, trial.get("clarification"))
        if "validator" not in case.document and kinds <= SAID:
            return Evidence(text["text"], _empty(target), self._start(case, kinds, target), asked=asked)
        if self.dataset is None:
            raise NotKept("the dataset is not the one that it was done on")
        if kinds & FLEETING or any(check.get("modes") or check.get("mtimes") for check in case.checks):
            raise NotKept("its checks look at times or permissions, which no record holds")
        origin = Origin(*staging.source_of(self.dataset, case, _staged(target)))
        before = rebuild(trial, origin, results, target)
        return Evidence(text["text"], target, grade.facts(before, origin.hashes), origin.source, asked)

    def _start(self, case: Case, kinds: set[str], target: Path) -> Mapping[str, FileFact]:
        """Return what was in the tree at the start, for checks of the names in an answer."""
        if self.dataset is None:
            if kinds <= PLAIN:
                return {}
            raise NotKept("the dataset is not the one that it was done on")
        source, hashes = staging.source_of(self.dataset, case, _staged(target))
        return grade.facts(tree.marks(source), hashes)


def _task(case: Case) -> tuple[Any, ...]:
    """Return what an agent was given: prompt, files, and what the user would have answered."""
    channel = clarification.Channel.of(case)
    return case.prompt, case.dataset, case.setup, channel


def _staged(target: Path) -> Path:
    """Return where a case's tree is set up, beside the one that is made again."""
    return target.with_name("staged")


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _points(value: float | None) -> str:
    return "ungraded" if value is None else f"{value:.1f}"


def run(
    project: Project,
    names: list[str],
    asked: JudgeOptions,
    *,
    cancel: threading.Event,
    tell: Tell,
    suite: str | None = None,
) -> list[Regraded]:
    """Regrade sessions one after the other; the judge is today's, in the mode that each session has."""
    found = []
    for name in names:
        judge = _judge(stored.load(project, name).session, asked)
        keys = [judge.config.api_key] if judge else []
        redactor = credentials.redactor(keys, os.environ, (), home=Path.home())
        found.append(Regrader(project, best_kind(), judge, redactor, cancel, tell, suite).session(name))
    return found


def _judge(session: Session, asked: JudgeOptions) -> Judge | None:
    """Return today's judge for a judged session; None where there is none, or the old scores are to stay."""
    mode = session.header["method"]["parts"]["judge"]["mode"]
    if mode == "off" and (asked.mode not in (None, "off") or asked.model is not None):
        raise UsageError(
            f"{session.id} was not judged, and its method has no judge.",
            fix="Leave the options of the judge out, or begin a session with them.",
        )
    if mode == "off" or asked.mode == "off":
        return None
    if asked.mode not in (None, mode):
        raise UsageError(
            f"{session.id} was judged by {mode}, not by {asked.mode}.",
            fix=f"Leave --judge out, or give --judge {mode}.",
        )
    return Judge.of(judges.require(asked, os.environ, mode))
