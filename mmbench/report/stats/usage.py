"""Tokens and cost of both arms: log-ratios like speed, with unknown figures left unknown."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Literal

from mmbench.errors import DataError
from mmbench.report.stats.pairs import Counts, excluded, sentences, sound
from mmbench.report.stats.ratios import Ratio, geometric_ratio

CACHE_WEIGHTS = (0.0, 0.25, 1.0)
"""What a cached input token counts for: nothing, about its usual price, or as much as a fresh one."""

Kind = Literal["fresh", "cache_read", "cache_write", "output", "cost"]
KINDS: tuple[Kind, ...] = ("fresh", "cache_read", "cache_write", "output", "cost")


@dataclass(frozen=True, slots=True)
class Spend:
    """Tokens by kind and cost in US dollars of one trial; None where the agent does not report it."""

    fresh: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise DataError(f"A trial cannot use {value} of {field.name}.")

    def tokens(self, cache_weight: float) -> float | None:
        """Return all tokens with cache reads at a weight (0..1); None when a part that counts is unknown."""
        parts = (self.fresh, self.cache_write, self.output, self.cache_read if cache_weight else 0)
        if None in parts:
            return None
        fresh, write, output, read = (part or 0 for part in parts)
        return fresh + write + output + cache_weight * read


@dataclass(frozen=True, slots=True)
class PairSpend:
    """What both arms of one (case, run) spent; `cold` marks a cell's first run, made with empty caches."""

    case: str
    cluster: str
    run: int
    without: Spend
    with_: Spend
    excluded: str = ""
    cold: bool = False

    @property
    def reason(self) -> str:
        """Return why the pair is unusable, or '' when it is sound; an unknown figure is no reason."""
        return self.excluded


@dataclass(frozen=True, slots=True)
class Amount:
    """One figure of both arms: sums over the `known` of `pairs` pairs, and their ratio without/with.

    `zero` counts known pairs with nothing in an arm: they are in the sums,
    but a ratio cannot hold them. Sums are None when nothing is known.
    """

    name: str
    without: float | None
    with_: float | None
    known: int
    pairs: int
    zero: int
    ratio: Ratio
    note: str


@dataclass(frozen=True, slots=True)
class UsageTable:
    """All figures over warm pairs, the cold ones apart, and what was left out."""

    warm: tuple[Amount, ...]
    cold: tuple[Amount, ...]
    excluded: Counts

    def __getitem__(self, name: str) -> Amount:
        return next(amount for amount in self.warm if amount.name == name)


def usage_table(pairs: Iterable[PairSpend]) -> UsageTable:
    """Return tokens by kind, cost, and all tokens at each cache weight (`tokens@25%`).

    DataError on doubled pairs and impossible amounts.
    """
    pairs = list(pairs)
    usable = sound(pairs)
    figures = _figures()
    return UsageTable(
        warm=tuple(amount([p for p in usable if not p.cold], name, of) for name, of in figures.items()),
        cold=tuple(amount([p for p in usable if p.cold], name, of) for name, of in figures.items()),
        excluded=excluded(pairs),
    )


def amount(pairs: Sequence[PairSpend], name: str, of: Callable[[Spend], float | None]) -> Amount:
    """Return one figure over sound pairs: a pair is known when both arms report it.

    Source: log-ratios as in Fleming & Wallace 1986, clustered as in Miller 2024.
    """
    both = [(pair, of(pair.without), of(pair.with_)) for pair in pairs]
    known = [(pair, a, b) for pair, a, b in both if a is not None and b is not None]
    logs: defaultdict[str, list[float]] = defaultdict(list)
    clusters: dict[str, str] = {}
    for pair, a, b in known:
        if a > 0 and b > 0:
            logs[pair.case].append(math.log(a) - math.log(b))
            clusters[pair.case] = pair.cluster
    ratio = geometric_ratio(logs, clusters)
    return Amount(
        name=name,
        without=math.fsum(a for _, a, _ in known) if known else None,
        with_=math.fsum(b for _, _, b in known) if known else None,
        known=len(known),
        pairs=len(pairs),
        zero=len(known) - ratio.pairs,
        ratio=ratio,
        note=sentences(f"{len(known)} of {len(pairs)} known." if len(known) < len(pairs) else "", ratio.note),
    )


def _figures() -> dict[str, Callable[[Spend], float | None]]:
    figures: dict[str, Callable[[Spend], float | None]] = {kind: attrgetter(kind) for kind in KINDS}
    return figures | {f"tokens@{weight:.0%}": _weighted(weight) for weight in CACHE_WEIGHTS}


def _weighted(weight: float) -> Callable[[Spend], float | None]:
    return lambda spend: spend.tokens(weight)
