"""Pairs for tests: hand-made ones in short, and strategies for wild ones."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from mmbench.report.stats import PairScore


def pair(
    case: str, without: float | None, with_: float | None, *, run: int = 0, cluster: str = "", **more: object
) -> PairScore:
    """Make one pair; a case is a cluster of its own unless told otherwise."""
    return PairScore(case, cluster or case, run, without, with_, **more)  # type: ignore[arg-type]


def gains(values: Sequence[float], clusters: Sequence[str] | None = None) -> list[PairScore]:
    """Make one single-run pair per gain, around a score of 50."""
    labels = clusters or [f"g{i:02}" for i in range(len(values))]
    return [
        pair(f"c{i:02}", 50 - v / 2, 50 + v / 2, cluster=g)
        for i, (v, g) in enumerate(zip(values, labels, strict=True))
    ]


scores = st.one_of(st.sampled_from([0.0, 50.0, 100.0]), st.floats(0, 100).map(lambda x: round(x, 3)))


@st.composite
def cells(draw: st.DrawFn, min_cases: int = 1, max_cases: int = 20, flawed: bool = False) -> list[PairScore]:
    """Draw a cell: cases in clusters, one to three runs, with `flawed` some pairs unusable."""
    rows = []
    for i in range(draw(st.integers(min_cases, max_cases))):
        cluster = draw(st.sampled_from("abcdefghij"))
        for run in range(draw(st.integers(1, 3))):
            value = scores | st.none() if flawed else scores
            reason = draw(st.sampled_from(["", "", "", "judge_failed", "infra_error"])) if flawed else ""
            rows.append(
                PairScore(f"case-{i}", cluster, run, draw(value), draw(value), reason, draw(st.booleans()))
            )
    return rows


def swapped(pairs: Sequence[PairScore]) -> list[PairScore]:
    """Exchange the two arms."""
    return [PairScore(p.case, p.cluster, p.run, p.with_, p.without, p.excluded, p.adopted) for p in pairs]
