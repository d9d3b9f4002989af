"""Exact figures for counts and small samples: no normal approximation anywhere."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from mmbench.power import Interval, betainc, wilson

EXACT_CLUSTERS = 16  # 2**15 sign patterns up to symmetry: about ten milliseconds
DRAWS = 20_000
_SEED = 20_250_321  # fixed, so that the same results give the same page


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Return the exact interval of a share.

    Source: Clopper & Pearson 1934, as quantiles of the beta distribution.
    Raises ValueError unless 0 <= successes <= n and n > 0.
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} successes of {n}")
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else _beta_quantile(tail, successes, n - successes + 1)
    high = 1.0 if successes == n else _beta_quantile(1 - tail, successes + 1, n - successes)
    return Interval(low, high)


def _beta_quantile(p: float, a: float, b: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if betainc(a, b, middle) < p else (low, middle)
    return (low + high) / 2


def share_interval(successes: float, n: int) -> Interval | None:
    """Return Wilson's interval of a share, Clopper-Pearson's at 0 and 1, None over nothing."""
    if n and successes in (0, n):
        return clopper_pearson(int(successes), n)
    return wilson(successes, n)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p that two paired shares are equal, from the discordant pairs alone.

    Source: McNemar 1947 with the binomial distribution of the discordant
    pairs at one half; 1 when there is no discordant pair.
    """
    n, ways, tail = only_first + only_second, 1, 0
    for k in range(min(only_first, only_second) + 1):
        tail += ways
        ways = ways * (n - k) // (k + 1)  # C(n, k + 1) from C(n, k): whole numbers, so nothing is rounded
    return min(1.0, 2 * tail / (1 << n))


@dataclass(frozen=True, slots=True)
class SignFlip:
    """The p of a sign-flip permutation test and the smallest p that the data could have reached."""

    p: float
    exact: bool
    smallest: float


def sign_flip(values: Sequence[float], clusters: Sequence[str]) -> SignFlip:
    """Return the two-sided p of a zero mean when each cluster's values change sign together.

    Source: Fisher's randomisation test over clusters. All sign patterns up to
    16 clusters that are not zero, else 20,000 drawn with a fixed seed, the
    observed pattern counted among them (Phipson & Smyth 2010).
    """
    totals: defaultdict[str, float] = defaultdict(float)
    for value, cluster in zip(values, clusters, strict=True):
        totals[cluster] += value
    scale = max(map(abs, values), default=0.0)
    sums = [totals[name] for name in sorted(totals) if abs(totals[name]) > 1e-9 * scale]
    if not sums:
        return SignFlip(1.0, True, 1.0)
    observed = abs(math.fsum(sums)) - 1e-9 * scale * len(values)
    smallest = 2.0 ** (1 - len(sums))
    if len(sums) <= EXACT_CLUSTERS:
        patterns = _signed_sums(sums)
        return SignFlip(sum(abs(s) >= observed for s in patterns) / len(patterns), True, smallest)
    return SignFlip(_drawn(sums, observed), False, max(smallest, 1 / (DRAWS + 1)))


def _signed_sums(sums: Sequence[float]) -> list[float]:
    """Return the sum under every sign pattern with the first sign fixed, for a pattern and its mirror tie."""
    patterns = [sums[0]]
    for value in sums[1:]:
        patterns = [s + value for s in patterns] + [s - value for s in patterns]
    return patterns


def _drawn(sums: Sequence[float], observed: float) -> float:
    """Return the share of drawn sign patterns as extreme as observed; a byte draws eight clusters' signs."""
    padded = [*sums, *[0.0] * (-len(sums) % 8)]
    tables = [_signed_sums([0.0, *padded[i : i + 8]]) for i in range(0, len(padded), 8)]
    drawn = random.Random(_SEED).randbytes(DRAWS * len(tables))  # noqa: S311 (a test, not a secret)
    columns = [map(table.__getitem__, drawn[i :: len(tables)]) for i, table in enumerate(tables)]
    hits: int = sum(abs(sum(row)) >= observed for row in zip(*columns, strict=True))
    return (hits + 1) / (DRAWS + 1)


def holm(ps: dict[str, float]) -> dict[str, float]:
    """Return p values adjusted for the size of their family, in the order given.

    Source: Holm 1979: the k-th smallest of m times m - k + 1, made monotone, at most 1.
    """
    adjusted: dict[str, float] = {}
    worst = 0.0
    for place, name in enumerate(sorted(ps, key=lambda name: ps[name])):
        worst = max(worst, min(1.0, ps[name] * (len(ps) - place)))
        adjusted[name] = worst
    return {name: adjusted[name] for name in ps}
