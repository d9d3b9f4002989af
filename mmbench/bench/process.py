"""Run one process tree under limits, keep what it prints, and leave nothing of it alive."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from mmbench.bench.agents.base import Ended
from mmbench.bench.streams import Captured, Streams
from mmbench.bench.tree import disk_usage

MIB, GIB = 1 << 20, 1 << 30
CHILD_PID = re.compile(rb'"child-pid":\s*(\d+)\D')
TICK_S = 0.2
"""How soon a cancellation is seen."""
WATCH_S = 1.0
"""How often disk, memory and processes are looked at."""
KILL_S = 3.0
"""How long a killed tree may take to be gone."""
INFO_S = 2.0
"""How long bubblewrap may take to say which process is the first one inside."""
IN_MEMORY = ("/.", "/dev/shm")  # noqa: S108 (looked at, never written to)
"""Where a room keeps files that are in memory."""
POLL_S = 0.02
"""How often an end is looked for where the kernel has no process descriptors."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one attempt may use; what is over a limit ends the whole tree."""

    wall_s: float
    kept_bytes: int = 32 * MIB
    """Per stream: more is drained and left out in the middle, with a marker."""
    output_bytes: int = 4 * GIB
    disk_bytes: int = 4 * GIB
    memory_bytes: int = 12 * GIB
    processes: int = 1000

    def within(self, wall_s: float) -> Limits:
        """Return the same limits with another wall-clock limit."""
        return replace(self, wall_s=wall_s)

    def record(self) -> dict[str, int]:
        """Return what the method says of them; the wall clock is the case's own."""
        return {
            "kept_bytes": self.kept_bytes,
            "output_bytes": self.output_bytes,
            "disk_bytes": self.disk_bytes,
            "memory_bytes": self.memory_bytes,
            "processes": self.processes,
        }


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process tree ended."""

    stdout: Captured
    stderr: Captured
    exit_code: int | None
    """None when the harness killed it."""
    ended: Ended
    duration_s: float


def run(
    argv: Sequence[str],
    *,
    limits: Limits,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: bytes = b"",
    watched: Sequence[Path] = (),
    cancel: threading.Event | None = None,
    tee: Callable[[bytes], None] | None = None,
    pass_fds: Sequence[int] = (),
    init_info: int | None = None,
) -> Finished:
    """Run a command to its end or to a limit; when this returns, no process of its tree is alive.

    `watched` are the folders whose blocks count against the disk limit;
    `pass_fds` are handed over: open in the child, closed here.
    `init_info` is a pipe on which bubblewrap says `{"child-pid": N}`: the first
    process of the PID namespace, whose end is the end of everything inside.
    OSError when the command cannot be started.
    """
    try:
        process = subprocess.Popen(
            argv,
            env=None if env is None else dict(env),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
        )
    finally:
        for fd in pass_fds:
            os.close(fd)
    watch = _Watch(process, limits, watched, cancel)
    streams = Streams(process, stdin, limits.kept_bytes, tee)
    init = _Init(init_info)
    try:
        ended = _pump(process, streams, watch, init)
    finally:
        _end_tree(process, init)
    streams.drain()
    code = process.returncode if ended == "exit" else None
    return Finished(streams.stdout, streams.stderr, code, ended, watch.elapsed())


class _Watch:
    """The limits of one run and the clock they are held against."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        limits: Limits,
        watched: Sequence[Path],
        cancel: threading.Event | None,
    ) -> None:
        self._process, self._limits = process, limits
        self._watched, self._cancel = watched, cancel
        self._start = time.monotonic()
        self._next_look = self._start + WATCH_S
        self._end: float | None = None

    def elapsed(self) -> float:
        """Return the seconds from start to end, or until now."""
        return (self._end or time.monotonic()) - self._start

    def stop(self) -> None:
        """Stop the clock: the process has ended or is about to be killed."""
        self._end = time.monotonic()

    def timeout(self) -> float:
        """Return how long to wait before looking again."""
        return max(0.0, min(TICK_S, self._limits.wall_s - self.elapsed()))

    def verdict(self, output: int) -> Ended | None:
        """Return the limit that is reached, if any."""
        if self._cancel is not None and self._cancel.is_set():
            return "cancelled"
        if self.elapsed() >= self._limits.wall_s:
            return "timeout"
        if output > self._limits.output_bytes:
            return "output_limit"
        now = time.monotonic()
        return self._look(now) if now >= self._next_look else None

    def _look(self, now: float) -> Ended | None:
        used = sum(disk_usage(path, self._limits.disk_bytes) for path in self._watched)
        processes = tree(self._process.pid)
        used += inner_usage(processes)
        memory = resident(processes)
        # A look must stay a small share of the time, however large the tree is.
        self._next_look = time.monotonic() + max(WATCH_S, 20 * (time.monotonic() - now))
        if used > self._limits.disk_bytes:
            return "disk_limit"
        if len(processes) > self._limits.processes:
            return "process_limit"
        return "memory_limit" if memory > self._limits.memory_bytes else None


class _Init:
    """The first process of a PID namespace, known by a descriptor and so never by a reused number."""

    def __init__(self, info: int | None) -> None:
        self._info, self._pidfd = info, 0

    @property
    def known(self) -> bool:
        """Tell whether there is a namespace and its first process is known."""
        return self._pidfd != 0

    def look(self) -> None:
        """Learn which process it is, while it is surely alive or not yet reaped."""
        if self._info is None:
            return
        text = b""
        while not (found := CHILD_PID.search(text)):
            readable, _, _ = select.select([self._info], [], [], INFO_S)
            data = os.read(self._info, 4096) if readable else b""
            if not data:
                break
            text += data
        self._info = None
        if found:
            self._pidfd = _pidfd(int(found[1]))

    def wait(self) -> None:
        """Wait until the kernel has ended everything in the namespace."""
        if self._pidfd:
            select.select([self._pidfd], [], [], KILL_S)
            os.close(self._pidfd)
            self._pidfd = 0


def _end_tree(process: subprocess.Popen[bytes], init: _Init) -> None:
    """End what is left of a tree; one that was contained and ended by itself needs no search."""
    if process.poll() is None or not init.known:
        kill_tree(process)
    init.wait()


def _pump(process: subprocess.Popen[bytes], streams: Streams, watch: _Watch, init: _Init) -> Ended:
    """Move bytes until the process ends or a limit is reached."""
    init.look()
    pidfd = _pidfd(process.pid)
    wakers = [pidfd] if pidfd else []
    try:
        while process.poll() is None:
            reached = watch.verdict(streams.size)
            if reached is not None:
                return reached
            streams.wait(watch.timeout() if pidfd else min(POLL_S, watch.timeout()), *wakers)
        return "exit"
    finally:
        watch.stop()
        for fd in wakers:
            os.close(fd)


def _pidfd(pid: int) -> int:
    """Return a descriptor that becomes readable when the process ends, 0 where there is none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return 0


def tree(pid: int) -> list[psutil.Process]:
    """Return a process and its descendants, its own children first; none when it is gone."""
    try:
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    except psutil.Error:
        return []


def resident(processes: Sequence[psutil.Process]) -> int:
    """Return the resident bytes of processes together."""
    memory = 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            memory += process.memory_info().rss
    return memory


def inner_usage(processes: Sequence[psutil.Process]) -> int:
    """Return the bytes in file systems that only a tree's own room has: its root and its shared memory.

    They lie in no folder of the host but in its memory, and without a limit they could fill it.
    """
    inside = processes[1:2]  # the first process of a room, whose root is the room's
    ours = {device for place in IN_MEMORY for device in _file_system(place)}
    seen = (_file_system(f"/proc/{process.pid}/root/{place}") for process in inside for place in IN_MEMORY)
    used = {device: size for found in seen for device, size in found.items()}
    return sum(size for device, size in used.items() if device not in ours)


def _file_system(folder: str) -> dict[int, int]:
    """Return the device that a folder lies on and the bytes used there; nothing for what is none."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return {}
    try:
        whole = os.statvfs(descriptor)
        return {os.fstat(descriptor).st_dev: (whole.f_blocks - whole.f_bfree) * whole.f_frsize}
    finally:
        os.close(descriptor)


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, its group and its descendants, and wait until none of them runs.

    Descendants that left the group are found by their parents; the rooms
    without a PID namespace look for more by their environment (`room.sweep`).
    """
    descendants: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        descendants = psutil.Process(process.pid).children(recursive=True)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for descendant in descendants:
        with contextlib.suppress(psutil.Error):
            descendant.kill()
    process.wait()
    wait_gone(descendants)


def wait_gone(processes: Sequence[psutil.Process]) -> None:
    """Wait until killed processes run no more; one that only waits to be reaped is gone."""
    deadline = time.monotonic() + KILL_S
    while any(map(_runs, processes)) and time.monotonic() < deadline:
        time.sleep(0.005)


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False
