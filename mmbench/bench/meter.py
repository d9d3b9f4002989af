"""The meter: a loopback proxy between mm and a profile's endpoint.

It holds the real key, so that nothing inside a sandbox does, and it counts what each trial
costs: requests, errors, tokens, bytes, seconds. A retry is a request like any other. Every
trial has a URL of its own with a random token in it; when the trial is closed the URL stops
working, so that a process left over from one trial cannot spend on the account of the next.

Bodies are passed on as they are. In particular no `stream_options` is added to streamed
requests to learn their usage: some endpoints refuse the field, and the extra chunk it brings
has no choices, which breaks clients. mm 0.13.2 does not stream; an answer that reports no
usage is counted as `unmetered`.
"""

from __future__ import annotations

import json
import re
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

import requests
import urllib3

from mmbench.bench.account import Account, Accounts, Counts
from mmbench.bench.endpoint import client, transport_reason
from mmbench.bench.profiles import Endpoint, Profile
from mmbench.bench.usage import UsageReader

__all__ = ["Counts", "Meter"]

MAX_BODY = 64 * 1024 * 1024
MAX_HELD = 16
MAX_ERROR = 1024 * 1024
UPSTREAM_TIMEOUT = (10.0, 180.0)
"""Seconds to connect and between bytes; mm itself gives up after 120 s."""

_PIECE = 64 * 1024
_HOP = {"connection", "content-length", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}
_SECRET = {"api-key", "authorization", "cookie", "proxy-authorization", "proxy-connection", "x-api-key"}
_NOT_FORWARDED = _HOP | _SECRET | {"accept-encoding", "expect", "host"}
_NOT_RETURNED = _HOP | {"proxy-authenticate", "set-cookie"}


class Meter:
    """Run the proxy while the context lasts; one per profile under test."""

    def __init__(self, profile: Profile) -> None:
        self._server = _Server(profile)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def __enter__(self) -> Self:
        """Start to listen."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop to listen; requests under way are abandoned."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def open(self, trial: str) -> str:
        """Open an account and return the base URL that mm shall use in this trial."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/t/{self._server.accounts.open(trial)}/v1"

    def close(self, trial: str) -> Counts:
        """Close the account and return its counts; wait up to a second for requests under way."""
        return self._server.accounts.close(trial)


class _Upstream:
    """A real endpoint, and the only place that knows its key."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._base_url = endpoint.base_url
        self._key = endpoint.api_key.encode()
        self.session = client(endpoint.base_url, endpoint.api_key, MAX_HELD)

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> requests.Response:
        return self.session.request(
            method,
            f"{self._base_url}/{path}",
            data=body or None,
            # Compressed answers could not be counted on their way through.
            headers={**headers, "Accept-Encoding": "identity"},
            stream=True,
            allow_redirects=False,
            timeout=UPSTREAM_TIMEOUT,
        )

    def without_key(self, data: bytes) -> bytes:
        return data.replace(self._key, b"[key]") if self._key else data


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, profile: Profile) -> None:
        self.accounts = Accounts()
        self.held = threading.BoundedSemaphore(MAX_HELD)
        self.chat = _Upstream(Endpoint(profile.base_url, profile.api_key))
        self.speech = _Upstream(profile.transcription) if profile.transcription else self.chat
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_close(self) -> None:
        super().server_close()
        self.chat.session.close()
        self.speech.session.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet about clients that hung up between requests: their trial was ended."""


class _Failed(Exception):  # noqa: N818 (an answer to mm, and a line in the books)
    def __init__(self, status: int, kind: str, message: str, *, closing: bool = False) -> None:
        self.status, self.kind, self.closing = status, kind, closing
        error = {"message": message, "type": "meter_error", "param": None, "code": kind}
        self.body = json.dumps({"error": error}).encode()
        super().__init__(message)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = _PIECE
    timeout = 180
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: paths hold tokens, and the counts say it all."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_CONNECT(self) -> None:
        self._serve()

    def _serve(self) -> None:
        account, path = self._account()
        if account is None:
            failed = _Failed(404, "no_trial", "No trial is open under this URL.", closing=True)
            self._send_failure(failed)
            return
        with self.server.held:
            started = time.perf_counter()
            account.begin()
            try:
                self._forward(account, path)
            except _Failed as failed:
                account.error(failed.kind)
                account.add("bytes_out", self._send_failure(failed))
            except OSError:
                account.add("cut")  # mm hung up, or was ended with its trial
                self.close_connection = True
            finally:
                account.end(time.perf_counter() - started)

    def _account(self) -> tuple[Account | None, str]:
        """Find the account that pays, and the path behind the base URL; none for other hosts."""
        if self.path.startswith("/t/"):
            token, _, path = self.path.removeprefix("/t/").partition("/v1/")
            return self.server.accounts.find(token), path
        kind, _, value = self.headers.get("proxy-authorization", "").partition(" ")
        try:
            token = b64decode(value).decode().partition(":")[0] if kind.lower() == "basic" else ""
        except ValueError:
            token = ""
        return self.server.accounts.find(token), ""

    def _forward(self, account: Account, path: str) -> None:
        if not path or _leads_out(path):
            message = "In this trial mm may only reach its own profile."
            raise _Failed(403, "other_hosts", message, closing=True)
        body = self._body()
        account.add("bytes_in", len(body))
        upstream = self.server.speech if path.startswith("audio/transcriptions") else self.server.chat
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _NOT_FORWARDED}
        try:
            answer = upstream.send(self.command, path, headers, body)
        except requests.RequestException as error:
            reason = transport_reason(error)
            raise _Failed(502, reason, f"The endpoint cannot be reached ({reason}).") from None
        with closing(answer):
            if answer.status_code < 300:
                self._pass_on(account, answer)
            else:
                self._pass_error_on(account, answer, upstream)

    def _body(self) -> bytes:
        length = self.headers.get("content-length", "0")
        if "transfer-encoding" in self.headers or not length.isdecimal():
            raise _Failed(411, "411", "A content-length is needed.", closing=True)
        if int(length) > MAX_BODY:
            raise _Failed(413, "413", f"The body is larger than {MAX_BODY} bytes.", closing=True)
        return self.rfile.read(int(length))

    def _pass_error_on(self, account: Account, answer: requests.Response, upstream: _Upstream) -> None:
        """Pass an error on in one piece, without the key some endpoints repeat in it."""
        if answer.status_code < 400:
            raise _Failed(502, "redirect", "The endpoint redirects; name its final URL as base URL.")
        account.error(str(answer.status_code))
        try:
            told = upstream.without_key(answer.raw.read(MAX_ERROR, decode_content=True))
        except urllib3.exceptions.HTTPError:
            told = b""
        self._send(answer.status_code, _returned(answer, {"content-encoding"}), told)
        account.add("bytes_out", len(told))

    def _pass_on(self, account: Account, answer: requests.Response) -> None:
        """Pass an answer on piece by piece, as it comes in, and count it on the way."""
        length = answer.headers.get("content-length")
        self._head(answer.status_code, _returned(answer), length)
        reader = UsageReader(answer.headers.get("content-type", ""))
        try:
            for piece in _pieces(answer):
                reader.feed(piece)
                account.add("bytes_out", len(piece))
                self.wfile.write(piece if length else b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
            self.wfile.write(b"" if length else b"0\r\n\r\n")
            self.wfile.flush()
        except urllib3.exceptions.HTTPError:
            account.error("cut_off")
            account.add("cut")
            self.close_connection = True
        finally:
            if self.command == "POST":
                account.used(reader.finish())

    def _send_failure(self, failed: _Failed) -> int:
        self.close_connection = self.close_connection or failed.closing
        self._send(failed.status, [("content-type", "application/json")], failed.body)
        return len(failed.body)

    def _send(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self._head(status, headers, str(len(body)))
        self.wfile.write(body)
        self.wfile.flush()

    def _head(self, status: int, headers: list[tuple[str, str]], length: str | None) -> None:
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header(*(("content-length", length) if length else ("transfer-encoding", "chunked")))
        self.end_headers()


def _leads_out(path: str) -> bool:
    """Tell a path that would be folded to one beside the profile's API: the key may open more than models there."""
    steps = re.split(r"[/\\]", unquote(path.partition("?")[0]))
    return not {".", ".."}.isdisjoint(steps)


def _returned(answer: requests.Response, but: set[str] | None = None) -> list[tuple[str, str]]:
    dropped = _NOT_RETURNED | (but or set())
    return [(name, value) for name, value in answer.headers.items() if name.lower() not in dropped]


def _pieces(answer: requests.Response) -> Iterator[bytes]:
    """Yield what has arrived, as soon as it has."""
    while piece := answer.raw.read1(_PIECE, decode_content=False):
        yield piece
