"""What every real CLI has to do against the loopback server."""

from __future__ import annotations

from pathlib import Path

from mmbench.bench.agents.base import Agent
from tests.support import drive
from tests.support.loopback import LoopbackModel, Mode, Script, total

PATIENCE_S = 300.0
"""Starting some CLIs takes a minute on a busy machine."""

PROMPTS = {
    "option": "-x --help is what I want",
    "quotes": "say \"hi\" and 'bye' `x` $HOME \\n",
    "file": "@secret.txt is a name",
    "command": "/quit is a word",
    "unicode": "naïve ☃ 日本 \u2028 x",
    "long": "a b c " * 30_000,
}


def check_run(agent: Agent, folder: Path, *, model: str = "fake-model") -> None:
    """Check that the tool call runs, mm is found, and the tokens are those that were served."""
    place = drive.make_place(folder)
    (place.work / "secret.txt").write_text("the word is heliotrope\n", encoding="utf-8")
    (place.bin / "mm").write_text('#!/bin/sh\necho "shim says $@"\n', encoding="utf-8")
    (place.bin / "mm").chmod(0o755)
    command = "mm find . --format json; echo hi > out.txt; cat secret.txt"
    with LoopbackModel(Script((command,), final="It says: {result}")) as served:
        raw = drive.run(
            agent, drive.task_for(place, "Read it.", served.url, model=model, timeout_s=PATIENCE_S), place
        )
        whole = total(served.served)
    outcome = agent.parse(raw)
    assert (outcome.status, outcome.parse, outcome.tool_calls) == ("completed", "ok", 1), outcome
    assert (place.work / "out.txt").read_text(encoding="utf-8") == "hi\n"
    assert "shim says find" in outcome.final_text
    assert "heliotrope" in outcome.final_text
    usage = outcome.usage
    assert (usage.input_total, usage.output_total) == (whole.input_total, whole.output_total)
    assert (usage.input_uncached, usage.cache_read) == (whole.input_uncached, whole.cache_read)
    assert usage.reasoning == whole.reasoning


def check_prompt(agent: Agent, folder: Path, prompt: str, *, model: str = "fake-model") -> None:
    """Check that a prompt arrives as it is; CLIs may put words of their own around it."""
    place = drive.make_place(folder)
    with LoopbackModel(Script(final="Done.")) as served:
        drive.run(agent, drive.task_for(place, prompt, served.url, model=model, timeout_s=PATIENCE_S), place)
        texts = [text for call in served.calls for text in call.user_texts]
    assert any(prompt in text for text in texts), texts


def check_failure(agent: Agent, folder: Path, mode: Mode, kind: str) -> None:
    """Check that an endpoint's error ends the run as the infrastructure's."""
    place = drive.make_place(folder)
    with LoopbackModel(Script(("true",), mode=mode)) as served:
        raw = drive.run(agent, drive.task_for(place, "Do it.", served.url, timeout_s=PATIENCE_S), place)
    outcome = agent.parse(raw)
    assert (outcome.status, outcome.failure and outcome.failure.kind) == ("infra_error", kind), outcome
