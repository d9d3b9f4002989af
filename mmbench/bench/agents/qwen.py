"""Qwen Code: how it is launched; `qwen_stream` reads what it leaves."""

from __future__ import annotations

import json
from typing import ClassVar

from mmbench.bench.agents import qwen_stream
from mmbench.bench.agents.argument import typed
from mmbench.bench.agents.base import Launch, RawRun, Task, Wire
from mmbench.outcome import Outcome

RETRIES = 0
"""Of the request and of its rate limit: around both the CLI has seven attempts of its own, about 100 s,
that no setting changes; its 10 retries of a rate limit would repeat those for half an hour."""


class Qwen:
    """Alibaba's Qwen Code over the OpenAI wire, streaming JSON."""

    name: ClassVar[str] = "qwen"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = "qwen"
    reference: ClassVar[bool] = False
    wire: ClassVar[Wire | None] = "openai-chat"
    credentials_env: ClassVar[tuple[str, ...]] = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")
    credentials_files: ClassVar[tuple[str, ...]] = (".qwen/oauth_creds.json",)

    def launch(self, task: Task) -> Launch:
        """Describe a run with the prompt on stdin."""
        env = self._credentials(task)
        folder = task.home / ".qwen"
        auth = "openai" if "OPENAI_API_KEY" in env else "qwen-oauth"
        return Launch(
            argv=("qwen", "--yolo", "-o", "stream-json", "--auth-type", auth, *_model(task)),
            env={
                **env,
                "QWEN_CODE_NO_RELAUNCH": "true",
                "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
                "QWEN_CODE_SYSTEM_DEFAULTS_PATH": str(folder / "no-system-defaults.json"),
                "QWEN_CODE_SYSTEM_SETTINGS_PATH": str(folder / "no-system-settings.json"),
                "QWEN_HOME": str(folder),
                "QWEN_SANDBOX": "false",
                "QWEN_TELEMETRY_ENABLED": "false",
                "QWEN_USAGE_STATISTICS_ENABLED": "false",
                "NO_COLOR": "1",
            },
            stdin=typed(task.prompt),
            files={".qwen/settings.json": json.dumps(_settings(auth), indent=1).encode()},
            extras={"usage": ".qwen/usage_record.jsonl"},
        )

    def _credentials(self, task: Task) -> dict[str, str]:
        if task.endpoint:
            return {
                "OPENAI_API_KEY": task.endpoint.api_key,
                "OPENAI_BASE_URL": f"{task.endpoint.base_url.rstrip('/')}/v1",
                "OPENAI_MODEL": task.endpoint.model,
            }
        return {name: task.host_env[name] for name in self.credentials_env if name in task.host_env}

    def parse(self, raw: RawRun) -> Outcome:
        """Read the event stream."""
        return qwen_stream.parse(raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return the command that prints the version."""
        return ("qwen", "--version")


def _model(task: Task) -> tuple[str, ...]:
    model = task.endpoint.model if task.endpoint else task.model
    return ("-m", model) if model else ()


def _settings(auth: str) -> dict[str, object]:
    """Build the settings: no telemetry, no update, no memory, no skill but the case's own."""
    return {
        "disableAllHooks": True,
        "general": {"enableAutoUpdate": False, "checkpointing": {"enabled": False}},
        "ide": {"enabled": False},
        "memory": {
            "enableManagedAutoMemory": False,
            "enableManagedAutoDream": False,
            "enableAutoSkill": False,
        },
        "model": {"generationConfig": {"maxRetries": RETRIES}},
        "privacy": {"usageStatisticsEnabled": False},
        "security": {"auth": {"selectedType": auth}, "folderTrust": {"enabled": False}},
        "skills": {"disabledLevels": ["user", "extension", "bundled"]},
        "telemetry": {"enabled": False},
    }
