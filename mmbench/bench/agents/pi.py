"""Pi: how it is launched; `pi_stream` reads what it leaves. It strips white space around the prompt."""

from __future__ import annotations

import json
from typing import ClassVar, Final

from mmbench.bench.agents import pi_stream
from mmbench.bench.agents.base import Endpoint, Launch, RawRun, Task, Wire
from mmbench.outcome import Outcome

RETRIES: Final = 3
"""With the provider's own, about 25 seconds at an endpoint that fails."""

KEY_VARIABLE: Final = "MMBENCH_PI_KEY"
FOLDER: Final = ".pi/agent"
CONTEXT_TOKENS: Final = 128_000
OUTPUT_TOKENS: Final = 16_384

FLAGS: Final = (
    "--no-session",
    "--no-extensions",
    "--no-skills",
    "--no-prompt-templates",
    "--no-context-files",
    "--no-themes",
    "--mode",
    "json",
    "-p",
)

SETTINGS: Final = {
    "enableInstallTelemetry": False,
    "retry": {
        "enabled": True,
        "maxRetries": RETRIES,
        "provider": {"maxRetries": 2, "maxRetryDelayMs": 10_000},
    },
}


class Pi:
    """The pi coding agent over the OpenAI Chat wire, JSON lines. It has no sandbox and asks no permission."""

    name: ClassVar[str] = "pi"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = "pi"
    reference: ClassVar[bool] = False
    wire: ClassVar[Wire | None] = "openai-chat"
    credentials_env: ClassVar[tuple[str, ...]] = (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_OAUTH_TOKEN",
        "GEMINI_API_KEY",
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
    )
    credentials_files: ClassVar[tuple[str, ...]] = (f"{FOLDER}/auth.json",)

    def launch(self, task: Task) -> Launch:
        """Describe a run with the prompt on stdin."""
        files = {f"{FOLDER}/settings.json": json.dumps(SETTINGS).encode()}
        if task.endpoint:
            files[f"{FOLDER}/models.json"] = json.dumps(_models(task.endpoint)).encode()
        return Launch(
            argv=("pi", *_model(task), *FLAGS),
            env={
                **self._credentials(task),
                "PI_CODING_AGENT_DIR": str(task.home / FOLDER),
                "PI_OFFLINE": "1",
                "PI_SKIP_VERSION_CHECK": "1",
                "PI_TELEMETRY": "0",
            },
            stdin=task.prompt.encode("utf-8", "replace"),
            files=files,
        )

    def _credentials(self, task: Task) -> dict[str, str]:
        if task.endpoint:
            return {KEY_VARIABLE: task.endpoint.api_key}
        return {name: task.host_env[name] for name in self.credentials_env if name in task.host_env}

    def parse(self, raw: RawRun) -> Outcome:
        """Reduce the event stream to the normal form."""
        return pi_stream.parse(raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return the command that prints the version."""
        return ("pi", "--version")


def _model(task: Task) -> tuple[str, ...]:
    if task.endpoint:
        return ("--provider", "endpoint", "--model", task.endpoint.model)
    return ("--model", task.model) if task.model else ()


def _models(endpoint: Endpoint) -> dict[str, object]:
    """Describe the endpoint as a provider; the key is named and not written, as `!` would make it a command."""
    model = {"id": endpoint.model, "contextWindow": CONTEXT_TOKENS, "maxTokens": OUTPUT_TOKENS}
    provider = {
        "baseUrl": f"{endpoint.base_url.rstrip('/')}/v1",
        "api": "openai-completions",
        "apiKey": KEY_VARIABLE,
        "models": [model],
    }
    return {"providers": {"endpoint": provider}}
