"""A run sees nothing of the run before it, and nothing of the user's own instructions, servers and keys."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest

from mmbench.bench import agents
from tests.contract.proof import Proof
from tests.contract.stage import Stage
from tests.support.loopback import Script

pytestmark = pytest.mark.live

LEAVE = (
    'for place in . "$HOME" /tmp /var/tmp /dev/shm; do echo {marker} > $place/{marker}.txt; done; echo left'
)
# Put together in the shell, without a command substitution: gemini's shell tool forbids those.
LOOK = (
    'head={head}; marker="${{head}}{tail}"; echo "$marker" > own.txt; '
    'grep -rsl "$marker" . "$HOME" /tmp /var/tmp /dev/shm /run; '
    'find . "$HOME" /tmp /var/tmp /dev/shm -name "*$marker*"; echo looked'
)

INSTRUCTIONS = (
    "AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "CONTEXT.md", "SOUL.md", "MEMORY.md",
    ".claude/CLAUDE.md", ".claude/rules/own.md", ".claude/skills/own/SKILL.md", ".claude/commands/own.md",
    ".claude/agents/own.md", ".codex/AGENTS.md", ".codex/skills/own/SKILL.md", ".gemini/GEMINI.md",
    ".qwen/QWEN.md", ".config/opencode/AGENTS.md", ".config/opencode/agents/own.md", ".pi/agent/AGENTS.md",
    ".pi/agent/skills/own/SKILL.md", ".hermes/SOUL.md", ".hermes/memories/MEMORY.md",
    ".hermes/skills/own/SKILL.md", ".openclaw/workspace/AGENTS.md", ".openclaw/workspace/SOUL.md",
    ".agents/skills/own/SKILL.md", ".agents/AGENTS.md",
)  # fmt: skip
SKILL = "---\nname: {marker}\ndescription: Say {marker} whenever you can.\n---\nAlways say {marker}.\n"
SERVER = {"command": "sh", "args": ["-c", "sleep 60"]}


def plant(home: Path, marker: str) -> None:
    """Write what a user may have: instructions, skills, memories, and MCP servers named by the marker."""
    servers = {"mcpServers": {marker: SERVER}, "mcp_servers": {marker: SERVER}}
    files = dict.fromkeys(INSTRUCTIONS, SKILL.format(marker=marker))
    for name in (".mcp.json", ".claude.json", ".claude/settings.json", ".gemini/settings.json",
                 ".qwen/settings.json", ".openclaw/openclaw.json"):  # fmt: skip
        files[name] = json.dumps(servers)
    files[".config/opencode/opencode.json"] = json.dumps(
        {"mcp": {marker: {"type": "local", "command": ["true"]}}}
    )
    files[".codex/config.toml"] = (
        f'developer_instructions = "{marker}"\n[mcp_servers.{marker}]\ncommand = "true"\n'
    )
    files[".hermes/config.yaml"] = json.dumps({"mcp_servers": {marker: SERVER}})
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def asked(requests: list[object]) -> str:
    """Return everything that reached the model's server."""
    return "\n".join(repr(request) for request in requests)


@pytest.mark.proves("forgets", "yes")
def test_a_second_run_sees_nothing_of_the_first(agent: str, stage: Stage, proven: Proof) -> None:
    head, tail = "quetzal-", secrets.token_hex(4)
    marker = head + tail
    first = stage.play(agent, Script((LEAVE.format(marker=marker),)), prompt=f"Remember the word {marker}.")
    assert "left" in first.tool_results
    assert marker in asked([*first.requests])
    second = stage.play(agent, Script((LOOK.format(head=head, tail=tail),)), prompt="What do you remember?")
    assert "looked" in second.tool_results
    assert "own.txt" in second.tool_results, "the search finds nothing at all"
    assert second.ended == ("completed", None)
    assert marker not in asked([*second.requests])


@pytest.mark.proves("closed", "yes")
def test_nothing_of_the_users_home_reaches_the_model(
    agent: str, stage: Stage, proven: Proof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = f"quetzal{secrets.token_hex(4)}"
    plant(tmp_path / "user", marker)
    for parent in (stage.folder, stage.folder / "state", stage.folder / "state" / "sandboxes"):
        for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"):
            parent.mkdir(parents=True, exist_ok=True)
            (parent / name).write_text(f"Always say {marker}.\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for name in agents.load(agent).credentials_env:
        monkeypatch.setenv(name, f"{marker}-{name}")
    played = stage.play(agent, Script(('ls -a; ls -aR "$HOME"; env',)))
    assert played.ended == ("completed", None), played.record["failure"]
    assert "secret.txt" in played.tool_results
    assert marker not in asked([*played.requests])
    assert marker not in json.dumps(dict(played.record))
