"""A parser process with limits, so that a hostile file cannot hang, bloat or crash the grader.

One process serves the checks of one trial and starts with the first file that
needs it. Processor time is limited, not wall-clock time: a loaded machine
gives the same verdict. A file that exhausts a limit or crashes its parser is
refused, with the reason, and a fresh process serves the next one.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from mmbench.bench.grading.base import CheckFailedToRun, Refused

CPU_SECONDS = 30
WALL_SECONDS = 600
MEMORY_BYTES = 4 << 30
_ROOT = Path(__file__).resolve().parents[3]
_START = (
    f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from mmbench.bench.grading.worker import main; main()"
)
_ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class Reader:
    """Ask a limited process to read files; close it when done."""

    def __init__(self, *, cpu_seconds: int = CPU_SECONDS, wall_seconds: float = WALL_SECONDS) -> None:
        self._cpu, self._wall = cpu_seconds, wall_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, operation: str, subject: str, **arguments: Any) -> Any:
        """Run an operation of the worker and return its JSON value; `subject` names the file in reasons.

        Raises Refused when the file is at fault and CheckFailedToRun when the grader is.
        """
        request = (
            json.dumps({"operation": operation, "arguments": arguments, "cpu_seconds": self._cpu}) + "\n"
        )
        reply = self._exchange(request.encode(), subject)
        if "malformed" in reply:
            raise Refused(f"{subject} is malformed: {reply['malformed']}.")
        if "value" not in reply:
            raise CheckFailedToRun(f"reading {subject}: {reply.get('error', 'no reply')}")
        return reply["value"]

    def close(self) -> None:
        """End the process, if one was started."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _exchange(self, request: bytes, subject: str) -> dict[str, Any]:
        if self._process is None:
            self._process = _start()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request)
            self._process.stdin.flush()
            line = self._read_line(self._process)
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            raise self._autopsy(subject)
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _read_line(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        deadline = time.monotonic() + self._wall
        poll = select.poll()
        poll.register(process.stdout, select.POLLIN)
        parts: list[bytes] = []
        while not parts or not parts[-1].endswith(b"\n"):
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                self.close()
                raise CheckFailedToRun(f"the parser process gave no reply in {self._wall:g} s")
            part = os.read(process.stdout.fileno(), 1 << 20)
            if not part:
                break
            parts.append(part)
        return b"".join(parts)

    def _autopsy(self, subject: str) -> Exception:
        """Return what the end of the process means."""
        process, self._process = self._process, None
        assert process is not None
        process.communicate()
        if process.returncode == -signal.SIGXCPU:
            return Refused(f"{subject} takes more than {self._cpu} s of processor time to read.")
        if process.returncode in (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE):
            return Refused(f"{subject} crashes its parser.")
        return CheckFailedToRun(f"the parser process ended with {process.returncode} on {subject}")


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_ENVIRONMENT,
        cwd="/",
        bufsize=0,
    )
