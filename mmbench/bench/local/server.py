"""The HTTP side of the local backend: the part of the OpenAI API that mm asks for.

It answers to its key alone: what listens on loopback can be reached from the sandboxes
of every arm, and mm is to profit from it, through the meter, and nobody else. Bodies are
capped, few requests are held at once, and two are worked on. Work for a client that has
hung up is dropped before it starts: mm gives up after 120 s and asks again, and answering
both would double every queue.
"""

from __future__ import annotations

import hmac
import json
import select
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from mmbench.bench.local import answer as chat
from mmbench.bench.local.answer import Refused
from mmbench.bench.local.multipart import fields
from mmbench.bench.local.ocr import WORKERS, Page
from mmbench.bench.local.speech import Transcript

MODEL = "mmbench-local"
KEY_VARIABLE = "MMBENCH_LOCAL_KEY"
"""How the child process is told its key: command lines can be read by others."""
MAX_BODY = 64 * 1024 * 1024
MAX_HELD = 8
"""Requests whose bodies are in memory at once; mm sends up to eight in parallel."""


class ReadsImages(Protocol):
    """Whatever turns an encoded image into text."""

    def read(self, data: bytes) -> Page:
        """Return the text of an image."""


class ReadsSound(Protocol):
    """Whatever turns an encoded sound into text."""

    def read(self, data: bytes, language: str | None = None) -> Transcript:
        """Return the words in a sound."""


@dataclass(frozen=True, slots=True)
class Readers:
    """What this server can read; None with the reason why it cannot."""

    images: ReadsImages | None
    sound: ReadsSound | None
    reason: str = ""


class LocalHTTPServer(ThreadingHTTPServer):
    """A server of one set of readers on a free port of loopback."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, readers: Readers, key: str = "") -> None:
        self.readers = readers
        self.key = key
        """What a request must bring along; empty for a server that anybody may ask."""
        self.held = threading.BoundedSemaphore(MAX_HELD)
        self.work = threading.BoundedSemaphore(WORKERS)
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about clients that hung up, and all about anything else."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Answer the requests of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 64 * 1024
    timeout = 120
    server: LocalHTTPServer

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet: prompts may be private and nobody reads this log."""

    def do_GET(self) -> None:
        """Serve the list of models."""
        self._serve({"/v1/models": self._models})

    def do_POST(self) -> None:
        """Serve chats, transcriptions and, by refusal, embeddings."""
        self._serve(
            {
                "/v1/chat/completions": self._chat,
                "/v1/audio/transcriptions": self._transcription,
                "/v1/embeddings": self._embeddings,
            }
        )

    def _serve(self, routes: dict[str, Callable[[bytes], None]]) -> None:
        with self.server.held:
            try:
                self._require_key()
                body = self._body()
                routes.get(self.path.partition("?")[0].rstrip("/"), self._unknown)(body)
            except Refused as refused:
                self._json(refused.status, refused.body())
            except OSError:
                raise  # the connection, not the work
            except Exception as error:
                traceback.print_exc()
                failed = Refused(500, f"The model failed with {type(error).__name__}.", "model_failed")
                self._json(failed.status, failed.body())

    def _require_key(self) -> None:
        given = self.headers.get("authorization", "").encode()
        if self.server.key and not hmac.compare_digest(given, f"Bearer {self.server.key}".encode()):
            self.close_connection = True
            raise Refused(401, "The key is not the one of this server.", "invalid_api_key")

    def _unknown(self, _body: bytes) -> None:
        raise Refused(404, f"{self.command} {self.path} is not served.", "not_found")

    def _body(self) -> bytes:
        length = self.headers.get("content-length", "0")
        if "transfer-encoding" in self.headers or not length.isdecimal():
            self.close_connection = True
            raise Refused(411, "A content-length is needed.", "length_required")
        if int(length) > MAX_BODY:
            self.close_connection = True
            raise Refused(413, f"The body is larger than {MAX_BODY} bytes.", "body_too_large")
        return self.rfile.read(int(length))

    def _models(self, _body: bytes) -> None:
        data = [{"id": MODEL, "object": "model", "created": 0, "owned_by": "mmbench"}]
        self._json(200, {"object": "list", "data": data})

    def _embeddings(self, _body: bytes) -> None:
        raise Refused(501, "The local backend has no embedding model.", "not_implemented")

    def _chat(self, body: bytes) -> None:
        try:
            request = json.loads(body)
        except ValueError as error:
            raise Refused(400, f"The body is not JSON: {error}.", "invalid_json") from error
        if not isinstance(request, dict):
            raise Refused(400, "The body must be a JSON object.", "invalid_json")
        asked = chat.message(request)
        with self.server.work:
            if self._hung_up():
                return
            given = self._read(asked, request.get("max_tokens") or request.get("max_completion_tokens"))
        if request.get("stream") is True:
            options = request.get("stream_options")
            self._stream(given, isinstance(options, dict) and options.get("include_usage") is True)
        else:
            self._json(200, completion(given))

    def _read(self, asked: chat.Message, limit: object) -> chat.Answer:
        texts, cost = [], chat.text_tokens(asked.instruction)
        for part in asked.material:
            text, tokens = self._read_part(part)
            texts.append(text)
            cost += tokens
        return chat.compose(texts, cost, limit)

    def _read_part(self, part: chat.Part) -> tuple[str, int]:
        if isinstance(part, chat.TextPart):
            return part.text, chat.text_tokens(part.text)
        if isinstance(part, chat.ImagePart):
            page = self._images().read(part.data)
            return page.text or chat.NO_TEXT, chat.image_tokens(page.width, page.height)
        heard = self._sound().read(part.data)
        return heard.text or chat.NO_SPEECH, chat.sound_tokens(heard.seconds)

    def _transcription(self, body: bytes) -> None:
        form = fields(self.headers.get("content-type", ""), body)
        if "file" not in form:
            raise Refused(400, "The form has no file.", "missing_file")
        style = form.get("response_format", b"json").decode("utf-8", "replace")
        if style not in ("json", "verbose_json", "text"):
            raise Refused(400, f"response_format {style!r} is not served.", "unsupported_format")
        reader = self._sound()
        language = form.get("language", b"").decode("utf-8", "replace") or None
        with self.server.work:
            if self._hung_up():
                return
            heard = reader.read(form["file"], language)
        if style == "text":
            self._send(200, heard.text.encode() + b"\n", "text/plain; charset=utf-8")
        else:
            self._json(200, transcription(heard, verbose=style == "verbose_json"))

    def _images(self) -> ReadsImages:
        if self.server.readers.images is None:
            raise Refused(501, f"No text recognition: {self.server.readers.reason}.", "not_implemented")
        return self.server.readers.images

    def _sound(self) -> ReadsSound:
        if self.server.readers.sound is None:
            raise Refused(501, f"No speech recognition: {self.server.readers.reason}.", "not_implemented")
        return self.server.readers.sound

    def _hung_up(self) -> bool:
        readable = select.select([self.connection], [], [], 0)[0]
        gone = bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        self.close_connection = self.close_connection or gone
        return gone

    def _stream(self, given: chat.Answer, include_usage: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in [*events(given, include_usage), "[DONE]"]:
            text = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"data: {text}\n\n".encode())
            self.wfile.flush()

    def _json(self, status: int, value: object) -> None:
        self._send(status, json.dumps(value).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def completion(given: chat.Answer) -> dict[str, Any]:
    """Build the JSON body of a chat answer; it holds no clock and no random id."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": given.text},
        "finish_reason": given.finish,
    }
    return _envelope("chat.completion") | {"choices": [choice], "usage": given.usage()}


def events(given: chat.Answer, include_usage: bool) -> list[dict[str, Any]]:
    """Build the chunks of a streamed chat answer, one per line of its text."""

    def chunk(delta: dict[str, str], finish: str | None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _envelope("chat.completion.chunk") | {"choices": [choice]}

    chunks = [chunk({"role": "assistant", "content": ""}, None)]
    chunks += [chunk({"content": line}, None) for line in given.text.splitlines(keepends=True)]
    chunks.append(chunk({}, given.finish))
    if include_usage:
        chunks.append(_envelope("chat.completion.chunk") | {"choices": [], "usage": given.usage()})
    return chunks


def transcription(heard: Transcript, *, verbose: bool) -> dict[str, Any]:
    """Build the JSON body of a transcription; its usage is the sound's length in seconds."""
    body: dict[str, Any] = {"text": heard.text, "usage": {"type": "duration", "seconds": heard.seconds}}
    if verbose:
        body |= {"task": "transcribe", "language": heard.language, "duration": heard.seconds}
        body["segments"] = [
            {"id": number, "start": segment.start, "end": segment.end, "text": segment.text}
            for number, segment in enumerate(heard.segments)
        ]
    return body


def _envelope(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-local", "object": kind, "created": 0, "model": MODEL}
