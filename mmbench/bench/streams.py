"""The three pipes of a process: stdin is fed, stdout and stderr are captured head and tail, always drained."""

from __future__ import annotations

import contextlib
import hashlib
import os
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

CHUNK = 1 << 16
DRAIN_S = 2.0
"""How long the pipes are read after the tree is dead."""


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
        return self.size > self.limit

    def bytes(self) -> bytes:
        """Return head and tail to the byte, however the stream was cut, with a line that says what is lost."""
        tail = b"".join(self._tail)[-(self.limit - self.limit // 2) :]
        lost = self.size - len(self._head) - len(tail)
        marker = f"\n[mmbench: {lost} bytes of output left out]\n".encode() if lost else b""
        return bytes(self._head) + marker + tail


class Streams:
    """The three pipes of a process: feeds stdin, captures stdout and stderr."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stdin: bytes,
        kept_bytes: int,
        tee: Callable[[bytes], None] | None,
    ) -> None:
        self.stdout, self.stderr = Captured(kept_bytes), Captured(kept_bytes)
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
