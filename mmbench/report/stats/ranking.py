"""Who leads, where the intervals allow to say so, and who is worth the price."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ranked:
    """A name with its value and 95 % interval; without an interval it has no rank."""

    name: str
    point: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Rank:
    """A place among `of` ranked names, from `rank` (1 + how many are clearly ahead) to `worst`.

    `worst` is `of` less how many are clearly behind. `tied` names those whose
    intervals overlap this one's. Without an interval there is no rank (None).
    """

    name: str
    rank: int | None
    worst: int | None
    of: int
    tied: tuple[str, ...]

    def __str__(self) -> str:
        if self.rank is None:
            return "–"
        return f"{self.rank}" if self.rank == self.worst else f"{self.rank}–{self.worst}"


def ranking(items: Iterable[Ranked]) -> list[Rank]:
    """Return the ranks, highest value first, with ties where intervals overlap; unranked names last.

    Source: rank bounds from interval overlap, as in Chatbot Arena (Chiang et
    al. 2024, arXiv:2403.04132). Overlap is no equivalence relation, so a rank
    is a range and `tied` differs by name.
    """
    items = sorted(items, key=lambda item: (-(item.point or 0.0), item.name))
    spans = [(i.name, i.low, i.high) for i in items if i.low is not None and i.high is not None]
    ranks = [_rank(name, low, high, spans) for name, low, high in spans]
    bare = [Rank(i.name, None, None, len(spans), ()) for i in items if i.low is None or i.high is None]
    return ranks + bare


def _rank(name: str, low: float, high: float, spans: Sequence[tuple[str, float, float]]) -> Rank:
    ahead = sum(other_low > high for _, other_low, _ in spans)
    behind = sum(other_high < low for _, _, other_high in spans)
    tied = tuple(
        n for n, other_low, other_high in spans if n != name and other_low <= high and other_high >= low
    )
    return Rank(name, 1 + ahead, len(spans) - behind, len(spans), tied)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a name costs (tokens, dollars, seconds: less is better) and what it is worth (more is better)."""

    name: str
    cost: float | None
    quality: float | None


def pareto_front(offers: Iterable[Offer]) -> list[Offer]:
    """Return the offers that no other one beats at both ends, cheapest first; unknown figures never qualify.

    Source: Pareto dominance: no dearer, no worse, and better in one of the
    two. Equal offers stand together.
    """
    known = [(o.cost, -o.quality, o) for o in offers if o.cost is not None and o.quality is not None]
    front: list[Offer] = []
    best = (float("inf"), float("inf"))
    for cost, loss, offer in sorted(known, key=lambda row: (row[0], row[1], row[2].name)):
        if loss < best[1] or (cost, loss) == best:
            front.append(offer)
            best = (cost, loss)
    return front
