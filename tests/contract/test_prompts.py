"""A prompt reaches the model as it is, whatever the CLI would read into it."""

from __future__ import annotations

import pytest

from tests.contract.proof import Proof
from tests.contract.stage import Stage
from tests.support.loopback import Script

pytestmark = pytest.mark.live

PROMPTS = {
    "option": "-x --help is what I want",
    "quotes": "say \"hi\" and 'bye' `x` $HOME \\n",
    "file": "@secret.txt is a name",
    "command": "/quit is a word",
    "unicode": "naïve ☃ 日本 \u2028 x",
    "long": "a b c " * 30_000,
}
TAKES_AN_ARGUMENT = {"hermes"}
"""CLIs that take the prompt as an argument only: one too long is refused before the start."""
ALLOWED = {
    "claude": {"command": "after a line feed"},
    "gemini": {"command": "after a line feed"},
    "pi": {"long": "without the white space around it"},
    "qwen": {"command": "after a line feed"},
}


def arrival(prompt: str, texts: list[str]) -> str:
    """Tell how a prompt arrived."""
    if prompt in texts:
        return "verbatim"
    if f"\n{prompt}" in texts:
        return "after a line feed"
    if prompt.strip() in texts:
        return "without the white space around it"
    return "verbatim, among words of its own" if any(prompt in text for text in texts) else "changed"


@pytest.mark.parametrize("kind", PROMPTS)
@pytest.mark.proves("prompts", "yes")
def test_a_prompt_arrives_as_it_is(agent: str, stage: Stage, proven: Proof, kind: str) -> None:
    prompt = PROMPTS[kind]
    played = stage.play(agent, Script(final="Done."), prompt=prompt)
    if kind == "long" and agent in TAKES_AN_ARGUMENT:
        proven.prompts[kind] = "refused before the start, as `argv_limit`"
        assert played.ended == ("infra_error", "argv_limit")
        assert not played.requests
        return
    how = proven.prompts[kind] = arrival(prompt, played.user_texts)
    assert how in ("verbatim", "verbatim, among words of its own", ALLOWED.get(agent, {}).get(kind)), how
    assert (played.ended, played.answer) == (("completed", None), "Done.")
