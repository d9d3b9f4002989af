"""The HTTP server: in a thread of this process, on an ephemeral port, ended with its context."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, cast

from tests.support.loopback import anthropic, chat, gemini, responses
from tests.support.loopback.script import Mode, Request, Script, UsageServed, Wire
from tests.support.loopback.turn import FAULTS, Ask, Event, Reply, reply_to

WIRES: dict[Wire, ModuleType] = {
    "anthropic": anthropic,
    "openai-chat": chat,
    "openai-responses": responses,
    "gemini": gemini,
}
STALLED: frozenset[Mode] = frozenset({"hang", "cut"})
LOGGED = ("n", "method", "path", "wire", "model", "stream", "mode", "tools")
STALL_S = 600.0


def wire_of(path: str) -> Wire | None:
    """Tell the wire API from a path; None for probes and counts."""
    bare = path.split("?")[0].rstrip("/")
    ends: dict[str, Wire] = {
        "/messages": "anthropic",
        "/chat/completions": "openai-chat",
        "/responses": "openai-responses",
        ":generateContent": "gemini",
        ":streamGenerateContent": "gemini",
    }
    return next((wire for end, wire in ends.items() if bare.endswith(end)), None)


class LoopbackModel:
    """A model endpoint that follows a script; use it as a context manager.

    `requests` and `served` grow while it runs; `served` holds completed calls only.
    """

    def __init__(self, script: Script | None = None, *, port: int = 0, log: Path | None = None) -> None:
        self.script = script or Script()
        self.requests: list[Request] = []
        self.served: list[UsageServed] = []
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._calls = 0
        self._log = log
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.model = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> LoopbackModel:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def calls(self) -> list[Request]:
        """Return the requests that asked the model for a turn with tools."""
        return [request for request in self.requests if request.wire and request.tools]

    def note(self, request: Request) -> None:
        """Keep a request, in memory and in the log file where there is one."""
        with self._lock:
            request = replace(request, n=len(self.requests) + 1)
            self.requests.append(request)
            if self._log:
                line = json.dumps({name: getattr(request, name) for name in LOGGED})
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")

    def mode_for(self, ask: Ask) -> Mode:
        """Decide whether the script's mode applies to a call, and count the call."""
        script = self.script
        if script.mode == "slow" or (not ask.tools and self._calls < script.fail_after):
            return script.mode if script.mode == "slow" else "ok"
        with self._lock:
            index = self._calls - script.fail_after
            self._calls += 1
        lasting = script.fail_times is None or index < script.fail_times
        return script.mode if index >= 0 and lasting else "ok"

    def serve(self, wire: Wire, ask: Ask, reply: Reply) -> None:
        """Keep what a completed call cost."""
        use, anthropics = reply.usage, wire == "anthropic"
        with self._lock:
            self.served.append(
                UsageServed(
                    wire=wire,
                    model=reply.model,
                    input_uncached=use.uncached,
                    cache_read=use.cache_read,
                    cache_write=use.cache_write if anthropics else 0,
                    output_total=use.visible + use.reasoning,
                    reasoning=0 if anthropics else use.reasoning,
                    side=not ask.tools,
                )
            )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: LoopbackModel


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = STALL_S

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet: requests are kept by the model."""

    @property
    def model(self) -> LoopbackModel:
        return cast(_Server, self.server).model

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True  # the agent was killed or gave up: the log tells

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.model.note(self.request_of(None, {}))
        if "models" in self.path:
            listed = [{"id": "fake-model", "object": "model", "created": 1, "owned_by": "loopback"}]
            return self.answer(200, {"object": "list", "data": listed})
        return self.answer(404 if self.command == "GET" else 200, {"error": {"message": "not here"}})

    def do_POST(self) -> None:
        body = self.body()
        wire = wire_of(self.path)
        if wire is None:
            self.model.note(self.request_of(None, body))
            count = "count_tokens" in self.path or "countTokens" in self.path
            return self.answer(200, {"input_tokens": 1234, "totalTokens": 1234} if count else {})
        ask: Ask = WIRES[wire].read(body, self.path)
        mode = self.model.mode_for(ask)
        self.model.note(self.request_of(wire, body, ask, mode))
        if mode in FAULTS:
            return self.fault(wire, mode)
        reply = reply_to(ask, self.model.script, mode)
        if not ask.stream and mode == "cut":
            return self.cut(WIRES[wire].whole(reply))
        if not ask.stream and mode != "hang":
            self.model.serve(wire, ask, reply)
            return self.answer(200, WIRES[wire].whole(reply))
        return self.stream(wire, ask, reply, mode)

    def request_of(self, wire: Wire | None, body: Any, ask: Ask | None = None, mode: Mode = "ok") -> Request:
        """Describe the request under way."""
        key = self.headers.get("x-api-key") or self.headers.get("x-goog-api-key") or ""
        seen = Request(
            n=0,
            at=time.time(),
            method=self.command,
            path=self.path,
            api_key=key or self.headers.get("authorization", "").removeprefix("Bearer "),
            user_agent=self.headers.get("user-agent", ""),
            body=body,
        )
        if ask is None:
            return seen
        return replace(
            seen,
            wire=wire,
            mode=mode,
            model=ask.model,
            stream=ask.stream,
            tools=tuple(tool.name for tool in ask.tools),
            system=ask.system,
            user_texts=ask.user_texts,
            tool_results=ask.tool_results,
        )

    def body(self) -> Any:
        """Read the request's JSON; an object whatever was sent."""
        raw = self.raw_body()
        if self.headers.get("content-encoding", "") == "gzip":
            raw = gzip.decompress(raw)
        try:
            value = json.loads(raw or b"{}")
        except ValueError:
            return {"unreadable": raw[:200].decode("utf-8", "replace")}
        return value if isinstance(value, dict) else {"value": value}

    def raw_body(self) -> bytes:
        """Read the body by its length or in chunks."""
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().strip() or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self, status: int, value: Any, headers: tuple[tuple[str, str], ...] = ()) -> None:
        """Send a JSON answer."""
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def cut(self, value: Any) -> None:
        """Send the first half of an answer and close."""
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.close_connection = True

    def fault(self, wire: Wire, mode: Mode) -> None:
        """Send the error that the mode stands for."""
        fault, wait = FAULTS[mode], self.model.script.retry_after
        status = (fault.anthropic_status if wire == "anthropic" else None) or fault.status
        self.answer(
            status, WIRES[wire].error(fault), (("retry-after", str(wait)),) if wait is not None else ()
        )

    def stream(self, wire: Wire, ask: Ask, reply: Reply, mode: Mode) -> None:
        """Send server-sent events; a stalled stream stays open, a cut one is closed, both half-way."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        sent: Iterator[Event] = WIRES[wire].events(reply, self.model.script.chunk)
        if mode in STALLED:
            for event in [*sent][:4]:
                self.event(event)
            if mode == "hang":
                self.model.stopping.wait(STALL_S)
            return
        *head, last = sent
        for event in head:
            self.event(event)
            if mode == "slow":
                self.model.stopping.wait(self.model.script.delay_s)
        self.model.serve(wire, ask, reply)  # before the end is seen, so that no reader is faster
        self.event(last)

    def event(self, event: Event) -> None:
        """Send one server-sent event."""
        name, data = event
        text = data if isinstance(data, str) else json.dumps(data)
        head = f"event: {name}\n" if name else ""
        self.wfile.write(f"{head}data: {text}\n\n".encode())
        self.wfile.flush()
