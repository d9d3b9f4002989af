"""Run one process tree under limits, keep what it prints, and leave nothing of it alive."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import select
import selectors
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from mmbench.bench.agents.base import Ended
from mmbench.bench.tree import disk_usage

CHUNK = 1 << 16
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
POLL_S = 0.02
"""How often an end is looked for where the kernel has no process descriptors."""
DRAIN_S = 2.0
"""How long the pipes are read after the tree is dead."""


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


@dataclass(slots=True)
class Captured:
    """The head and the tail of a stream, its full size and hash."""

    limit: int
    size: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: deque[bytes] = field(default_factory=deque)
    _tail_size: int = 0
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self.size += len(data)
        self._hash.update(data)
        room = self.limit // 2 - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_size += len(data)
            while self._tail_size - len(self._tail[0]) >= self.limit - self.limit // 2:
                self._tail_size -= len(self._tail.popleft())

    @property
    def sha256(self) -> str:
        """Return the hash of the whole stream, kept or not."""
        return self._hash.hexdigest()

    @property
    def truncated(self) -> bool:
        """Tell whether something in the middle was left out."""
        return self.size > len(self._head) + self._tail_size

    def bytes(self) -> bytes:
        """Return what was kept, with a line that says how much was not."""
        lost = self.size - len(self._head) - self._tail_size
        marker = f"\n[mmbench: {lost} bytes of output left out]\n".encode() if lost else b""
        return bytes(self._head) + marker + b"".join(self._tail)


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
    for fd in pass_fds:
        os.close(fd)
    watch = _Watch(process, limits, watched, cancel)
    streams = _Streams(process, stdin, limits, tee)
    init = _Init(init_info)
    try:
        ended = _pump(process, streams, watch, init)
    finally:
        _end_tree(process, init)
    streams.drain()
    code = process.returncode if ended == "exit" else None
    return Finished(streams.stdout, streams.stderr, code, ended, watch.elapsed())


class _Streams:
    """The three pipes of a process: feeds stdin, captures stdout and stderr."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stdin: bytes,
        limits: Limits,
        tee: Callable[[bytes], None] | None,
    ) -> None:
        self.stdout, self.stderr = Captured(limits.kept_bytes), Captured(limits.kept_bytes)
        self._selector = selectors.DefaultSelector()
        self._left = memoryview(stdin)
        self._tee = tee
        assert process.stdin and process.stdout and process.stderr
        self._stdin, self._out = process.stdin.fileno(), process.stdout.fileno()
        self._files = (process.stdin, process.stdout, process.stderr)
        for file in self._files:
            os.set_blocking(file.fileno(), False)
        self._selector.register(process.stdout, selectors.EVENT_READ, self.stdout)
        self._selector.register(process.stderr, selectors.EVENT_READ, self.stderr)
        if self._left:
            self._selector.register(process.stdin, selectors.EVENT_WRITE)
        else:
            self._close_stdin()

    @property
    def open(self) -> bool:
        """Tell whether an output pipe may still bring something."""
        return any(key.events & selectors.EVENT_READ for key in self._selector.get_map().values())

    @property
    def size(self) -> int:
        """Return the bytes seen on both outputs."""
        return self.stdout.size + self.stderr.size

    def wait(self, timeout: float, *extra: int) -> None:
        """Move bytes until something happened or the time is over; `extra` fds only wake it."""
        for fd in extra:
            self._selector.register(fd, selectors.EVENT_READ, None)
        try:
            ready = self._selector.select(timeout)
        finally:
            for fd in extra:
                self._selector.unregister(fd)
        for key, _ in ready:
            if isinstance(key.data, Captured):
                self._read(key)
            elif key.fd == self._stdin:
                self._write(key)

    def _read(self, key: selectors.SelectorKey) -> None:
        try:
            data = os.read(key.fd, CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(key.fileobj)
            return
        key.data.feed(data)
        if self._tee is not None and key.fd == self._out:
            self._tee(data)

    def _write(self, key: selectors.SelectorKey) -> None:
        try:
            self._left = self._left[os.write(key.fd, self._left[:CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            # The program closed its stdin without reading all of it: its right.
            self._left = memoryview(b"")
        if not self._left:
            self._selector.unregister(key.fileobj)
            self._close_stdin()

    def _close_stdin(self) -> None:
        with contextlib.suppress(OSError):
            self._files[0].close()
        # The number may be given to another file now.
        self._stdin = -1

    def drain(self) -> None:
        """Read what is left in the pipes of a dead tree, for a bounded time, and close them."""
        deadline = time.monotonic() + DRAIN_S
        while self.open and time.monotonic() < deadline:
            self.wait(0.05)
        self._selector.close()
        for file in self._files:
            with contextlib.suppress(OSError):
                file.close()


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
        count, memory = tree_size(self._process.pid)
        # A look must stay a small share of the time, however large the tree is.
        self._next_look = time.monotonic() + max(WATCH_S, 20 * (time.monotonic() - now))
        if used > self._limits.disk_bytes:
            return "disk_limit"
        if count > self._limits.processes:
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


def _pump(process: subprocess.Popen[bytes], streams: _Streams, watch: _Watch, init: _Init) -> Ended:
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


def tree_size(pid: int) -> tuple[int, int]:
    """Return how many processes a tree has, its first one included, and their resident bytes together."""
    try:
        first = psutil.Process(pid)
        tree = [first, *first.children(recursive=True)]
    except psutil.Error:
        return 0, 0
    memory = 0
    for process in tree:
        with contextlib.suppress(psutil.Error):
            memory += process.memory_info().rss
    return len(tree), memory


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
