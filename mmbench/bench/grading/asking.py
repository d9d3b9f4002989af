"""The check of a question: whether the user was asked about what is unclear, before anything was done."""

from __future__ import annotations

import re

from mmbench.bench.grading.answer import listed
from mmbench.bench.grading.base import CheckFailedToRun, Finding, KindSpec, Params
from mmbench.bench.grading.clean import clean_text, fold_text
from mmbench.bench.grading.look import Look
from mmbench.bench.grading.params import COUNT, described

ACTED_FIRST = 0.5
"""What a good question is still worth once something was changed before it."""


def asked(p: Params, look: Look) -> Finding:
    """Score the share of the unclear points that the question to the user touches; half when it came late.

    It came late when anything in the tree was changed before. The points are the case's `must_ask`, each a
    word or several of which one will do, found at the start of a word; a question over `max_words` earns 0.
    """
    told = look.evidence.asked
    if told is None:
        raise CheckFailedToRun("the case has nobody to ask: it has no clarification")
    if told.question is None:
        return Finding(0.0, "No question was asked.")
    question = fold_text(clean_text(told.question))
    if question.count(" ") >= p["max_words"]:
        return Finding(0.0, f"The question has more than {p['max_words']:,} words.")
    missed = [words for words in told.must_ask if not any(_touches(question, word) for word in words)]
    share = 1 - len(missed) / len(told.must_ask)
    says = "touches all that is unclear"
    if missed:
        says = f"does not touch {listed([' or '.join(words[:5]) for words in missed])}"
    if told.changed_before == 0:
        return Finding(share, f"The question {says}.")
    late = "1 entry of the tree was changed before"
    if told.changed_before > 1:
        late = f"{told.changed_before:,} entries of the tree were changed before"
    return Finding(ACTED_FIRST * share, f"The question {says}, but {late}.")


def _touches(question: str, word: str) -> bool:
    """Tell whether a word of the question begins with this one: `limit` is in `limits`, not in `unlimited`."""
    return re.search(rf"(?<!\w){re.escape(fold_text(word))}", question) is not None


KINDS = {"asked": KindSpec(asked, {"max_words": described(COUNT, "A longer question earns 0.", default=200)})}
