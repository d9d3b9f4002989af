"""What an adapter is: how to launch an agent CLI and how to read what it left.

Launching and parsing are apart: `launch` is a pure function from a task to an
argv, an environment and files; `parse` is a pure function from raw bytes to an
`Outcome`, so that every parser can be tested and debugged on recorded bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import ClassVar, Literal, Protocol

from mmbench.outcome import Failure, Outcome

Wire = Literal["anthropic", "openai-chat", "openai-responses", "gemini"]
Ended = Literal["exit", "timeout", "output_limit", "disk_limit", "process_limit", "memory_limit", "cancelled"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an agent's model is served when it is not the agent's own default."""

    base_url: str
    """Without a version path (http://127.0.0.1:8080); adapters add /v1 where their CLI wants it."""
    api_key: str
    model: str


@dataclass(frozen=True, slots=True)
class Task:
    """One attempt as the adapter sees it; every path is as seen inside the sandbox."""

    prompt: str
    workdir: PurePosixPath
    home: PurePosixPath
    path: str
    """The value of PATH for the agent; its first folder holds the arm's `mm`."""
    timeout_s: float
    model: str | None = None
    endpoint: Endpoint | None = None
    host_env: Mapping[str, str] = field(default_factory=dict)
    """The user's environment, from which an adapter takes only what it lists in `credentials_env`."""
    solution: str | None = None
    """The case's reference solution for this arm; only `oracle` looks at it."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start: argv[0] is a program name that the runner resolves."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files to write before the start, by path relative to HOME."""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Files to read after the end, name -> path relative to HOME; missing ones are left out.

    A path may be a glob pattern: the first match in sorted order is read.
    """


@dataclass(frozen=True, slots=True)
class RawRun:
    """What a finished process left, untouched."""

    stdout: bytes
    stderr: bytes
    exit_code: int | None
    """None when the process was killed by the harness."""
    ended: Ended = "exit"
    extras: Mapping[str, bytes] = field(default_factory=dict)
    requested_model: str | None = None


class LaunchError(Exception):
    """Raised by `launch` for a task that the CLI cannot be given; carries the attempt's failure."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


class Agent(Protocol):
    """An agent CLI. Stateless: everything about an attempt comes in as an argument."""

    name: ClassVar[str]
    adapter_version: ClassVar[str]
    """Raised whenever flags or parsing change; part of the subject."""
    executable: ClassVar[str]
    """The program to look for; empty for agents without one."""
    reference: ClassVar[bool]
    """True for agents without a model, which are never ranked."""
    wire: ClassVar[Wire | None]
    credentials_env: ClassVar[tuple[str, ...]]
    """Environment variables of the user that are carried into the sandbox."""
    credentials_files: ClassVar[tuple[str, ...]]
    """Files of the user's HOME that are carried into the throwaway HOME, by relative path."""

    def launch(self, task: Task) -> Launch:
        """Describe the process for a task; raises LaunchError for one the CLI cannot be given."""

    def parse(self, raw: RawRun) -> Outcome:
        """Reduce a finished process to the normal form; never raises on any bytes."""

    def version_argv(self) -> tuple[str, ...]:
        """Return the command that prints the CLI's version, empty for none."""
