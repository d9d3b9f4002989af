"""What the statistics take in: one value per scheduled (case, run), with both arms side by side.

Callers hand over every scheduled pair, the unusable ones too, so that each
figure can say what it rests on and what was left out, by reason.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, Protocol, TypeVar

from mmbench.errors import DataError

MIN_CASES = 8
"""Under this many cases an interval is withheld: too few to learn their spread from."""

MISSING = "missing"
"""Reason of a scheduled pair that lacks a score though nothing excluded it."""

Arm = Literal["without", "with"]
Counts = tuple[tuple[str, int], ...]
"""Reasons and how often each, sorted by reason."""


class Pair(Protocol):
    """What every kind of pair has: where it stands and whether its observation may be used."""

    @property
    def case(self) -> str:
        """Return the case's id."""
        ...

    @property
    def cluster(self) -> str:
        """Return the group of cases that share their files."""
        ...

    @property
    def run(self) -> int:
        """Return the repetition."""
        ...

    @property
    def reason(self) -> str:
        """Return why the pair is unusable, or '' when it is sound."""
        ...


AnyPair = TypeVar("AnyPair", bound=Pair)


@dataclass(frozen=True, slots=True)
class PairScore:
    """Correctness of both arms of one (case, run), each 0..100, or None when it has no score.

    `excluded` names the infrastructure or judge failure that takes the pair
    out of both arms; an agent's own failure is a score, not an exclusion.
    `adopted` says whether the with-arm called mm, None when unknown.
    `with_first` says which arm ran first. For a comparison of two agents,
    `without` is the first agent and `with_` the second.
    """

    case: str
    cluster: str
    run: int
    without: float | None
    with_: float | None
    excluded: str = ""
    adopted: bool | None = None
    with_first: bool | None = None
    threshold: float = 60.0

    @property
    def reason(self) -> str:
        """Return why the pair is unusable, or '' when it is sound."""
        return self.excluded or (MISSING if None in (self.without, self.with_) else "")

    def score(self, arm: Arm) -> float:
        """Return one arm's correctness; DataError when it has none."""
        value = self.without if arm == "without" else self.with_
        if value is None:
            raise DataError(f"Case '{self.case}', run {self.run}, has no score in the {arm} arm.")
        return value

    @property
    def gain(self) -> float:
        """Return correctness with minus without, in points."""
        return self.score("with") - self.score("without")

    def passed(self, arm: Arm) -> bool:
        """Return whether one arm reached the case's threshold."""
        return self.score(arm) >= self.threshold


def sound(pairs: Iterable[AnyPair]) -> list[AnyPair]:
    """Return the usable pairs in a fixed order; DataError when a (case, run) comes twice or a case moves."""
    pairs = list(pairs)
    _check(pairs)
    return sorted((pair for pair in pairs if not pair.reason), key=lambda pair: (pair.case, pair.run))


def excluded(pairs: Iterable[Pair]) -> Counts:
    """Return how many pairs are unusable, by reason."""
    return tuple(sorted(Counter(pair.reason for pair in pairs if pair.reason).items()))


def by_case(pairs: Iterable[AnyPair]) -> dict[str, list[AnyPair]]:
    """Return the pairs of each case, in the order given."""
    cases: defaultdict[str, list[AnyPair]] = defaultdict(list)
    for pair in pairs:
        cases[pair.case].append(pair)
    return dict(cases)


def case_gains(pairs: Iterable[PairScore]) -> dict[str, list[float]]:
    """Return the gain of every run of each case, in points; pairs must be sound."""
    return {case: [pair.gain for pair in runs] for case, runs in by_case(pairs).items()}


def case_means(pairs: Iterable[PairScore], arm: Arm) -> dict[str, float]:
    """Return each case's mean correctness over its runs in one arm; pairs must be sound."""
    return {case: fmean(pair.score(arm) for pair in runs) for case, runs in by_case(pairs).items()}


def case_clusters(pairs: Iterable[Pair]) -> dict[str, str]:
    """Return the cluster of each case."""
    return {pair.case: pair.cluster for pair in pairs}


_Run = TypeVar("_Run")
Cases = tuple[Mapping[str, Sequence[_Run]], Mapping[str, str]]
"""What was seen of each case, run by run, and the cluster of each case."""


def merged(parts: Iterable[Cases[_Run]]) -> tuple[dict[str, list[_Run]], dict[str, str]]:
    """Return the cases of several cells as those of one, by case id; a case lies where the first has it."""
    runs: defaultdict[str, list[_Run]] = defaultdict(list)
    clusters: dict[str, str] = {}
    for cases, labels in parts:
        clusters = {**labels, **clusters}
        for case, of in cases.items():
            runs[case] += of
    return {case: runs[case] for case in sorted(runs)}, clusters


def added(counts: Iterable[Counts]) -> Counts:
    """Return the sum of counts by reason."""
    total: Counter[str] = Counter()
    for some in counts:
        total.update(dict(some))
    return tuple(sorted(total.items()))


def squares(values: Sequence[float]) -> float:
    """Return the sum of squared deviations; `statistics.variance` works in fractions, thirty times as long."""
    mean = fmean(values)
    return math.fsum((value - mean) ** 2 for value in values)


def runs_note(cases: Mapping[str, Sequence[object]]) -> str:
    """Return a sentence for cases with unequal numbers of sound runs, or ''."""
    counts = {len(runs) for runs in cases.values()}
    return f"Cases have {min(counts)} to {max(counts)} sound runs." if len(counts) > 1 else ""


def sentences(*notes: str) -> str:
    """Join the notes that say something."""
    return " ".join(note for note in notes if note)


def _check(pairs: Sequence[Pair]) -> None:
    """Look for faults in bulk, which is five times as fast, and for the first of them only when there is one."""
    cases = {pair.case for pair in pairs}
    doubled = len({(pair.case, pair.run) for pair in pairs}) < len(pairs)
    moved = len({(pair.case, pair.cluster) for pair in pairs}) > len(cases)
    scores = [pair for pair in pairs if isinstance(pair, PairScore)]
    if doubled or moved or not all(_within(pair.without) and _within(pair.with_) for pair in scores):
        _name_the_first(pairs)


def _within(value: float | None) -> bool:
    return value is None or 0 <= value <= 100


def _name_the_first(pairs: Sequence[Pair]) -> None:
    seen: set[tuple[str, int]] = set()
    clusters: dict[str, str] = {}
    for pair in pairs:
        if (pair.case, pair.run) in seen:
            raise DataError(f"Run {pair.run} of case '{pair.case}' comes twice in one cell and session.")
        seen.add((pair.case, pair.run))
        if clusters.setdefault(pair.case, pair.cluster) != pair.cluster:
            raise DataError(f"Case '{pair.case}' lies in two clusters.")
        if isinstance(pair, PairScore):
            _check_scores(pair)


def _check_scores(pair: PairScore) -> None:
    for value in (pair.without, pair.with_):
        if not _within(value):
            raise DataError(f"Case '{pair.case}', run {pair.run}: correctness {value} is not within 0..100.")
