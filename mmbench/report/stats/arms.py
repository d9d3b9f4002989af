"""One arm of a cell by itself: pass rate, pass@1, pass^K, centre and spread, over the sound pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from mmbench.power import Interval, clustered_mean
from mmbench.report.stats.exact import share_interval
from mmbench.report.stats.pairs import (
    MIN_CASES,
    Arm,
    Counts,
    PairScore,
    by_case,
    case_clusters,
    case_means,
    excluded,
    sound,
    squares,
)


@dataclass(frozen=True, slots=True)
class ArmSummary:
    """Correctness (0..100) and pass shares (0..1) of one arm over `n` cases of up to `runs` runs.

    `mean`, `median` and `sd` (population) are over the cases' means.
    `within_sd` is the pooled spread of runs around their case's mean, None
    with single runs. `interval` is the mean's 95 % interval over cases,
    None under eight of them. `pass_all` is pass^K: the share of cases whose
    every one of K runs passes, K being the fewest sound runs of any case.
    """

    arm: Arm
    n: int
    runs: int
    trials: int
    excluded: Counts
    mean: float | None
    interval: Interval | None
    median: float | None
    sd: float | None
    within_sd: float | None
    passes: int
    pass_at_1: float | None
    pass_interval: Interval | None
    pass_all: float | None
    pass_all_k: int


def arm_summary(pairs: Iterable[PairScore], arm: Arm) -> ArmSummary:
    """Return the figures of one arm over the sound pairs, so that both arms share one denominator."""
    pairs = list(pairs)
    usable = sound(pairs)
    cases = by_case(usable)
    by_name = case_means(usable, arm)
    means = list(by_name.values())
    passed = [[pair.passed(arm) for pair in runs] for runs in cases.values()]
    fewest = min(map(len, passed), default=0)
    return ArmSummary(
        arm=arm,
        n=len(cases),
        runs=max(map(len, passed), default=0),
        trials=len(usable),
        excluded=excluded(pairs),
        mean=fmean(means) if means else None,
        interval=_interval(by_name, case_clusters(usable)),
        median=median(means) if means else None,
        sd=math.sqrt(squares(means) / len(means)) if means else None,
        within_sd=pooled_sd([[pair.score(arm) for pair in runs] for runs in cases.values()]),
        passes=sum(map(sum, passed)),
        pass_at_1=pass_hat(passed, 1),
        pass_interval=pass_rate(passed),
        pass_all=pass_hat(passed, fewest) if fewest else None,
        pass_all_k=fewest,
    )


def _interval(means: Mapping[str, float], clusters: Mapping[str, str]) -> Interval | None:
    """Return the clustered interval of a mean of cases, cut to what a score can be."""
    if len(means) < MIN_CASES:
        return None
    found = clustered_mean(list(means.values()), [clusters[case] for case in means]).interval
    return Interval(max(0.0, found.low), min(100.0, found.high)) if found else None


def pass_rate(passed: Sequence[Sequence[bool]]) -> Interval | None:
    """Return the interval of the share of passing trials; one row of runs per case.

    Source: Wilson 1927, Clopper & Pearson 1934 at 0 and 1, with the cases as
    sample size: the runs of a case are not independent items, and counting
    them as such would make the interval too narrow.
    """
    return share_interval(math.fsum(fmean(runs) for runs in passed), len(passed))


def pass_hat(passed: Sequence[Sequence[bool]], k: int) -> float | None:
    """Return pass^k: the chance that k runs of a case all pass, averaged over cases with k runs or more.

    Source: Yao et al. 2024 (arXiv:2406.12045), the unbiased C(c, k) / C(n, k). pass^1 is pass@1.
    """
    shares = [math.comb(sum(runs), k) / math.comb(len(runs), k) for runs in passed if len(runs) >= k]
    return fmean(shares) if shares and k > 0 else None


def pass_at(passed: Sequence[Sequence[bool]], k: int) -> float | None:
    """Return pass@k: the chance that any of k runs passes, averaged over cases with k runs or more.

    Source: Chen et al. 2021 (arXiv:2107.03374), the unbiased 1 - C(n - c, k) / C(n, k).
    """
    failed = [[not run for run in runs] for runs in passed]
    share = pass_hat(failed, k)
    return None if share is None else 1 - share


def pooled_sd(rows: Iterable[Sequence[float]]) -> float | None:
    """Return the standard deviation within rows, pooled over degrees of freedom; None without repeats."""
    repeated = [row for row in rows if len(row) > 1]
    freedom = sum(len(row) - 1 for row in repeated)
    if freedom == 0:
        return None
    return math.sqrt(math.fsum(map(squares, repeated)) / freedom)
