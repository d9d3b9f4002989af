"""Whether a judge favours its own model's responses, beyond what people think of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mmbench.agreement import JudgedPair, Side
from mmbench.power import Interval, clustered_mean


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """Over pairs in which one response is of the judge's own model; shares are 0..1.

    `judge` is how often the judge chose that response, `people` how often
    people did, `excess` the difference: above 0 it favours itself.
    """

    pairs: int
    verdicts: int
    judge: float
    people: float
    excess: float
    interval: Interval | None


def same_model(judge: str, model: str) -> bool:
    """Tell whether two names are of one model, whichever provider stands before it."""
    return bool(judge) and judge.rpartition("/")[2].casefold() == model.rpartition("/")[2].casefold()


def own_side(judge: str, models: tuple[str, str]) -> Side | None:
    """Return the side whose response is of the judge's model, None when neither or both are."""
    first, second = (same_model(judge, model) for model in models)
    if first == second:
        return None
    return "A" if first else "B"


def self_preference(pairs: Sequence[tuple[JudgedPair, Side]]) -> SelfPreference | None:
    """Return it over pairs and the judge's side in each; None without a verdict on one.

    Source: the difference to human preference of Panickssery et al. 2024
    (arXiv:2404.13076), with the interval clustered by pair or prompt.
    """
    rows = [(v == own, p.chosen == own, p.cluster or p.pair) for p, own in pairs for v in p.verdicts]
    if not rows:
        return None
    excess = clustered_mean([float(a) - float(b) for a, b, _ in rows], [cluster for _, _, cluster in rows])
    return SelfPreference(
        pairs=sum(bool(pair.verdicts) for pair, _ in pairs),
        verdicts=len(rows),
        judge=sum(a for a, _, _ in rows) / len(rows),
        people=sum(b for _, b, _ in rows) / len(rows),
        excess=excess.point,
        interval=excess.interval,
    )
