"""Hermes Agent: how it is launched; `hermes_report` reads what it leaves.

It prints plain text only, an error as if it were the answer, and exits with 0:
the usage file tells a failure, the session database the transcript.
"""

from __future__ import annotations

from typing import ClassVar

import yaml

from mmbench.bench.agents import hermes_report
from mmbench.bench.agents.argument import checked
from mmbench.bench.agents.base import Launch, RawRun, Task, Wire
from mmbench.outcome import Outcome

CONTEXT_LENGTH = 128_000
"""Said only so that the CLI does not ask a public service for it."""
MAX_RETRIES = 2


class Hermes:
    """Nous Research's Hermes Agent in one-shot mode."""

    name: ClassVar[str] = "hermes"
    adapter_version: ClassVar[str] = "1"
    executable: ClassVar[str] = "hermes"
    reference: ClassVar[bool] = False
    wire: ClassVar[Wire | None] = "openai-chat"
    credentials_env: ClassVar[tuple[str, ...]] = (
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "NOUS_API_KEY",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENROUTER_API_KEY",
    )
    credentials_files: ClassVar[tuple[str, ...]] = (".hermes/auth.json",)

    def launch(self, task: Task) -> Launch:
        """Describe a run with the prompt as an argument; raises LaunchError for one too long for it."""
        folder = task.home / ".hermes"
        toolsets = ("-t", "terminal,file")  # the default set depends on what is installed on the machine
        usage = ("--usage-file", str(folder / "usage.json"))
        model = () if task.endpoint or not task.model else ("--model", task.model)
        return Launch(
            argv=checked(("hermes", *toolsets, *usage, "--yolo", *model, f"--oneshot={task.prompt}")),
            env={**self._credentials(task), "HERMES_HOME": str(folder), "NO_COLOR": "1"},
            files={".hermes/config.yaml": yaml.safe_dump(_config(task)).encode()},
            extras={
                "usage": ".hermes/usage.json",
                "state": ".hermes/state.db",
                "state-wal": ".hermes/state.db-wal",
            },
        )

    def _credentials(self, task: Task) -> dict[str, str]:
        if task.endpoint:
            return {}
        return {name: task.host_env[name] for name in self.credentials_env if name in task.host_env}

    def parse(self, raw: RawRun) -> Outcome:
        """Read the answer, the usage file and the session database."""
        return hermes_report.parse(raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return the command that prints the version."""
        return ("hermes", "--version")


def _config(task: Task) -> dict[str, object]:
    """Build the configuration: retries capped, no memory, no profile of the user."""
    config: dict[str, object] = {
        "agent": {"api_max_retries": MAX_RETRIES},
        "memory": {"memory_enabled": False, "user_profile_enabled": False},
    }
    if task.endpoint:
        config["model"] = {
            "default": task.endpoint.model,
            "provider": "custom",
            "base_url": f"{task.endpoint.base_url.rstrip('/')}/v1",
            "api_key": task.endpoint.api_key,
            "context_length": CONTEXT_LENGTH,
        }
    return config
