from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import requests

from mmbench.bench.endpoint import Bearer
from mmbench.bench.local import Missing, Weights, serve
from mmbench.errors import PrerequisiteError

ROOT = Path(__file__).resolve().parents[3]
PARENT = """
import sys, time
from mmbench.bench.local import Missing, serve
with serve(Missing("none")) as server:
    print(server.pid, flush=True)
    time.sleep(60)
"""


def gone(pid: int, seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_the_server_goes_when_its_parent_is_killed() -> None:
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        assert psutil.pid_exists(server)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert gone(server)


def test_the_server_lives_as_long_as_its_context_and_no_longer() -> None:
    with serve(Missing("not here")) as server:
        assert requests.get(f"{server.base_url}/models", timeout=5, auth=Bearer(server.key)).ok
        assert (server.ocr, server.speech, server.reason) == (True, False, "not here")
    assert gone(server.pid)
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{server.base_url}/models", timeout=5)


def test_weights_that_cannot_be_loaded_stop_the_start_with_the_fault(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.bin").write_bytes(b"no model")
    with (
        pytest.raises(PrerequisiteError, match="did not start: RuntimeError"),
        serve(Weights(tmp_path, "bad", "0")),
    ):
        pytest.fail("the server started")
