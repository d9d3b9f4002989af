"""What the recorded samples have to come to, said once for several CLIs."""

from __future__ import annotations

from dataclasses import dataclass

from mmbench.bench.agents.base import RawRun
from mmbench.outcome import Outcome, Parse, Status
from tests.support.samples import Sample

ANSWER = "The work is done."
SECRET = "The word is heliotrope."
COMMANDS = ("cat secret.txt", "echo done > out.txt; cat out.txt")


@dataclass(frozen=True, slots=True)
class Expected:
    """The decisive parts of an outcome; its tokens have to be those that were served."""

    status: Status
    kind: str | None = None
    tools: int = 0
    text: str = ""
    parse: Parse = "ok"


OK = Expected("completed", tools=2, text=ANSWER)
KINDS = {
    "auth": "auth",
    "forbidden": "auth",
    "missing_model": "missing_model",
    "no_server": "no_server",
    "quota": "quota",
    "rate_limit": "rate_limit",
    "server_error": "server_error",
}
COMMON = {
    "ok": OK,
    "plain": Expected("completed", text="A plain answer."),
    "long": Expected("completed", tools=1, text="Counted."),
    "recovered": OK,
    "fallback": Expected("model_fallback", "missing_model", 2, ANSWER),
    "empty": Expected("no_answer", "no_answer", 1),
    "late_error": Expected("infra_error", "server_error", 1),
    "overflow": Expected("agent_error", "context_overflow", 1),
    **{name: Expected("infra_error", kind) for name, kind in KINDS.items()},
}
"""Scenarios that come to the same with every CLI that has no trap of its own there."""


def check(outcome: Outcome, expected: Expected) -> None:
    """Compare an outcome with what is expected."""
    kind = outcome.failure.kind if outcome.failure else None
    assert (outcome.status, kind, outcome.parse) == (expected.status, expected.kind, expected.parse)
    assert outcome.final_text.startswith(expected.text)
    assert bool(outcome.final_text) == bool(expected.text)
    assert outcome.tool_calls == expected.tools
    assert sum(step.kind == "tool_result" for step in outcome.steps) == expected.tools


def check_tokens(outcome: Outcome, sample: Sample, *, reasoning: bool = True) -> None:
    """Compare the tokens with those that the endpoint served; it sets no price."""
    usage, served = outcome.usage, sample.served
    names = ["input_total", "cache_read", "output_total", *(["reasoning"] if reasoning else [])]
    told = {name: getattr(usage, name) for name in names}
    assert told == {name: served[name] if served["calls"] else None for name in names}
    if served["calls"]:
        assert usage.input_uncached == served["input_total"] - served["cache_read"]
    assert (usage.input_by_calls or 0) <= (told["input_total"] or 0)  # calls asked again leave no event
    assert usage.cost_usd is None
    assert usage.lower_bound == (outcome.parse != "ok")


def check_transcript(outcome: Outcome, tool: str) -> None:
    """Check the steps of scenario `ok`: a word, a call and its result, a call and its result, the answer."""
    kinds = ["message", "tool_call", "tool_result", "message", "tool_call", "tool_result", "message"]
    assert [step.kind for step in outcome.steps] == kinds
    first, call, result = outcome.steps[:3]
    assert (first.text, call.text, call.name) == ("Let me look.", COMMANDS[0], tool)
    assert SECRET in result.text
    assert outcome.steps[4].text == COMMANDS[1]
    assert outcome.steps[-1].text.strip() == outcome.final_text


def check_sane(outcome: Outcome, raw: RawRun) -> None:
    """Check what holds for any bytes whatever."""
    assert outcome.parse in ("ok", "partial", "unknown")
    assert (outcome.status == "completed") == (outcome.failure is None)
    if raw.ended != "exit":
        assert outcome.status not in ("completed", "no_answer")
    if outcome.parse != "ok":
        assert outcome.status != "completed"
        assert outcome.usage.lower_bound
    if outcome.status == "completed":
        assert outcome.final_text.strip()
    counts = (outcome.usage.input_total, outcome.usage.output_total, outcome.turns, outcome.tool_calls)
    assert all(count is None or count >= 0 for count in counts)
    texts = [outcome.final_text, *(step.text for step in outcome.steps)]
    "".join(texts).encode()  # no lone surrogate is left
    assert not any(character in text for text in texts for character in "\x00\x1b\x07")
