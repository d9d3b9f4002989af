"""The agent CLIs, by name: adding one is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmbench.bench.agents.base import Agent

AGENTS: Mapping[str, str] = {
    "claude": "mmbench.bench.agents.claude:Claude",
    "codex": "mmbench.bench.agents.codex:Codex",
    "gemini": "mmbench.bench.agents.gemini:Gemini",
    "hermes": "mmbench.bench.agents.hermes:Hermes",
    "nop": "mmbench.bench.agents.nop:Nop",
    "openclaw": "mmbench.bench.agents.openclaw:Openclaw",
    "opencode": "mmbench.bench.agents.opencode:OpenCode",
    "oracle": "mmbench.bench.agents.oracle:Oracle",
    "pi": "mmbench.bench.agents.pi:Pi",
    "qwen": "mmbench.bench.agents.qwen:Qwen",
}


def load(name: str) -> Agent:
    """Return a built-in adapter, or a third party's by `module:Class`, entry point or TOML file.

    UsageError names the nearest adapters of an unknown one.
    """
    if name in AGENTS:
        module, _, attribute = AGENTS[name].partition(":")
        agent: Agent = getattr(import_module(module), attribute)()
        return agent
    from mmbench.bench.agents import custom

    return custom.load(name, AGENTS)


def can_ask(agent: Agent) -> bool:
    """Tell whether an agent can write a question to a file and wait for the answer in another.

    That takes no more than a shell, which every built-in adapter's CLI has; one from
    elsewhere that has none says so by an attribute `can_ask` that is false.
    """
    return bool(getattr(agent, "can_ask", True))
