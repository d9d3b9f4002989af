"""Run a `Launch` for a test: a fresh HOME and work folder, a deadline, nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mmbench.bench.agents.base import Agent, Endpoint, Launch, RawRun, Task
from mmbench.bench.toolchain import installed
from mmbench.layout import project

GRACE_S = 3.0


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one run: `home/`, `work/` and `bin/` with the arm's tools."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def path(self) -> str:
        """The PATH that an agent gets: this place's tools first."""
        return f"{self.bin}:{os.environ.get('PATH', os.defpath)}"


def make_place(root: Path) -> Place:
    """Make the folders; login shells find the tools too."""
    place = Place(root)
    for folder in (place.home, place.work, place.bin):
        folder.mkdir(parents=True, exist_ok=True)
    (place.home / ".profile").write_text(f'export PATH="{place.bin}:$PATH"\n', encoding="utf-8")
    return place


def task_for(
    place: Place,
    prompt: str,
    url: str | None = None,
    *,
    model: str | None = "fake-model",
    timeout_s: float = 60.0,
) -> Task:
    """Describe an attempt in a place, against an endpoint where a URL is given."""
    return Task(
        prompt=prompt,
        workdir=PurePosixPath(place.work),
        home=PurePosixPath(place.home),
        path=place.path,
        timeout_s=timeout_s,
        model=model,
        endpoint=Endpoint(url, "sk-loopback-key", model or "fake-model") if url else None,
    )


def run(agent: Agent, task: Task, place: Place, change: Callable[[Launch], Launch] | None = None) -> RawRun:
    """Launch an installed agent CLI for a task, changed where asked, and return what it left."""
    launch = agent.launch(task)
    if change:
        launch = change(launch)
    _write_files(place.home, launch)
    out, err = place.root / "stdout", place.root / "stderr"
    env = {"LANG": "C.UTF-8", "HOME": str(place.home), "PATH": place.path, **launch.env}
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            [str(program(launch.argv[0])), *launch.argv[1:]],
            cwd=place.work,
            env=env,
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        code = _wait(process, launch.stdin, task.timeout_s)
    return RawRun(
        stdout=out.read_bytes(),
        stderr=err.read_bytes(),
        exit_code=code,
        ended="exit" if code is not None else "timeout",
        extras=_read_extras(place.home, launch),
        requested_model=task.endpoint.model if task.endpoint else task.model,
    )


def program(name: str) -> Path:
    """Find the project's own installation of a CLI."""
    found = installed(name, project())
    if found is None:
        raise FileNotFoundError(f"{name} is not installed; run `nox -s agents -- {name}`")
    return found.path


def _wait(process: subprocess.Popen[bytes], stdin: bytes, timeout_s: float) -> int | None:
    """Wait for the end; None when the process group had to be killed."""
    try:
        process.communicate(stdin, timeout=timeout_s)
        code: int | None = process.returncode
    except subprocess.TimeoutExpired:
        code = None
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            continue
    process.wait()
    return code


def _write_files(home: Path, launch: Launch) -> None:
    for name, content in launch.files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _read_extras(home: Path, launch: Launch) -> dict[str, bytes]:
    found = {name: next(iter(sorted(home.glob(pattern))), None) for name, pattern in launch.extras.items()}
    return {name: path.read_bytes() for name, path in found.items() if path and path.is_file()}
