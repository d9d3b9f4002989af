"""Which trials a session runs, in which order, and which are left out and why. Pure."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mmbench.case import Case, Suite
from mmbench.errors import UsageError, unknown
from mmbench.records import TrialKey

ARMS = ("without_mm", "with_mm", "unprimed", "placebo")
DEFAULT_ARMS = ("without_mm", "with_mm")
CANNOT_ASK = "the agent cannot wait for the user's answer, its adapter says"
EQUIVALENCE_MARGIN = 5.0
"""Points within which an effect counts as none, declared before the run."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """A case, or one arm of it, that is not run."""

    case: str
    arm: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Every trial of a session in order, and everything that is left out."""

    suite: str
    arms: tuple[str, ...]
    runs: int
    seed: int
    schedule: tuple[TrialKey, ...]
    excluded: tuple[Excluded, ...]

    @property
    def cases(self) -> tuple[str, ...]:
        """Return the ids of the cases that are run, by name."""
        return tuple(sorted({key.case for key in self.schedule}))

    def record(self) -> dict[str, Any]:
        """Return the plan as the session line holds it."""
        return {
            "suite": self.suite,
            "arms": list(self.arms),
            "runs": self.runs,
            "seed": self.seed,
            "schedule": [key._asdict() for key in self.schedule],
            "excluded": [{"case": e.case, "arm": e.arm, "reason": e.reason} for e in self.excluded],
            "margin": EQUIVALENCE_MARGIN,
        }


@dataclass(frozen=True, slots=True)
class Backend:
    """What the mm backend of a cell can do, and why it cannot do the rest."""

    capabilities: frozenset[str]
    reasons: Mapping[str, str]

    def lacks(self, case: Case) -> str | None:
        """Return why a case cannot be run with this backend, None when it can."""
        for need in sorted(case.needs - self.capabilities):
            return self.reasons.get(need, f"the profile has no {need}")
        return None


def parse_arms(text: str) -> tuple[str, ...]:
    """Read `--arms`: extra arms beside the two that always run."""
    extra = [name.strip() for name in text.split(",") if name.strip()]
    for name in extra:
        if name not in ARMS:
            raise unknown("arm", name, ARMS)
    return tuple(arm for arm in ARMS if arm in DEFAULT_ARMS or arm in extra)


def make(
    suite: Suite,
    backend: Backend,
    *,
    arms: Sequence[str],
    runs: int,
    seed: int,
    reference: bool,
    can_ask: bool = True,
) -> Plan:
    """Draw up the plan of one session.

    Cases are in an order drawn per run, and the arms of a case in an order drawn
    per (case, run), both from the seed; the arms of a pair run next to each other.
    `reference` agents run only the arms that the case has a solution for; cases with a
    user to ask are for agents that `can_ask`.
    """
    if runs < 1:
        raise UsageError(f"--runs is {runs}; a session has at least one run.")
    excluded: list[Excluded] = []
    possible: dict[str, tuple[str, ...]] = {}
    for case in suite.cases:
        reason = backend.lacks(case)
        if case.clarification is not None and not can_ask:
            reason = CANNOT_ASK
        if reason is not None:
            excluded.append(Excluded(case.id, None, reason))
            continue
        unsolved = [arm for arm in arms if reference and case.solution(arm) is None]
        excluded += [
            Excluded(case.id, arm, "the case has no reference solution for this arm") for arm in unsolved
        ]
        possible[case.id] = tuple(arm for arm in arms if arm not in unsolved)
    schedule = tuple(key for run in range(1, runs + 1) for key in _run_order(possible, run, seed))
    return Plan(suite.name, tuple(arms), runs, seed, schedule, tuple(excluded))


def _run_order(possible: Mapping[str, tuple[str, ...]], run: int, seed: int) -> list[TrialKey]:
    cases = sorted(possible)
    _draw(f"{seed}/{run}").shuffle(cases)
    keys: list[TrialKey] = []
    for case in cases:
        drawn = list(possible[case])
        _draw(f"{seed}/{run}/{case}").shuffle(drawn)
        keys += [TrialKey(case, arm, run) for arm in drawn]
    return keys


def _draw(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 (the same order again, not a secret)


def pairs(keys: Sequence[TrialKey]) -> list[list[TrialKey]]:
    """Group trials into the (case, run) that they are the arms of, in order."""
    groups: dict[tuple[str, int], list[TrialKey]] = {}
    for key in keys:
        groups.setdefault((key.case, key.run), []).append(key)
    return list(groups.values())
