"""Start and stop the local backend as a child process."""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import mmbench
from mmbench.bench.local.server import KEY_VARIABLE, MODEL
from mmbench.bench.local.weights import Missing, Weights
from mmbench.errors import PrerequisiteError

_START_TIMEOUT = 180.0
_STOP_TIMEOUT = 5.0


__all__ = ["MODEL", "LocalServer", "serve"]


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A running local backend and what it can read; `reason` says why it cannot read all."""

    base_url: str
    ocr: bool
    speech: bool
    reason: str
    pid: int
    key: str = field(repr=False)
    """Without it the server answers nothing."""


@contextmanager
def serve(weights: Weights | Missing) -> Iterator[LocalServer]:
    """Run the local backend while the context lasts.

    Without weights it reads images only. Raise PrerequisiteError when it cannot start.
    """
    if importlib.util.find_spec("rapidocr") is None:
        raise _not_installed("rapidocr")
    if isinstance(weights, Weights) and importlib.util.find_spec("faster_whisper") is None:
        raise _not_installed("faster-whisper")
    with tempfile.TemporaryDirectory(prefix="mmbench-local-") as folder:
        port_file, log, key = Path(folder) / "port.json", Path(folder) / "stderr", secrets.token_urlsafe(24)
        with log.open("wb") as errors, _child(port_file, weights, errors.fileno(), key) as child:
            try:
                yield _announced(child, port_file, log, key)
            finally:
                _stop(child)


def _child(port_file: Path, weights: Weights | Missing, errors: int, key: str) -> subprocess.Popen[bytes]:
    given = (
        ["--weights", str(weights.folder)] if isinstance(weights, Weights) else ["--reason", weights.reason]
    )
    return subprocess.Popen(
        [sys.executable, "-m", "mmbench.bench.local", "--port-file", str(port_file), *given],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=_environment() | {KEY_VARIABLE: key},
        start_new_session=True,  # Ctrl-C is for the bench, which then stops its server in order
    )


def _environment() -> dict[str, str]:
    package = str(Path(mmbench.__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "HF_HUB_OFFLINE": "1"}


def _announced(child: subprocess.Popen[bytes], port_file: Path, log: Path, key: str) -> LocalServer:
    deadline = time.monotonic() + _START_TIMEOUT
    while not port_file.exists():
        if child.poll() is not None or time.monotonic() > deadline:
            raise _not_started(log)
        time.sleep(0.02)
    told = json.loads(port_file.read_text(encoding="utf-8"))
    base_url = f"http://127.0.0.1:{told['port']}/v1"
    return LocalServer(base_url, told["ocr"], told["speech"], told["reason"], child.pid, key)


def _stop(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()
    try:
        child.wait(_STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        child.kill()


def _not_installed(package: str) -> PrerequisiteError:
    return PrerequisiteError(
        f"The local profile needs {package}, which is not installed.",
        fix="Run it through Nox (`nox -s bench`), which installs what is needed.",
    )


def _not_started(log: Path) -> PrerequisiteError:
    last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    return PrerequisiteError(
        f"The local mm backend did not start: {last[0] if last else 'it gave no reason'}.",
        fix="Remove .nox/ and run it through Nox (`nox -s bench`), which installs what is needed anew.",
    )
