"""OpenClaw: how it is launched; `openclaw_report` reads what it leaves."""

from __future__ import annotations

import json
import math
from typing import ClassVar

from mmbench.bench.agents import openclaw_report
from mmbench.bench.agents.base import Endpoint, Launch, RawRun, Task, Wire
from mmbench.outcome import Outcome

FOLDER = ".openclaw-run"
"""State and configuration of the run; it has to exist before the start."""
AGENT_FOLDER = f"{FOLDER}/agents/main/agent"
DATABASE = f"{AGENT_FOLDER}/openclaw-agent.sqlite"
PROVIDER = "bench"
"""The name under which an endpoint is declared as a provider."""
CONTEXT_WINDOW = 128_000
MAX_TOKENS = 8_000
GRACE_S = 120
"""The CLI's own deadline comes after the harness's, so that one clock judges all agents."""
SETTINGS = {"retry": {"provider": {"maxRetries": 2}}}
"""The only place that caps retries; the CLI's own 8 to 10 take up to 184 s."""


class Openclaw:
    """OpenClaw's isolated headless turn; needs Node 24."""

    name: ClassVar[str] = "openclaw"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = "openclaw"
    reference: ClassVar[bool] = False
    wire: ClassVar[Wire | None] = "openai-chat"
    credentials_env: ClassVar[tuple[str, ...]] = (
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
    )
    credentials_files: ClassVar[tuple[str, ...]] = ()

    def launch(self, task: Task) -> Launch:
        """Describe a run with the prompt on stdin and a state folder that outlives a kill."""
        folder = task.home / FOLDER
        config = folder / "openclaw.json"
        return Launch(
            argv=(
                *("openclaw", "agent", "exec", "--json"),
                *("--config", str(config), "--state-dir", str(folder), "--cwd", str(task.workdir)),
                *("--timeout", str(math.ceil(task.timeout_s) + GRACE_S), "--message-file", "-"),
                *_model(task),
            ),
            env={
                **self._credentials(task),
                "OPENCLAW_CONFIG_PATH": str(config),
                "OPENCLAW_HOME": str(task.home),
                "OPENCLAW_NO_AUTO_UPDATE": "1",
                "OPENCLAW_OFFLINE": "1",
                "NO_COLOR": "1",
            },
            stdin=task.prompt.encode("utf-8", "surrogateescape"),
            files={
                f"{FOLDER}/openclaw.json": json.dumps(_config(task), indent=1).encode(),
                f"{AGENT_FOLDER}/settings.json": json.dumps(SETTINGS, indent=1).encode(),
            },
            extras={"state": DATABASE, "state-wal": f"{DATABASE}-wal"},
        )

    def _credentials(self, task: Task) -> dict[str, str]:
        if task.endpoint:
            return {}
        return {name: task.host_env[name] for name in self.credentials_env if name in task.host_env}

    def parse(self, raw: RawRun) -> Outcome:
        """Read the envelope and the session database."""
        return openclaw_report.parse(raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return the command that prints the version."""
        return ("openclaw", "--version")


def _model(task: Task) -> tuple[str, ...]:
    model = f"{PROVIDER}/{task.endpoint.model}" if task.endpoint else task.model
    return ("--model", model) if model else ()


def _config(task: Task) -> dict[str, object]:
    """Build the configuration: nothing from the network but the model, the arm's tools first on PATH."""
    config: dict[str, object] = {
        "plugins": {"slots": {"memory": "none"}},
        "skills": {"allowBundled": []},
        "telemetry": {"enabled": False},
        "tools": {"exec": {"pathPrepend": [task.path.split(":", 1)[0]]}},
        "update": {"checkOnStart": False, "auto": {"enabled": False}},
    }
    if task.endpoint:
        config["models"] = {"mode": "merge", "providers": {PROVIDER: _provider(task.endpoint)}}
        config["agents"] = {"defaults": {"model": {"primary": f"{PROVIDER}/{task.endpoint.model}"}}}
    return config


def _provider(endpoint: Endpoint) -> dict[str, object]:
    return {
        "baseUrl": f"{endpoint.base_url.rstrip('/')}/v1",
        "apiKey": endpoint.api_key,
        "api": "openai-completions",
        "models": [
            {
                "id": endpoint.model,
                "name": endpoint.model,
                "reasoning": False,
                "input": ["text"],
                "contextWindow": CONTEXT_WINDOW,
                "maxTokens": MAX_TOKENS,
            }
        ],
    }
