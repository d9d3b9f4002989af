"""Lift: how many points of correctness mm adds, over all pairs and over those where mm was used."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from mmbench.power import POWER_FACTOR, Estimate, Interval, clustered_mean
from mmbench.report.stats.exact import clopper_pearson, share_interval, sign_flip
from mmbench.report.stats.pairs import (
    MIN_CASES,
    MISSING,
    Counts,
    PairScore,
    added,
    case_clusters,
    case_gains,
    excluded,
    merged,
    runs_note,
    sentences,
    sound,
    squares,
)


@dataclass(frozen=True, slots=True)
class Lift:
    """Mean gain in points over `n` cases of up to `runs` runs in `clusters` clusters.

    `low` and `high` are the 95 % interval, None where it is withheld and
    `note` says why. `p` belongs to the interval (clustered t), `p_exact` is
    the sign-flip cross-check. `mde` is the smallest lift found with 80 %
    power. `tied` says that no case moved at all. `sd_within` is the spread of
    a run's gain within its case, None with single runs; `sd_between` what is
    left between cases.
    """

    point: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    runs: int
    p: float | None
    p_exact: float | None
    mde: float | None
    note: str
    pairs: int
    excluded: Counts
    tied: bool = False
    sd_between: float | None = None
    sd_within: float | None = None

    @property
    def interval(self) -> Interval | None:
        """Return the interval, or None where it is withheld."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)

    @property
    def distinguishable(self) -> bool:
        """Return whether the interval leaves out 0."""
        return self.interval is not None and 0 not in self.interval

    @property
    def missing(self) -> int:
        """Return how many scheduled pairs have no score yet."""
        return dict(self.excluded).get(MISSING, 0)


@dataclass(frozen=True, slots=True)
class Gains:
    """All that a lift follows from: the gain of every sound run by case, in points, and what was left out."""

    cases: dict[str, list[float]]
    clusters: dict[str, str]
    excluded: Counts

    @classmethod
    def of(cls, pairs: Iterable[PairScore]) -> Gains:
        """Take the gains of one cell's scheduled pairs; DataError on doubled pairs and scores outside 0..100."""
        pairs = list(pairs)
        usable = sound(pairs)
        return cls(case_gains(usable), case_clusters(usable), excluded(pairs))

    @classmethod
    def together(cls, parts: Iterable[Gains]) -> Gains:
        """Put several cells together: the runs of a case follow each other, in the cluster of the first."""
        parts = list(parts)
        return cls(*merged((part.cases, part.clusters) for part in parts), added(p.excluded for p in parts))


def lift(pairs: Iterable[PairScore]) -> Lift:
    """Return the lift over all scheduled pairs of one cell (intention to treat).

    Source: Miller 2024 (paired by case, clustered), Cameron & Miller 2015 (t
    with clusters - 1 degrees of freedom). Each case counts once, however many
    sound runs it has. DataError on doubled pairs and scores outside 0..100.
    """
    return lift_of(Gains.of(pairs))


def lift_of(gains: Gains) -> Lift:
    """Return the lift that some gains come to, as `lift` does."""
    cases = gains.cases
    if not cases:
        return Lift(None, None, None, 0, 0, 0, None, None, None, "No sound pair.", 0, gains.excluded)
    means, labels = [fmean(runs) for runs in cases.values()], [gains.clusters[case] for case in cases]
    estimate = clustered_mean(means, labels)
    between, within = _spread(list(cases.values()))
    found = Lift(
        point=estimate.point,
        low=None,
        high=None,
        n=estimate.n,
        clusters=estimate.clusters,
        runs=max(map(len, cases.values())),
        p=None,
        p_exact=sign_flip(means, labels).p,
        mde=POWER_FACTOR * estimate.se if estimate.se else None,
        note=runs_note(cases),
        pairs=sum(map(len, cases.values())),
        excluded=gains.excluded,
        tied=not any(means),
        sd_between=between,
        sd_within=within,
    )
    return _with_interval(found, estimate)


def _with_interval(found: Lift, estimate: Estimate) -> Lift:
    """Add the interval that the sample allows, and say what it does not."""
    if estimate.clusters < 2:
        return _noted(found, "Insufficient: a single cluster has no standard error, so there is no interval.")
    if estimate.n < MIN_CASES:
        return _noted(found, f"The interval is withheld under {MIN_CASES} cases.", _few_clusters(found))
    if estimate.interval is None:
        bound = _all_equal(estimate)
        note = "Every case moved alike: the interval is an exact bound on the share of cases that would not."
        found = replace(found, low=bound.low, high=bound.high, mde=bound.width / 2)
        return _noted(found, note, _few_clusters(found), _null(found))
    low, high = max(-100.0, estimate.interval.low), min(100.0, estimate.interval.high)
    found = replace(found, low=low, high=high, p=estimate.p)
    return _noted(found, _few_clusters(found), _null(found))


def _all_equal(estimate: Estimate) -> Interval:
    """Bound a mean whose cases are all equal: a share u of unseen ones may move by a full ±100 points.

    Source: u is the exact (Clopper-Pearson) upper bound of 0 in n cases.
    """
    share = clopper_pearson(0, estimate.n).high
    centre = (1 - share) * estimate.point
    return Interval(centre - 100 * share, centre + 100 * share)


def _few_clusters(found: Lift) -> str:
    if found.clusters >= 6:
        return ""
    return f"With {found.clusters} clusters the sign-flip test cannot reach p < 0.05."


def _null(found: Lift) -> str:
    return "" if found.distinguishable else "Not distinguishable from 0."


def _noted(found: Lift, *notes: str) -> Lift:
    return replace(found, note=sentences(*notes, found.note))


def _spread(gains: Sequence[Sequence[float]]) -> tuple[float | None, float | None]:
    """Return the standard deviations between and within cases (one-way analysis of variance)."""
    if len(gains) < 2:
        return None, None
    total = squares([fmean(runs) for runs in gains]) / (len(gains) - 1)
    freedom = sum(len(runs) - 1 for runs in gains)
    if freedom == 0:
        return total**0.5, None
    within = math.fsum(squares(runs) for runs in gains if len(runs) > 1) / freedom
    noise = within * fmean(1 / len(runs) for runs in gains)
    return max(0.0, total - noise) ** 0.5, within**0.5


def exclusion_bounds(pairs: Iterable[PairScore]) -> Interval | None:
    """Return the lift if every excluded pair had gone worst and best for mm, None with no pair at all.

    A score that is known is kept, an unknown one runs from 0 to 100.
    Source: worst-case bounds of Manski 1990.
    """
    pairs = list(pairs)
    if not pairs:
        return None
    sound(pairs)
    ends = [_mean_gain([_imputed(pair, best) for pair in pairs]) for best in (False, True)]
    return Interval(*ends)


def _imputed(pair: PairScore, best: bool) -> PairScore:
    low, high = (0.0, 100.0) if best else (100.0, 0.0)
    without = low if pair.without is None else pair.without
    return replace(pair, without=without, with_=high if pair.with_ is None else pair.with_, excluded="")


def _mean_gain(pairs: Sequence[PairScore]) -> float:
    return fmean(fmean(runs) for runs in case_gains(pairs).values())


@dataclass(frozen=True, slots=True)
class Adoption:
    """In how many sound pairs the with-arm called mm, of those where that is known; share 0..1."""

    used: int
    known: int
    pairs: int
    interval: Interval | None

    @property
    def share(self) -> float | None:
        """Return used over known."""
        return self.used / self.known if self.known else None


def adoption(pairs: Iterable[PairScore]) -> Adoption:
    """Return the adoption rate with Wilson's interval (Clopper-Pearson's at 0 and 1)."""
    usable = sound(pairs)
    known = [pair for pair in usable if pair.adopted is not None]
    used = sum(pair.adopted is True for pair in known)
    return Adoption(used, len(known), len(usable), share_interval(used, len(known)))


def per_protocol(pairs: Iterable[PairScore]) -> Lift:
    """Return the lift over the pairs in which mm was called.

    It answers a smaller question than `lift`: an agent may call mm on just
    those cases where it helps, so it stands beside the lift, never for it.
    """
    reached = [pair for pair in pairs if pair.adopted or pair.reason]
    found = lift(reached)
    return _noted(found, "Over pairs in which mm was called: not a randomised comparison.")
