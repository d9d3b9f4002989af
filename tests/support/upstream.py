"""A small scripted HTTP endpoint that remembers what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """What to answer: a body, or pieces that are flushed one by one."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    pieces: list[bytes | Callable[[], None]] | None = None
    """Bytes are sent as chunks; a callable is called between them."""
    hang_up: bool = False
    """Close the connection before the announced end."""


class Upstream:
    """Serve replies made by a function of the request, on a free port of loopback."""

    def __init__(self, reply: Callable[[Asked], Reply] | Reply) -> None:
        self.reply = (lambda _asked: reply) if isinstance(reply, Reply) else reply
        self.asked: list[Asked] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients of these tests may hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None: ...

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, headers, body)
        self.server.upstream.asked.append(asked)
        reply = self.server.upstream.reply(asked)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.pieces is not None:
            self._pieces(reply)
            return
        if "content-length" not in reply.headers:
            self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)
        if reply.hang_up:
            self.close_connection = True

    def _pieces(self, reply: Reply) -> None:
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in reply.pieces or ():
            if callable(piece):
                piece()
            else:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
        if reply.hang_up:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")
