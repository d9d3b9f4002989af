"""How far judges agree: with human choices, with human grades, with each other and with themselves.

Pure figures over plain values. The accuracy command computes them when it
runs, the report shows them on its judge page. Standard library only.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median, variance
from typing import Literal

from mmbench.power import Estimate, Interval, clustered_mean, jackknife, wilson

Side = Literal["A", "B"]
Preference = Literal["A", "B", "tie", "inconsistent"]
Metric = Literal["nominal", "ordinal", "interval"]

_FLIP = {"A": "B", "B": "A"}


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """One pair of responses: what people chose, and what the judge said in either order.

    `forward` shows response A first; `reverse` swaps the two, and is held as
    the judge said it, before it is flipped back. None is a missing verdict;
    any text other than A and B counts as a wrong one. `cluster` names what
    makes pairs alike, such as the source of the prompt.
    """

    pair: str
    chosen: Side
    forward: str | None = None
    reverse: str | None = None
    cluster: str = ""

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Return the verdicts present, in terms of the original A and B."""
        unflipped = None if not self.reverse else _FLIP.get(self.reverse, self.reverse)
        return tuple(verdict for verdict in (self.forward, unflipped) if verdict)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often the judge chose as people did; shares are 0..1, or None over nothing.

    `missing` counts pairs without any verdict, `half` those with one. `wilson`
    takes verdicts as independent; `clustered` takes into account that the two
    verdicts of a pair, and pairs of one cluster, are not.
    """

    correct: int
    verdicts: int
    pairs: int
    missing: int
    half: int
    wilson: Interval | None
    clustered: Estimate | None
    consistent: int
    first_chosen: int
    first_shown: int
    kappa: float | None
    kappa_interval: Interval | None = None

    @property
    def accuracy(self) -> float | None:
        """Return correct verdicts over verdicts present."""
        return self.correct / self.verdicts if self.verdicts else None

    @property
    def consistency(self) -> float | None:
        """Return the share of pairs judged both ways whose two verdicts name one response."""
        both = self.pairs - self.missing - self.half
        return self.consistent / both if both else None

    @property
    def first_share(self) -> float | None:
        """Return how often the response shown first was chosen; 0.5 without position bias."""
        return self.first_chosen / self.first_shown if self.first_shown else None

    @property
    def position_bias(self) -> float | None:
        """Return the pull of a position: 1 always the first, 0 none, -1 always the second."""
        return None if self.first_share is None else 2 * self.first_share - 1


def accuracy(pairs: Sequence[JudgedPair]) -> Accuracy:
    """Return a judge's accuracy against human choices, as MMRB2 defines it, with what it lacks.

    Source: accuracy of facebookresearch/MMRB2: forward verdicts are compared
    with the human choice, reverse verdicts after A and B are swapped back, and
    both count over the verdicts present. First positions are counted over
    pairs judged both ways only, for there the two responses share them evenly.
    """
    both = [pair for pair in pairs if len(pair.verdicts) == 2]
    hits = [(verdict == p.chosen, p.cluster or p.pair) for p in pairs for verdict in p.verdicts]
    sides = [raw for pair in both for raw in (pair.forward, pair.reverse) if raw in _FLIP]
    correct = sum(hit for hit, _ in hits)
    return Accuracy(
        correct=correct,
        verdicts=len(hits),
        pairs=len(pairs),
        missing=sum(not pair.verdicts for pair in pairs),
        half=sum(len(pair.verdicts) == 1 for pair in pairs),
        wilson=wilson(correct, len(hits)),
        clustered=clustered_mean([float(hit) for hit, _ in hits], [c for _, c in hits]) if hits else None,
        consistent=sum(pair.verdicts[0] == pair.verdicts[1] for pair in both),
        first_chosen=sum(raw == "A" for raw in sides),
        first_shown=len(sides),
        kappa=cohen_kappa(ratings := [(verdict, pair.chosen) for pair in pairs for verdict in pair.verdicts]),
        kappa_interval=_unit(jackknife(ratings, [c for _, c in hits], cohen_kappa)),
    )


def _unit(interval: Interval | None) -> Interval | None:
    """Cut the interval of a kappa to what a kappa can be."""
    return None if interval is None else Interval(max(-1.0, interval.low), min(1.0, interval.high))


def accuracy_by(pairs: Iterable[JudgedPair], group: Callable[[JudgedPair], str]) -> dict[str, Accuracy]:
    """Return one `accuracy` per group (task, prompt source, model pair), sorted by the group's name."""
    groups: defaultdict[str, list[JudgedPair]] = defaultdict(list)
    for pair in pairs:
        groups[group(pair)].append(pair)
    return {name: accuracy(groups[name]) for name in sorted(groups)}


def settle(forward: str, reverse: str) -> Preference:
    """Return what a pairwise verdict in both orders comes to; `reverse` is as said, with A shown second.

    Anything but the same answer both ways is inconsistent, a tie in one order only included.
    """
    unflipped = _FLIP.get(reverse, reverse)
    if forward != unflipped:
        return "inconsistent"
    return "A" if forward == "A" else "B" if forward == "B" else "tie"


@dataclass(frozen=True, slots=True)
class PreferenceShare:
    """The four outcomes of pairwise verdicts kept apart, and the share preferring B (0..1)."""

    a: int
    b: int
    tie: int
    inconsistent: int
    share: float | None
    interval: Interval | None

    @property
    def flip_rate(self) -> float | None:
        """Return the share of pairs whose verdict changes with the order."""
        total = self.a + self.b + self.tie + self.inconsistent
        return self.inconsistent / total if total else None


def preference(outcomes: Iterable[Preference]) -> PreferenceShare:
    """Return how often B is preferred, ties and flips counted half to each side.

    Source: the win rate with half-counted ties of Zheng et al. 2023
    (arXiv:2306.05685), in Wilson's interval.
    """
    counts = Counter(outcomes)
    total = counts.total()
    wins = counts["B"] + (counts["tie"] + counts["inconsistent"]) / 2
    return PreferenceShare(
        counts["A"],
        counts["B"],
        counts["tie"],
        counts["inconsistent"],
        wins / total if total else None,
        wilson(wins, total),
    )


def cohen_kappa(ratings: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return Cohen's kappa of two raters over unordered categories, or None where it is not defined.

    Source: Cohen 1960. Not defined over nothing, and when both raters used
    one and the same category throughout.
    """
    n = len(ratings)
    left, right = Counter(a for a, _ in ratings), Counter(b for _, b in ratings)
    chance = sum(left[category] * right[category] for category in left)
    if n == 0 or chance == n * n:
        return None
    observed = sum(a == b for a, b in ratings)
    return (observed * n - chance) / (n * n - chance)


def quadratic_kappa(ratings: Sequence[tuple[float, float]]) -> float | None:
    """Return Cohen's kappa weighted by the squared difference of two numeric grades, or None as above.

    Source: Cohen 1968. The expected squared difference of two independent
    raters is the sum of their variances and the squared difference of their means.
    """
    if not ratings:
        return None
    left, right = [a for a, _ in ratings], [b for _, b in ratings]
    mean_a, mean_b = fmean(left), fmean(right)
    spread = fmean((a - mean_a) ** 2 for a in left) + fmean((b - mean_b) ** 2 for b in right)
    expected = spread + (mean_a - mean_b) ** 2
    return 1 - fmean((a - b) ** 2 for a, b in ratings) / expected if expected else None


def krippendorff_alpha(units: Sequence[Sequence[float | None]], metric: Metric = "ordinal") -> float | None:
    """Return Krippendorff's alpha of any number of raters; one row per unit, None for a missing grade.

    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability. Not
    defined (None) when no unit has two grades or all grades are equal.
    """
    rows = [[grade for grade in row if grade is not None] for row in units]
    rows = [row for row in rows if len(row) > 1]
    totals = Counter(grade for row in rows for grade in row)
    distance = _distance(totals, metric)
    observed = math.fsum(2 * distance(a, b) / (len(row) - 1) for row in rows for a, b in combinations(row, 2))
    expected = math.fsum(2 * totals[a] * totals[b] * distance(a, b) for a, b in combinations(totals, 2))
    return 1 - observed * (totals.total() - 1) / expected if expected else None


def _distance(totals: Mapping[float, int], metric: Metric) -> Callable[[float, float], float]:
    """Return the squared difference of two grades under a metric, given how often each grade was used."""
    if metric == "nominal":
        return lambda a, b: float(a != b)
    if metric == "interval":
        return lambda a, b: (a - b) ** 2
    middle, before = {}, 0
    for grade in sorted(totals):
        middle[grade] = before + totals[grade] / 2
        before += totals[grade]
    return lambda a, b: (middle[a] - middle[b]) ** 2


@dataclass(frozen=True, slots=True)
class GradedCase:
    """One outcome graded by the judge and by people on one scale (0-5); None where a rater gave none."""

    case: str
    arm: str
    judge: float
    humans: tuple[float | None, ...]
    cluster: str = ""

    @property
    def human(self) -> float:
        """Return the median human grade; StatisticsError when there is none."""
        return median(grade for grade in self.humans if grade is not None)


@dataclass(frozen=True, slots=True)
class GradeAgreement:
    """How near the judge's grades come to the median human grade; shares are 0..1.

    `alpha_humans` is the agreement of the people among themselves, the
    ceiling for `alpha_all`, in which the judge is one more rater. `bias` is
    judge minus human by arm, in grades: above 0 the judge is generous. The
    intervals know that outcomes of one case are alike.
    """

    n: int
    exact: float | None
    within_one: float | None
    kappa: float | None
    alpha_humans: float | None
    alpha_all: float | None
    bias: dict[str, Estimate]
    exact_interval: Interval | None = None
    within_one_interval: Interval | None = None
    kappa_interval: Interval | None = None


def grade_agreement(cases: Sequence[GradedCase]) -> GradeAgreement:
    """Return exact and within-one agreement, weighted kappa, alpha, and bias by arm."""
    gaps = [case.judge - case.human for case in cases]
    return GradeAgreement(
        n=len(cases),
        exact=fmean(gap == 0 for gap in gaps) if gaps else None,
        within_one=fmean(abs(gap) <= 1 for gap in gaps) if gaps else None,
        kappa=quadratic_kappa([(case.judge, case.human) for case in cases]),
        alpha_humans=krippendorff_alpha([case.humans for case in cases]),
        alpha_all=krippendorff_alpha([(case.judge, *case.humans) for case in cases]),
        bias=_bias(cases, gaps),
        exact_interval=_share_interval(cases, [gap == 0 for gap in gaps]),
        within_one_interval=_share_interval(cases, [abs(gap) <= 1 for gap in gaps]),
        kappa_interval=_unit(
            jackknife(
                [(case.judge, case.human) for case in cases],
                [case.cluster or case.case for case in cases],
                quadratic_kappa,
            )
        ),
    )


def _share_interval(cases: Sequence[GradedCase], hits: Sequence[bool]) -> Interval | None:
    """Return Wilson's interval with the cases as sample: outcomes of one case are not independent items."""
    rows: defaultdict[str, list[bool]] = defaultdict(list)
    for case, hit in zip(cases, hits, strict=True):
        rows[case.case].append(hit)
    return wilson(math.fsum(fmean(row) for row in rows.values()), len(rows))


def _bias(cases: Sequence[GradedCase], gaps: Sequence[float]) -> dict[str, Estimate]:
    arms: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for case, gap in zip(cases, gaps, strict=True):
        arms[case.arm].append((gap, case.cluster or case.case))
    return {arm: clustered_mean([g for g, _ in rows], [c for _, c in rows]) for arm, rows in arms.items()}


@dataclass(frozen=True, slots=True)
class Repeatability:
    """How much a judge's grade of one and the same outcome moves when it is asked again.

    `identical` is the share of outcomes graded the same every time, `sd` the
    pooled standard deviation within an outcome, `widest` the largest range, in grades.
    """

    outcomes: int
    identical: float | None
    sd: float | None
    widest: float | None


def repeatability(repeats: Iterable[Sequence[float]]) -> Repeatability:
    """Return the spread over repeated grades, one row per outcome; rows of one grade say nothing.

    Source: the within-subject standard deviation of Bland & Altman 1996,
    pooled over degrees of freedom.
    """
    rows = [row for row in repeats if len(row) > 1]
    if not rows:
        return Repeatability(0, None, None, None)
    squares = math.fsum(variance(row) * (len(row) - 1) for row in rows)
    ranges = [max(row) - min(row) for row in rows]
    freedom = sum(len(row) - 1 for row in rows)
    return Repeatability(
        len(rows), fmean(width == 0 for width in ranges), math.sqrt(squares / freedom), max(ranges)
    )
