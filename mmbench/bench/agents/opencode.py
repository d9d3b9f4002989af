"""OpenCode: how it is launched; `opencode_stream` reads what it leaves.

It tries a failing endpoint five times in about 80 seconds, and has no setting for that.
"""

from __future__ import annotations

import json
from typing import ClassVar, Final

from mmbench.bench.agents import opencode_stream
from mmbench.bench.agents.base import Endpoint, Launch, RawRun, Task, Wire
from mmbench.outcome import Outcome

KEY_VARIABLE: Final = "MMBENCH_OPENCODE_KEY"
FOLDER: Final = ".config/opencode"
CONTEXT_TOKENS: Final = 128_000
OUTPUT_TOKENS: Final = 16_384

SWITCHES: Final = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_CLAUDE_CODE": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
    "OPENCODE_DISABLE_SHARE": "1",
    "OPENCODE_DISABLE_TERMINAL_TITLE": "1",
}


class OpenCode:
    """OpenCode over the OpenAI Chat wire, JSON lines."""

    name: ClassVar[str] = "opencode"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = "opencode"
    reference: ClassVar[bool] = False
    wire: ClassVar[Wire | None] = "openai-chat"
    credentials_env: ClassVar[tuple[str, ...]] = (
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "OPENAI_API_KEY",
        "OPENCODE_API_KEY",
        "OPENROUTER_API_KEY",
    )
    credentials_files: ClassVar[tuple[str, ...]] = (".local/share/opencode/auth.json",)

    def launch(self, task: Task) -> Launch:
        """Describe a run with the prompt on stdin; a given title saves the request that would make one."""
        config = _config(task.model, task.endpoint)
        return Launch(
            argv=("opencode", "run", "--auto", "--pure", "--format", "json", "--title", "task"),
            env={
                **SWITCHES,
                **self._credentials(task),
                "OPENCODE_CONFIG": str(task.home / FOLDER / "opencode.json"),
            },
            stdin=task.prompt.encode("utf-8", "replace"),
            files={
                f"{FOLDER}/opencode.json": json.dumps(config).encode(),
                f"{FOLDER}/.npmrc": b"offline=true\n",  # it would fetch its plugin packages at each start
            },
        )

    def _credentials(self, task: Task) -> dict[str, str]:
        if task.endpoint:
            return {KEY_VARIABLE: task.endpoint.api_key}
        return {name: task.host_env[name] for name in self.credentials_env if name in task.host_env}

    def parse(self, raw: RawRun) -> Outcome:
        """Reduce the event stream to the normal form."""
        return opencode_stream.parse(raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return the command that prints the version."""
        return ("opencode", "--version")


def _config(model: str | None, endpoint: Endpoint | None) -> dict[str, object]:
    """Describe the endpoint as a provider; the key is named and not written."""
    base: dict[str, object] = {"autoupdate": False, "share": "disabled"}
    if endpoint is None:
        return {**base, "model": model} if model else base
    limit = {"context": CONTEXT_TOKENS, "output": OUTPUT_TOKENS}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "endpoint",
        "options": {"baseURL": f"{endpoint.base_url.rstrip('/')}/v1", "apiKey": f"{{env:{KEY_VARIABLE}}}"},
        "models": {endpoint.model: {"name": endpoint.model, "limit": limit}},
    }
    name = f"endpoint/{endpoint.model}"
    return {**base, "provider": {"endpoint": provider}, "model": name, "small_model": name}
