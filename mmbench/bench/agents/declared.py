"""The adapter that a declaration makes: launching by templates, parsing by rules."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import ClassVar

from mmbench.bench.agents import declared_output
from mmbench.bench.agents.argument import checked
from mmbench.bench.agents.base import Launch, LaunchError, RawRun, Task, Wire
from mmbench.bench.agents.declaration import PLACEHOLDERS, Declaration
from mmbench.outcome import Failure, Outcome

TEMPLATE = re.compile("|".join(rf"\{{{name}\}}" for name in PLACEHOLDERS))


class DeclaredAgent:
    """An agent CLI from a declaration; `agent_of` makes a class of it for each one."""

    declaration: ClassVar[Declaration]
    name: ClassVar[str]
    adapter_version: ClassVar[str]
    executable: ClassVar[str]
    reference: ClassVar[bool] = False
    can_ask: ClassVar[bool]
    wire: ClassVar[Wire | None]
    credentials_env: ClassVar[tuple[str, ...]]
    credentials_files: ClassVar[tuple[str, ...]]

    def launch(self, task: Task) -> Launch:
        """Fill in the templates; raises LaunchError for a task that they cannot be filled in for."""
        told, values = self.declaration, self._values(task)
        env = dict(told.env) | (dict(told.endpoint_env) if task.endpoint else {})
        files = dict(told.files) | (dict(told.endpoint_files) if task.endpoint else {})
        own = (
            {} if task.endpoint else {k: task.host_env[k] for k in told.credentials_env if k in task.host_env}
        )
        return Launch(
            argv=checked(tuple(_fill(text, values) for text in told.argv)),
            env=own | {name: _fill(text, values) for name, text in env.items()},
            stdin=_bytes(_fill(told.stdin, values)),
            files={name: _bytes(_fill(text, _escaped(name, values))) for name, text in files.items()},
            extras={"output": told.output.file} if told.output.file else {},
        )

    def _values(self, task: Task) -> dict[str, str]:
        """Return the placeholders that have a value for a task."""
        if task.endpoint and self.wire is None:
            message = f"{self.name} declares no `wire`: it cannot be pointed at an endpoint."
            raise LaunchError(Failure("setup", message))
        model = task.endpoint.model if task.endpoint else task.model or self.declaration.default_model
        values = {
            "prompt": task.prompt,
            "workdir": str(task.workdir),
            "home": str(task.home),
            "path": task.path,
            "timeout": str(round(task.timeout_s)),
        }
        if model:
            values["model"] = model
        if task.endpoint:
            values |= {"base_url": task.endpoint.base_url.rstrip("/"), "api_key": task.endpoint.api_key}
        return values

    def parse(self, raw: RawRun) -> Outcome:
        """Read the output by the declaration's rules."""
        return declared_output.parse(self.declaration, raw)

    def version_argv(self) -> tuple[str, ...]:
        """Return the declared command that prints the version."""
        return self.declaration.version_argv


def agent_of(declaration: Declaration) -> DeclaredAgent:
    """Make the adapter of a declaration."""
    members = {
        "__doc__": f"The declared agent {declaration.name}.",
        "declaration": declaration,
        "name": declaration.name,
        "adapter_version": declaration.adapter_version,
        "executable": declaration.argv[0],
        "can_ask": declaration.can_ask,
        "wire": declaration.wire,
        "credentials_env": declaration.credentials_env,
        "credentials_files": declaration.credentials_files,
    }
    made: DeclaredAgent = type("Declared", (DeclaredAgent,), members)()
    return made


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Put values in once: braces inside a prompt are the prompt's."""

    def value(match: re.Match[str]) -> str:
        name = match[0][1:-1]
        if name not in values:
            kind = "missing_model" if name == "model" else "setup"
            raise LaunchError(Failure(kind, f"The declaration uses {{{name}}}, and this run has none."))
        return values[name]

    return TEMPLATE.sub(value, template)


def _escaped(name: str, values: Mapping[str, str]) -> Mapping[str, str]:
    """Escape values for a file of JSON, where they stand inside strings."""
    if not name.endswith(".json"):
        return values
    return {key: json.dumps(value, ensure_ascii=False)[1:-1] for key, value in values.items()}


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
