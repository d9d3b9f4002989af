from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmbench.bench.judge import pairwise
from mmbench.bench.judge.pairwise import Pair, Response
from tests.bench.judge import samples
from tests.bench.judge.samples import Waits
from tests.support.judge_endpoint import JudgeEndpoint, Question, Speak

PAIR = Pair(
    "p", Response(("Which bird?",)), Response(("heron",)), Response(("egret",)), grounds="# Truth\nheron"
)


def always(choice: str) -> Speak:
    return lambda _question: json.dumps({"choice": choice, "reason": ""})


def right(question: Question) -> str:
    first, _ = question.text.split("-----BEGIN RESPONSE B")
    return always("A" if "\nheron\n-----END RESPONSE A" in first else "B")(question)


@pytest.mark.parametrize(
    ("speak", "outcome"),
    [(right, "A"), (always("A"), "inconsistent"), (always("B"), "inconsistent"), (always("tie"), "tie")],
)
def test_the_four_outcomes_are_kept_apart(speak: Speak, outcome: str) -> None:
    with JudgeEndpoint(speak) as endpoint:
        judge = samples.judge(endpoint)
        assert pairwise.compare(judge, PAIR, ties=True).outcome == outcome
        swapped = Pair("q", PAIR.task, PAIR.b, PAIR.a)
        assert pairwise.compare(judge, swapped, ties=True).outcome == {"A": "B"}.get(outcome, outcome)


def test_a_missing_verdict_is_no_outcome() -> None:
    with JudgeEndpoint(faults=dict.fromkeys(range(4, 9), "500")) as endpoint:
        endpoint.speak = always("A")
        judge = samples.judge(endpoint)
        first = pairwise.compare(judge, PAIR, ties=True)
        second = pairwise.compare(judge, PAIR, ties=True, sleep=Waits())
    assert first.outcome == "inconsistent"
    assert second.outcome is None
    total = pairwise.summarise([first, second])
    assert (total.unjudged, total.share.inconsistent) == (1, 1)
    assert total.position_bias == 1


def test_a_panel_decides_by_majority() -> None:
    with JudgeEndpoint(lambda q: always("A" if q.model == "a" else "B")(q)) as endpoint:
        three = pairwise.compare(samples.judge(endpoint, models=("a", "b", "c")), PAIR, ties=True)
        two = pairwise.compare(samples.judge(endpoint, models=("a", "b")), PAIR, ties=True)
    assert pairwise.majority(three.forward) == "B"
    assert two.outcome == "tie"


def test_shares_and_bias_of_several_pairs() -> None:
    with JudgeEndpoint(right) as endpoint:
        judge = samples.judge(endpoint)
        orders = [pairwise.compare(judge, PAIR, ties=True) for _ in range(3)]
        endpoint.speak = always("tie")
        orders.append(pairwise.compare(judge, PAIR, ties=True))
    total = pairwise.summarise(orders)
    assert (total.share.a, total.share.b, total.share.tie) == (3, 0, 1)
    assert total.share.share == pytest.approx(0.125)
    assert total.share.interval is not None
    assert total.position_bias == 0


def test_two_outcomes_of_one_case_with_what_they_left(tmp_path: Path) -> None:
    a = samples.trial("It says heron.", tree=samples.tree(samples.change("out.txt")))
    pair = pairwise.of_outcomes(samples.case(), a, samples.trial("It says egret."), tmp_path)
    text = pair.question(swapped=False, ties=True).text
    for part in ("It says heron.", "It says egret.", "added: out.txt", '"word": "heron"', "Copy word.txt"):
        assert part in text
