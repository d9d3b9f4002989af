"""A case's own validator: `validate.py`, run in a process of its own with limits, its verdict taken as one check.

It reads one JSON object from standard input, {"answer", "tree", "reference",
"truth"}, and writes one to standard output, {"score": 0..1, "reasons": [...]}.
Whatever else happens, a crash, a score that is no number in 0..1, a
deadline missed, is the validator's fault: the trial is ungraded, never zero.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from mmbench.bench.grading.base import CheckFailedToRun, CheckResult, Evidence
from mmbench.bench.grading.clean import clean_text, one_line

TIMEOUT_S = 120.0
MAX_OUTPUT = 1 << 20
MEMORY_BYTES = 4 << 30
# Set in the child before the script runs, by code and not by a fork hook, which is unsafe beside threads.
_LIMITED = """
import resource, runpy, sys
for kind, most in ((resource.RLIMIT_CPU, {cpu}), (resource.RLIMIT_AS, {memory}), (resource.RLIMIT_CORE, 0),
                   (resource.RLIMIT_FSIZE, {size})):
    try:
        resource.setrlimit(kind, (most, most))
    except (ValueError, OSError):
        pass
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@dataclass(frozen=True, slots=True)
class Completed:
    """How a sandboxed program ended."""

    returncode: int
    stdout: bytes
    timed_out: bool = False


class RunSandboxed(Protocol):
    """Run a program with a deadline; `readable` are the paths it must be able to read, at these very paths."""

    def __call__(
        self, argv: Sequence[str], *, stdin: bytes, timeout_s: float, readable: Sequence[Path]
    ) -> Completed:
        """Return how it ended; never raise for what the program does."""
        ...


def run_plain(argv: Sequence[str], *, stdin: bytes, timeout_s: float, readable: Sequence[Path]) -> Completed:
    """Run a program as a plain subprocess in an empty folder with a bare environment; its group dies with it."""
    with tempfile.TemporaryDirectory(prefix="mmbench-validate-") as folder, tempfile.TemporaryFile() as out:
        environment = {
            "PATH": os.defpath,
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "HOME": folder,
            "PYTHONHASHSEED": "0",
        }
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        timed_out = False
        try:
            process.communicate(stdin, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _end(process)
        out.seek(0)
        return Completed(process.returncode, out.read(MAX_OUTPUT + 1), timed_out)


def run_validator(
    source: str,
    evidence: Evidence,
    *,
    truth: Any = None,
    weight: float = 1.0,
    timeout_s: float = TIMEOUT_S,
    run_sandboxed: RunSandboxed = run_plain,
) -> CheckResult:
    """Run the source of a `validate.py` over the evidence and return its verdict as a check of kind `validator`.

    Raises CheckFailedToRun for anything but a well-formed verdict.
    """
    request = {
        "answer": clean_text(evidence.answer),
        "tree": str(evidence.tree),
        "reference": None if evidence.reference is None else str(evidence.reference),
        "truth": truth,
    }
    with tempfile.TemporaryDirectory(prefix="mmbench-validator-") as folder:
        script = Path(folder, "validate.py")
        script.write_text(source, encoding="utf-8")
        code = _LIMITED.format(cpu=int(timeout_s) + 1, memory=MEMORY_BYTES, size=MAX_OUTPUT)
        readable = [Path(folder), evidence.tree, *([evidence.reference] if evidence.reference else [])]
        ended = run_sandboxed(
            [sys.executable, "-I", "-c", code, str(script)],
            stdin=json.dumps(request).encode(),
            timeout_s=timeout_s,
            readable=readable,
        )
    score, reason = _verdict(ended, timeout_s)
    return CheckResult("validator", weight, score, one_line(reason))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the validator's process group, itself included."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.communicate()


def _verdict(ended: Completed, timeout_s: float) -> tuple[float, str]:
    if ended.timed_out:
        raise CheckFailedToRun(f"validate.py did not end within {timeout_s:g} s")
    if ended.returncode != 0:
        raise CheckFailedToRun(f"validate.py ended with {ended.returncode}")
    try:
        verdict = json.loads(ended.stdout, parse_constant=_refuse)
        score, reasons = verdict["score"], verdict["reasons"]
    except (ValueError, RecursionError, TypeError, KeyError) as error:
        raise CheckFailedToRun(f"validate.py gave no verdict: {type(error).__name__}") from error
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        raise CheckFailedToRun(f"validate.py gave the score {score!r}, which is not in 0..1")
    if not isinstance(reasons, list) or not reasons or not all(isinstance(reason, str) for reason in reasons):
        raise CheckFailedToRun("validate.py gave no reasons")
    return float(score), " ".join(reasons)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
