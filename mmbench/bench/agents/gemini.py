"""Gemini CLI: how it is launched; `gemini_stream` reads what it leaves."""

from __future__ import annotations

import json
from typing import ClassVar

from mmbench.bench.agents import gemini_stream
from mmbench.bench.agents.argument import typed
from mmbench.bench.agents.base import Launch, RawRun, Task, Wire
from mmbench.outcome import Outcome

DEFAULT_MODEL = "gemini-3-pro-preview"
"""Without `-m` a router picks a model for each prompt: tasks would be solved by different ones."""
MAX_ATTEMPTS = 3
"""Model requests per turn; the CLI's own 10 take more than 200 s to give up."""


class Gemini:
    """Google's Gemini CLI, streaming JSON."""

    name: ClassVar[str] = "gemini"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = "gemini"
    reference: ClassVar[bool] = False
    wire: ClassVar[Wire | None] = "gemini"
    credentials_env: ClassVar[tuple[str, ...]] = (
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_GENAI_USE_VERTEXAI",
    )
    credentials_files: ClassVar[tuple[str, ...]] = (
        ".gemini/google_accounts.json",
        ".gemini/oauth_creds.json",
    )

    def launch(self, task: Task) -> Launch:
        """Describe a run with the prompt on stdin: as an argument `-x`, `@x` or 128 KiB would not arrive."""
        model = task.endpoint.model if task.endpoint else task.model
        env = self._credentials(task)
        folder = task.home / ".gemini"
        return Launch(
            argv=("gemini", "--yolo", "-o", "stream-json", "-m", model or DEFAULT_MODEL),
            env={
                **env,
                "GEMINI_CLI_HOME": str(task.home),
                "GEMINI_CLI_NO_RELAUNCH": "true",
                "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(folder / "no-system-defaults.json"),
                "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(folder / "no-system-settings.json"),
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                "GEMINI_SANDBOX": "false",
                "GEMINI_TELEMETRY_ENABLED": "false",
                "NO_COLOR": "1",
            },
            stdin=typed(task.prompt),
            files={".gemini/settings.json": json.dumps(_settings(_auth(env)), indent=1).encode()},
        )

    def _credentials(self, task: Task) -> dict[str, str]:
        if task.endpoint:
            return {
                "GEMINI_API_KEY": task.endpoint.api_key,
                "GOOGLE_GEMINI_BASE_URL": task.endpoint.base_url,
            }
        return {name: task.host_env[name] for name in self.credentials_env if name in task.host_env}

    def parse(self, raw: RawRun) -> Outcome:
        """Read the event stream and the error report on stderr."""
        return gemini_stream.parse(raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return the command that prints the version."""
        return ("gemini", "--version")


def _auth(env: dict[str, str]) -> str:
    """Name the way to log in; it has to be said, a base URL alone is refused as `gateway`."""
    if "GEMINI_API_KEY" in env:
        return "gemini-api-key"
    vertex = "GOOGLE_API_KEY" in env or env.get("GOOGLE_GENAI_USE_VERTEXAI") == "true"
    return "vertex-ai" if vertex else "oauth-personal"


def _settings(auth: str) -> dict[str, object]:
    """Build the settings: no telemetry, no update, no sandbox of its own, nothing but the built-in tools."""
    return {
        "advanced": {"ignoreLocalEnv": True},
        "experimental": {"autoMemory": False},
        "general": {
            "checkpointing": {"enabled": False},
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "maxAttempts": MAX_ATTEMPTS,
        },
        "hooksConfig": {"enabled": False},
        "ide": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
        "security": {"auth": {"selectedType": auth}, "folderTrust": {"enabled": False}},
        "skills": {"enabled": False},
        "telemetry": {"enabled": False},
        "tools": {"sandbox": False},
    }
