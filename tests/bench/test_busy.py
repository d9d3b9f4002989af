"""Cores are busy while they are asked to be, and never longer."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import psutil

from mmbench.bench.busy import busy


def spinning(parent: psutil.Process) -> list[psutil.Process]:
    return [child for child in parent.children() if "sha256" in " ".join(child.cmdline())]


def test_so_many_processes_work_in_the_block_and_none_after_it() -> None:
    me = psutil.Process()
    with busy(2):
        found = spinning(me)
        assert len(found) == 2
        deadline = time.monotonic() + 30
        while not all(sum(child.cpu_times()[:2]) > 0.2 for child in found) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert all(sum(child.cpu_times()[:2]) > 0.2 for child in found)
    assert spinning(me) == []


def test_no_load_is_no_process() -> None:
    with busy(0):
        assert spinning(psutil.Process()) == []


def test_a_killed_parent_leaves_no_load_behind() -> None:
    script = "from mmbench.bench.busy import busy\nwith busy(1):\n    print(flush=True)\n    input()\n"
    parent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdin is not None
    parent.stdout.readline()
    (child,) = spinning(psutil.Process(parent.pid))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdin.close()
    parent.stdout.close()
    _, alive = psutil.wait_procs([child], timeout=30)
    assert alive == []
