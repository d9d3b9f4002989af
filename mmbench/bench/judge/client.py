"""Ask one model at one endpoint once, within a deadline, and learn what the endpoint does not take."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import HTTPError

from mmbench import jsontext
from mmbench.bench import endpoint
from mmbench.bench.judge.question import Answer, AskError, Question
from mmbench.bench.judge.retry import retry_after
from mmbench.bench.judge.wires import WIRES, Post

CONNECT_S, SILENCE_S, DEADLINE_S = 10.0, 120.0, 180.0
MAX_BODY = 4 << 20
TOLD = 300
LASTING = frozenset({"auth", "quota", "missing_model", "refused", "dns", "tls"})
"""Failures that a second try cannot mend."""

_DROPS: tuple[tuple[str, str], ...] = (
    ("max_tokens", r"max_completion_tokens"),
    ("temperature", r"temperature"),
    ("images", r"image|vision|multimodal|mmproj|content part"),
    ("bounds", r"schema|response_format|maxlength|minimum|maximum|grammar|tool"),
    ("schema", r"schema|response_format|json mode|structured|grammar|tool"),
)
"""What may be left out when a refusal speaks of it, in this order."""


@dataclass(slots=True)
class Client:
    """One model at one endpoint; what the endpoint refused is remembered for the next question."""

    wire: str
    base_url: str
    model: str
    key: str = field(repr=False)
    deadline_s: float = DEADLINE_S
    silence_s: float = SILENCE_S
    without: frozenset[str] = frozenset()

    def ask(self, question: Question) -> Answer:
        """Return the model's answer; raises AskError with the class of the failure."""
        spoken = WIRES[self.wire]()
        while True:
            post = spoken.post(question, self.model, self.key, self.without)
            status, headers, data = self._send(post)
            if status == 200:
                return self._read(spoken.read(self._json(data)), question)
            text = data.decode("utf-8", "replace")
            dropped = self._drop(status, text, question)
            if dropped is None:
                raise self._failure(status, headers.get("retry-after"), text)
            self.without |= {dropped}

    def _read(self, answer: Answer, question: Question) -> Answer:
        missing = self.without if question.images else self.without - {"images"}
        answer = replace(answer, text=self.clean(answer.text), without=tuple(sorted(missing)))
        if answer.refused:
            raise AskError("refusal", "The model declined to judge.", answer=answer)
        if answer.cut:
            raise AskError("cut", "The reply was stopped at its length limit.", answer=answer)
        return answer

    def _drop(self, status: int, text: str, question: Question) -> str | None:
        """Return what to leave out next, None when the refusal is about something else."""
        if status not in (400, 404, 415, 422, 500, 501):
            return None
        low = text[:4000].lower()
        for name, pattern in _DROPS:
            offered = name not in self.without and (name != "images" or bool(question.images))
            if offered and re.search(pattern, low):
                return name
        return None

    def _send(self, post: Post) -> tuple[int, dict[str, str], bytes]:
        started = time.monotonic()
        url = f"{self.base_url.rstrip('/')}/{post.path}"
        wait = (CONNECT_S, self.silence_s)
        try:
            with (
                endpoint.client(self.base_url, "") as session,
                session.post(
                    url,
                    json=jsontext.clean(post.body),
                    headers={"Accept-Encoding": "identity", **post.headers},
                    timeout=wait,
                    allow_redirects=False,
                    stream=True,
                ) as answer,
            ):
                data = self._body(answer, started + self.deadline_s)
                names = {name.lower(): value for name, value in answer.headers.items()}
                return answer.status_code, names, data
        except requests.RequestException as error:
            reason = endpoint.transport_reason(error)
            message = f"The endpoint cannot be reached ({type(error).__name__})."
            raise AskError(reason, message, lasting=reason in LASTING) from None
        except (HTTPError, OSError) as error:
            slow = "timed out" in str(error).lower()
            raise AskError(
                "timeout" if slow else "no_server", f"The answer broke off ({type(error).__name__})."
            ) from None

    def _body(self, answer: requests.Response, until: float) -> bytes:
        """Read a body piece by piece: one that drips for ever is left at the deadline."""
        pieces: list[bytes] = []
        size = 0
        while piece := answer.raw.read1(1 << 16, decode_content=True):
            pieces.append(piece)
            size += len(piece)
            if time.monotonic() > until:
                raise AskError("timeout", f"The answer was not whole after {self.deadline_s:g} s.")
            if size > MAX_BODY:
                raise AskError("bad_answer", f"The answer is longer than {MAX_BODY >> 20} MB.")
        return b"".join(pieces)

    def _json(self, data: bytes) -> Any:
        try:
            return jsontext.loads(data)
        except (ValueError, RecursionError):
            raise AskError("bad_answer", "The endpoint's answer is not whole JSON.") from None

    def _failure(self, status: int, after: str | None, text: str) -> AskError:
        reason = endpoint.status_reason(status, text)
        told = " ".join(self.clean(text[: 2 * TOLD]).split())[:TOLD] or "no text"
        return AskError(
            reason, f"Status {status}: {told}", lasting=reason in LASTING, retry_after=retry_after(after)
        )

    def clean(self, text: str) -> str:
        """Return text without the key and the endpoint's name, which it may have been sent back."""
        host = urlsplit(self.base_url).netloc
        text = text.replace(self.key, "[key]") if self.key else text
        return text.replace(host, "[endpoint]") if host else text
