"""Claude Code: how it is launched; `claude_stream` reads what it leaves."""

from __future__ import annotations

from typing import ClassVar, Final

from mmbench.bench.agents import claude_stream
from mmbench.bench.agents.base import Launch, RawRun, Task, Wire
from mmbench.outcome import Outcome

MAX_RETRIES: Final = 5
"""About half a minute at an endpoint that fails; the CLI's own 10 last three minutes."""

FLAGS: Final = (
    "--dangerously-skip-permissions",
    "--output-format",
    "stream-json",
    "--verbose",
    "--safe-mode",  # no CLAUDE.md, skills, plugins, hooks, commands or agents of the user
    "--strict-mcp-config",
    "--disable-slash-commands",
)

SWITCHES: Final = {
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",  # a result would come while one still runs
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",  # `@file` in a prompt stays text
    "CLAUDE_CODE_DISABLE_MODEL_ACCESS_FALLBACK": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK": "1",
    "CLAUDE_CODE_MAX_RETRIES": str(MAX_RETRIES),
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "ENABLE_CLAUDEAI_MCP_SERVERS": "false",  # a login alone brings the account's connectors
    "IS_SANDBOX": "1",  # as root it refuses to skip permissions otherwise
}


class Claude:
    """Anthropic's Claude Code over the Anthropic wire, streaming JSON."""

    name: ClassVar[str] = "claude"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = "claude"
    reference: ClassVar[bool] = False
    wire: ClassVar[Wire | None] = "anthropic"
    credentials_env: ClassVar[tuple[str, ...]] = (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CODE_OAUTH_TOKEN",
    )
    credentials_files: ClassVar[tuple[str, ...]] = (".claude/.credentials.json",)

    def launch(self, task: Task) -> Launch:
        """Describe a run with the prompt on stdin."""
        model = task.endpoint.model if task.endpoint else task.model
        return Launch(
            argv=("claude", *FLAGS, *(("--model", model) if model else ()), "-p"),
            env={
                **SWITCHES,
                **self._credentials(task),
                "CLAUDE_CONFIG_DIR": str(task.home / ".claude"),
                "CLAUDE_CODE_TMPDIR": str(task.home / ".claude-tmp"),  # its sockets would meet in /tmp
            },
            stdin=_prompt(task.prompt),
        )

    def _credentials(self, task: Task) -> dict[str, str]:
        if task.endpoint:
            return {
                "ANTHROPIC_API_KEY": task.endpoint.api_key,
                "ANTHROPIC_BASE_URL": task.endpoint.base_url.rstrip("/"),
            }
        return {name: task.host_env[name] for name in self.credentials_env if name in task.host_env}

    def parse(self, raw: RawRun) -> Outcome:
        """Reduce the event stream to the normal form."""
        return claude_stream.parse(raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return the command that prints the version."""
        return ("claude", "--version")


def _prompt(text: str) -> bytes:
    """Encode the prompt; a line feed keeps one that starts with `/` from being taken for a command."""
    return (f"\n{text}" if text.startswith("/") else text).encode("utf-8", "replace")
