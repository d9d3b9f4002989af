"""What counts as a usable pair, and what is refused."""

from __future__ import annotations

import math

import pytest

from mmbench.errors import DataError
from mmbench.report.stats.pairs import case_gains, case_means, excluded, runs_note, sentences, sound

from .samples import pair


def test_pairs_without_scores_are_missing_and_others_keep_their_reason() -> None:
    pairs = [
        pair("b", 1, 2),
        pair("a", 1, None),
        pair("c", 1, 2, excluded="judge_failed"),
        pair("d", None, None, excluded="infra_error"),
        pair("e", None, 5),
    ]
    assert [p.case for p in sound(pairs)] == ["b"]
    assert excluded(pairs) == (("infra_error", 1), ("judge_failed", 1), ("missing", 2))


def test_each_case_is_averaged_over_its_runs() -> None:
    pairs = sound([pair("a", 10, 30), pair("a", 20, 80, run=1), pair("b", 50, 40)])
    assert case_gains(pairs) == {"a": [20, 60], "b": [-10]}
    assert case_means(pairs, "without") == {"a": 15, "b": 50}
    assert case_means(pairs, "with") == {"a": 55, "b": 40}


def test_a_doubled_pair_is_refused() -> None:
    with pytest.raises(DataError, match="comes twice"):
        sound([pair("a", 1, 2), pair("a", 1, 2)])


def test_a_case_in_two_clusters_is_refused() -> None:
    with pytest.raises(DataError, match="two clusters"):
        sound([pair("a", 1, 2, cluster="x"), pair("a", 1, 2, run=1, cluster="y")])


@pytest.mark.parametrize("score", [-1, 100.5, math.nan, math.inf])
def test_a_score_outside_the_scale_is_refused(score: float) -> None:
    with pytest.raises(DataError, match=r"not within 0\.\.100"):
        sound([pair("a", 50, score)])


def test_a_missing_score_cannot_be_read() -> None:
    with pytest.raises(DataError, match="no score in the with arm"):
        _ = pair("a", 1, None).gain


def test_the_threshold_is_the_cases_own() -> None:
    assert pair("a", 59.9, 60).passed("with")
    assert not pair("a", 59.9, 60).passed("without")
    assert pair("a", 59.9, 60, threshold=50).passed("without")


def test_notes_say_only_what_there_is_to_say() -> None:
    assert runs_note({"a": [1, 2], "b": [1, 2]}) == ""
    assert runs_note({"a": [1, 2], "b": [1]}) == "Cases have 1 to 2 sound runs."
    assert sentences("", "One.", "", "Two.") == "One. Two."
