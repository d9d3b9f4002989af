from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench.judge import reply
from mmbench.bench.judge.question import Unreadable

READ = {
    "4": 4,
    " 4\n": 4,
    "**4**": 4,
    "4/5": 4,
    "3.": 3,
    "Score: 4": 4,
    "score: 0": 0,
    "**Score:** 5": 5,
    "Score: **5**": 5,
    "- Score: 2": 2,
    "Score: 4/5": 4,
    "Score: 4 out of 5.": 4,
    "Final score = 3": 3,
    "The agent found 3 of 5 files in 2024.\nScore: 2\nThat is all.": 2,
    '{"score": 4, "reason": "good"}': 4,
    '{"reason": "good", "score": 4.0}': 4,
    '```json\n{"score": 1}\n```': 1,
    'Here is my verdict:\n```json\n{"reason": "x", "score": 5}\n```\nThank you.': 5,
    '<think>It may be 1, it may be 2.</think>\n{"score": 3}': 3,
}
REJECTED = [
    "",
    "   \n",
    "4.5",
    "6",
    "-1",
    "45",
    "10/10",
    "4/10",
    "Score: 10/10",
    "Score: 4.5",
    "Score: 4 or 5",
    "Score: -3",
    "Score: - 3",
    "Score: 3-4",
    "Score: between 3 and 4",
    "between 3 and 4",
    "I would say 4",
    "The score is 4.",
    "The agent found 3 of 5 files.",
    "Score: 3\nScore: 4",
    "Score: four",
    "٤",
    "Score:",
    '{"score": 4, "rea',
    '{"score": 4',
    '{"score": "4"}',
    '{"score": 4.5}',
    '{"score": true}',
    '{"score": null}',
    '{"score": 6}',
    '{"score": -1}',
    '{"score": NaN}',
    '{"score": 1e999}',
    '{"score": 4, "score": 5}',
    '{"score": 4, "confidence": 1}',
    '{"score": 4, "reason": 3}',
    '{"reason": "no score"}',
    '[{"score": 4}]',
    '{"score": [4]}',
    '{"score": 4} {"score": 5}',
    '```json\n{"score": 4}\n```\n```json\n{"score": 5}\n```',
    '```json\n{"score": 4}',
    "```python\nscore = 4\n```",
    "<think>I will say 4",
    "<think>hm</think>",
]


@pytest.mark.parametrize(("text", "score"), READ.items())
def test_a_plain_reply_is_read_rightly(text: str, score: int) -> None:
    assert reply.score(text).score == score


@pytest.mark.parametrize("text", REJECTED)
def test_everything_else_is_rejected_not_guessed(text: str) -> None:
    with pytest.raises(Unreadable):
        reply.score(text)


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        assert reply.score(text).score in range(6)
    except Unreadable as fault:
        assert str(fault)


@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists, max_leaves=4)
)
def test_only_whole_numbers_in_range_are_scores(value: object) -> None:
    text = json.dumps({"score": value})
    good = type(value) in (int, float) and value in range(6)
    if good:
        assert reply.score(text).score == value
    else:
        with pytest.raises(Unreadable):
            reply.score(text)


@given(st.integers(0, 5), st.text(max_size=40), st.integers(1, 60))
def test_a_cut_reply_is_never_a_score(score: int, reason: str, cut: int) -> None:
    whole = json.dumps({"reason": reason, "score": score})
    part = whole[: max(0, len(whole) - cut)]
    with pytest.raises(Unreadable):
        reply.score(part)


def test_the_reason_comes_with_the_score() -> None:
    assert reply.score('{"reason": "two rows are missing", "score": 3}').reason == "two rows are missing"
    assert len(reply.score(json.dumps({"reason": "x" * 9000, "score": 3})).reason) == reply.MAX_REASON


@pytest.mark.parametrize(
    ("text", "choice"), [("A", "A"), ("**B**", "B"), ('{"choice": "A", "reason": ""}', "A")]
)
def test_a_choice_is_read(text: str, choice: str) -> None:
    assert reply.choice(text, ties=False).choice == choice


def test_a_tie_is_a_choice_only_where_it_is_offered() -> None:
    assert reply.choice('{"choice": "tie"}', ties=True).choice == "tie"
    with pytest.raises(Unreadable, match="not one of A, B"):
        reply.choice('{"choice": "tie"}', ties=False)


@pytest.mark.parametrize(
    "text",
    ["", "A or B", "Response A is better", "C", "a", '{"choice": 1}', '{"choice": "A", "score": 1}', "AB"],
)
def test_other_choices_are_rejected(text: str) -> None:
    with pytest.raises(Unreadable):
        reply.choice(text, ties=True)
