"""Codex: how it is launched; `codex_stream` reads what it leaves."""

from __future__ import annotations

import json
from typing import ClassVar, Final

from mmbench.bench.agents import codex_stream
from mmbench.bench.agents.base import Endpoint, Launch, RawRun, Task, Wire
from mmbench.outcome import Outcome

REQUEST_RETRIES: Final = 4
STREAM_RETRIES: Final = 4
"""Together about half a minute at an endpoint that fails."""

KEY_VARIABLE: Final = "MMBENCH_CODEX_KEY"

ARGV: Final = (
    "codex",
    "exec",
    "--dangerously-bypass-approvals-and-sandbox",
    "--json",
    "--skip-git-repo-check",
    "--ignore-rules",
    "--color=never",
    "-",
)

CONFIG: Final = """\
allow_login_shell = false
check_for_update_on_startup = false

[analytics]
enabled = false

[history]
persistence = "none"

[features]
apps = false
daemon_auto_start = false
hooks = false
memories = false
plugins = false
unbounded_connection_retries = false

[skills]
include_instructions = false

[skills.bundled]
enabled = false
"""
"""A login shell would reset PATH; unbounded retries would wait for a missing server until the deadline."""


class Codex:
    """OpenAI's Codex over the Responses wire, JSON lines."""

    name: ClassVar[str] = "codex"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = "codex"
    reference: ClassVar[bool] = False
    wire: ClassVar[Wire | None] = "openai-responses"
    credentials_env: ClassVar[tuple[str, ...]] = ("CODEX_API_KEY", "OPENAI_API_KEY")
    credentials_files: ClassVar[tuple[str, ...]] = (".codex/auth.json",)

    def launch(self, task: Task) -> Launch:
        """Describe a run with the prompt on stdin."""
        config = _config(task.model, task.endpoint)
        return Launch(
            argv=ARGV,
            env={"CODEX_HOME": str(task.home / ".codex"), **self._credentials(task)},
            stdin=task.prompt.encode("utf-8", "replace"),
            files={".codex/config.toml": config.encode()},
            extras={codex_stream.ROLLOUT: ".codex/sessions/*/*/*/rollout-*.jsonl"},
        )

    def _credentials(self, task: Task) -> dict[str, str]:
        if task.endpoint:
            return {KEY_VARIABLE: task.endpoint.api_key}
        found = {name: task.host_env[name] for name in self.credentials_env if name in task.host_env}
        if "OPENAI_API_KEY" in found:  # `exec` takes a key from the first of these names alone
            found.setdefault("CODEX_API_KEY", found["OPENAI_API_KEY"])
        return found

    def parse(self, raw: RawRun) -> Outcome:
        """Reduce the event stream to the normal form."""
        return codex_stream.parse(raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return the command that prints the version."""
        return ("codex", "--version")


def _config(model: str | None, endpoint: Endpoint | None) -> str:
    """Write config.toml; its top-level keys stand before any table."""
    if endpoint is None:
        return (f"model = {_toml(model)}\n" if model else "") + CONFIG
    provider = {
        "name": "endpoint",
        "base_url": f"{endpoint.base_url.rstrip('/')}/v1",
        "wire_api": "responses",
        "env_key": KEY_VARIABLE,
        "request_max_retries": REQUEST_RETRIES,
        "stream_max_retries": STREAM_RETRIES,
    }
    lines = [f"{key} = {_toml(value)}" for key, value in provider.items()]
    head = f'model = {_toml(endpoint.model)}\nmodel_provider = "endpoint"\n'
    return head + CONFIG + "\n[model_providers.endpoint]\n" + "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    """Write a TOML value; JSON's texts and whole numbers are TOML's too."""
    return json.dumps(value)
