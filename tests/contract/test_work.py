"""The model's command really runs, mm is there in its arm alone, and the tokens are those that were served."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmbench.bench.mm import PIN
from mmbench.bench.plan import DEFAULT_ARMS
from tests.contract.proof import Proof
from tests.contract.stage import SECRET, Played
from tests.support.loopback import total

pytestmark = pytest.mark.live

Work = Callable[[str], Played]
NAMELESS = {"opencode"}
"""CLIs that do not tell which model was served."""
SILENT = {"pi": {"reasoning"}}
"""Figures that a CLI does not report: they are null, never 0."""
each_arm = pytest.mark.parametrize("arm", DEFAULT_ARMS)


@each_arm
@pytest.mark.proves("runs", "yes")
def test_the_command_runs_and_its_output_comes_back(agent: str, work: Work, arm: str) -> None:
    played = work(arm)
    assert played.ended == ("completed", None), played.record["failure"]
    outcome = played.record["outcome"]
    # The model by the name that the server gave: gemini itself maps the requested one to another.
    model = None if agent in NAMELESS else played.served[-1].model
    assert (outcome["parse"], outcome["tool_calls"], outcome["model"]) == ("ok", 1, model)
    assert [change["path"] for change in played.record["tree"]["changes"]] == ["made.txt"]
    assert SECRET in played.tool_results
    assert SECRET in played.answer
    kinds = [step["kind"] for step in played.record["steps"]["items"]]
    assert kinds == ["tool_call", "tool_result", "message"]


@pytest.mark.proves("mm", "yes")
def test_mm_is_found_in_the_arm_that_has_it(work: Work) -> None:
    played = work("with_mm")
    assert PIN in played.tool_results
    assert "mm ended with 0" in played.tool_results
    (call,) = played.record["mm"]["calls"]
    assert (call["argv"], call["exit_code"], call["failed"]) == (["--version"], 0, False)
    assert played.record["treatment"] == {"intact": True, "changed": []}


@pytest.mark.proves("no_mm", "yes")
def test_mm_is_out_of_reach_in_the_arm_without_it(work: Work) -> None:
    played = work("without_mm")
    assert PIN not in played.tool_results
    assert "mm ended with 127" in played.tool_results
    assert [call["exit_code"] for call in played.record["mm"]["calls"]] in ([127], [])


@each_arm
@pytest.mark.proves("tokens", "yes")
def test_the_tokens_are_those_that_were_served(agent: str, proven: Proof, work: Work, arm: str) -> None:
    played = work(arm)
    usage, whole = played.record["usage"], total(played.served)
    figures = {name: value for name, value in usage.items() if name != "input_by_calls"}
    proven.reported = sorted(name for name, value in figures.items() if type(value) in (int, float))
    for name in ("input_total", "input_uncached", "cache_read", "cache_write", "output_total", "reasoning"):
        figure = getattr(whole, name)
        silent = name in SILENT.get(agent, ()) or not figure
        assert usage[name] == figure or (silent and usage[name] is None), name
    assert usage["input_by_calls"] in (None, whole.input_total)
    assert not usage["lower_bound"]


def test_the_tools_it_offers_are_the_same_in_both_arms(proven: Proof, work: Work) -> None:
    offered = {arm: sorted({tool for call in work(arm).calls for tool in call.tools}) for arm in DEFAULT_ARMS}
    assert offered["with_mm"] == offered["without_mm"]
    assert not [tool for tool in offered["with_mm"] if tool.lower().startswith("mcp")]
    proven.tools = offered["with_mm"]
