"""Whether a judge favours its own model."""

from __future__ import annotations

import pytest

from mmbench.agreement import JudgedPair
from mmbench.partiality import own_side, same_model, self_preference


@pytest.mark.parametrize(
    ("judge", "model", "same"),
    [("google/gemini-3", "Gemini-3", True), ("gemini-3", "gemini-3-pro", False), ("", "", False)],
)
def test_a_model_is_known_by_its_name_whoever_provides_it(judge: str, model: str, same: bool) -> None:
    assert same_model(judge, model) is same


def test_a_pair_says_something_when_one_side_is_its_own() -> None:
    assert own_side("m", ("m", "n")) == "A"
    assert own_side("m", ("n", "x/m")) == "B"
    assert own_side("m", ("m", "m")) is None
    assert own_side("m", ("n", "o")) is None


def test_the_excess_is_over_what_people_think() -> None:
    pairs = [(JudgedPair(str(n), "A" if n < 3 else "B", "A", "B"), "A") for n in range(4)]
    found = self_preference(pairs)
    assert found is not None
    assert (found.judge, found.people, found.excess) == (1.0, 0.75, 0.25)
    assert self_preference([(JudgedPair("1", "A"), "A")]) is None
