"""The gate of every case: what must hold for it before anybody is measured by it.

A case passes when nothing in it gives the answer away, when cheating and
idling earn next to nothing, when damage costs, and when its graders say the
same every time.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from mmbench import case as cases
from mmbench.bench import cheats, clarification, leaks, staging, tree
from mmbench.bench.busy import busy
from mmbench.bench.cheats import Played
from mmbench.bench.dataset import Dataset
from mmbench.bench.grading import CheckFailedToRun, CheckResult
from mmbench.bench.room import Kind, best_kind
from mmbench.case import Case
from mmbench.errors import DataError

NOP_MOST = 10.0
CHEAT_BELOW = 35.0
MANGLE_COSTS = 30.0
SOLVED = 99.99
GUARDED = ("artifact", "organization")
CHEATS = ("nop", "shotgun", "touch", "mangle")
REPEAT = 20
THREADS = 2
"""Repetitions run beside each other on busy cores, so that a grader that depends on load or order is caught."""
BY_TRUTH = frozenset({"grouping", "table_match", "artifact_contains", "tree_unchanged_except"})
"""The kinds of check whose truth alone says what a solved tree looks like."""

Points = Mapping[tuple[str, str], float | None]
"""The reference agent's correctness by case and arm; None where the trial was not graded."""


@dataclass(slots=True)
class Tested:
    """What testing one case came to."""

    case: Case
    scores: dict[str, float] = field(default_factory=dict)
    """Points by cheat; `mangle` is what is left of a solved case, absent where there was nothing to damage."""
    oracle: dict[str, float | None] = field(default_factory=dict)
    """Correctness by arm, as far as the reference agent was run."""
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Bench:
    """Where cases are tried: the dataset, the kind of room, and how often each tree is graded."""

    dataset: Dataset
    repeat: int = REPEAT
    load: int = os.cpu_count() or 1
    """How many cores are kept busy meanwhile."""
    kind: Kind = field(default_factory=best_kind)

    def test(self, case: Case) -> Tested:
        """Try one case with every cheat; what fails is told, not raised."""
        tested = Tested(case)
        tested.faults += [str(fault) for fault in cases.faults(case.document, case.source)]
        tested.faults += [*leaks.prompt_leaks(case), *leaks.dependence_on_mm(case)]
        try:
            with tempfile.TemporaryDirectory(prefix="mmbench-cases-") as folder:
                try:
                    self._cheat(tested, Path(folder) / "trees")
                finally:
                    tree.remove(Path(folder) / "trees")
        except (CheckFailedToRun, DataError) as error:
            tested.faults.append(error.what if isinstance(error, DataError) else f"a grader failed: {error}")
        tested.faults += judge(tested)
        return tested

    def _cheat(self, tested: Tested, folder: Path) -> None:
        case = tested.case
        tested.faults += clarification.faults(case, self._source(case, folder))
        tested.scores["nop"] = self._points(tested, "nop", self._begin(case, folder / "nop"))
        for name, cheat in (("shotgun", cheats.shotgun), ("touch", cheats.touch)):
            played = cheat(case, self._begin(case, folder / name))
            tested.scores[name] = self._points(tested, name, played)
        if not solvable(case):
            return
        solved = cheats.solve(case, self._begin(case, folder / "solved"), self.kind)
        points = self._points(tested, "solved", solved)
        if points < SOLVED:
            tested.faults.append(f"solved without mm it reaches {points:.1f} of 100")
        if case.document["archetype"] in GUARDED:
            tested.scores["mangle"] = self._points(tested, "mangle", cheats.mangle(case, solved))
            if tested.scores["mangle"] > points - MANGLE_COSTS:
                lost = points - tested.scores["mangle"]
                tested.faults.append(f"damage to an unrelated file costs {lost:.1f}, not {MANGLE_COSTS:.0f}")

    def _begin(self, case: Case, folder: Path) -> Played:
        return cheats.begin(self._source(case, folder.parent), folder)

    def _source(self, case: Case, folder: Path) -> Path:
        source, _ = staging.source_of(self.dataset, case, folder / "staged")
        return source

    def _points(self, tested: Tested, name: str, played: Played) -> float:
        """Grade a tree in peace and then over and over under load; graders that do not agree are a fault."""

        def once(_: int) -> list[CheckResult]:
            return played.results(tested.case, self.kind)

        first = once(0)
        with busy(self.load), ThreadPoolExecutor(THREADS) as executor:
            others = list(executor.map(once, range(1, self.repeat)))
        if any(other != first for other in others):
            tested.faults.append(
                f"its graders do not agree on the tree of {name} ({self.repeat} times graded)"
            )
        return cheats.points(first)


def judge(tested: Tested) -> Iterator[str]:
    """Yield which cheats earn too much, and what damage costs too little by the weights alone."""
    scores = tested.scores
    if scores.get("nop", 0.0) > NOP_MOST:
        yield f"doing nothing earns {scores['nop']:.1f}, over {NOP_MOST:.0f}"
    for name in ("shotgun", "touch"):
        if scores.get(name, 0.0) >= CHEAT_BELOW:
            yield f"{name} earns {scores[name]:.1f}, not under {CHEAT_BELOW:.0f}"
    if tested.case.document["archetype"] in GUARDED and "mangle" not in scores:
        cost = guarded_share(tested.case)
        if cost < MANGLE_COSTS:
            yield f"damage elsewhere costs at most {cost:.1f} by the weights, not {MANGLE_COSTS:.0f}"


def guarded_share(case: Case) -> float:
    """Return the points that one damaged file costs at least: it leaves a quarter of its guard at most."""
    total = sum(check["weight"] for check in case.checks)
    total += case.document.get("validator_weight", 1) if "validator" in case.document else 0
    guards = sum(check["weight"] for check in case.checks if check["kind"] == "tree_unchanged_except")
    return float(100 * 0.75 * guards / total)


def solvable(case: Case) -> bool:
    """Tell whether the case can be solved here: by a solution without mm, or a tree made from its truth."""
    if case.solution("without_mm") is not None:
        return True
    return case.document["archetype"] in GUARDED and {check["kind"] for check in case.checks} <= BY_TRUTH


def with_oracle(tested: Tested, points: Points, *, arms: tuple[str, ...]) -> Tested:
    """Add what the reference agent reached; less than 100 in an arm that has a solution is a fault."""
    reached = {arm: points[tested.case.id, arm] for arm in arms if (tested.case.id, arm) in points}
    short = [
        f"the oracle reaches {'no grade' if value is None else f'{value:.1f}'} in {arm}"
        for arm, value in reached.items()
        if value is None or value < SOLVED
    ]
    return replace(tested, oracle=reached, faults=[*tested.faults, *short])


def run(bench: Bench, wanted: tuple[Case, ...], tell: Callable[[Tested], None]) -> list[Tested]:
    """Test cases one after the other, telling of each as it is done."""
    found = []
    for case in wanted:
        found.append(bench.test(case))
        tell(found[-1])
    return found
