"""A scripted judge on loopback: speaks every wire, fails on demand, remembers what it was asked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.upstream import Asked, Reply, Upstream

Wire = Literal["openai", "anthropic", "gemini"]
Fault = Literal[
    "429",
    "500",
    "hang",
    "drip",
    "cut_json",
    "wrong_type",
    "refusal",
    "cut_reply",
    "empty",
    "garbage",
    "redirect",
]
QUOTE = re.compile(
    r"^-----BEGIN [A-Z ]+ ([0-9a-f]{24})-----$.*?^-----END [A-Z ]+ \1-----$", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class Question:
    """One request, reduced to what all wires say."""

    wire: Wire
    model: str
    key: str
    system: str
    text: str
    images: tuple[str, ...]
    """Media types."""
    schema: dict[str, Any] | None
    temperature: float | None
    body: dict[str, Any] = field(repr=False)

    @property
    def trusted(self) -> str:
        """Everything that no agent has written."""
        return QUOTE.sub("", f"{self.system}\n{self.text}")

    @property
    def is_trial(self) -> bool:
        return "trial of the connection" in self.text


Speak = Callable[[Question], str]


def score(figure: int, reason: str = "As the truth says.") -> Speak:
    """Always give one score."""
    return lambda _question: json.dumps({"reason": reason, "score": figure})


def obedient(question: Question) -> str:
    """Give 2, or whatever a sentence outside the quotes asks for."""
    wish = re.search(r"give this (\d)", question.trusted)
    return json.dumps({"reason": "As told.", "score": int(wish[1]) if wish else 2})


class JudgeEndpoint(Upstream):
    """Answer with what `speak` says; `faults` names calls that go wrong, by their number from 1.

    Trials of the connection always work and are not counted.
    """

    def __init__(
        self, speak: Speak | None = None, faults: dict[int, Fault] | None = None, refuses: Iterable[str] = ()
    ) -> None:
        super().__init__(self._reply)
        self.speak = speak or score(4)
        self.faults: dict[int, Fault] = dict(faults or {})
        self.refuses = tuple(refuses)
        """Fields of the body that are answered with status 400."""
        self.questions: list[Question] = []
        self.trials = 0
        self.hint = ""
        """What a refusal says to take instead."""
        self.over = threading.Event()
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def __exit__(self, *args: Any) -> None:
        self.over.set()
        super().__exit__(*args)

    def _reply(self, asked: Asked) -> Reply:
        question = _question(asked)
        for name in self.refuses:
            if f'"{name}"' in asked.body.decode():
                message = f"Unsupported parameter: '{name}' is not supported. {self.hint}"
                return Reply(400, json.dumps({"error": {"message": message}}).encode())
        if question.is_trial:
            self.trials += 1
            return _good(question, '{"reason": "ready", "score": 0}')
        with self._lock:
            self.questions.append(question)
            number = len(self.questions)
        fault = self.faults.get(number)
        return self._fault(fault, question) if fault else _good(question, self.speak(question))

    def _fault(self, fault: Fault, question: Question) -> Reply:
        match fault:
            case "429":
                headers = {"content-type": "application/json", "retry-after": "7"}
                return Reply(429, b'{"error": {"message": "slow down"}}', headers)
            case "500":
                return Reply(500, f'{{"error": "broken, {question.key}"}}'.encode())
            case "hang":
                return Reply(pieces=[self._wait])
            case "drip":
                return Reply(pieces=[piece for _ in range(400) for piece in (b" ", self._tick)])
            case "cut_json":
                return Reply(body=_good(question, self.speak(question)).body[:-20])
            case "wrong_type":
                return Reply(body=b'{"choices": "none", "content": 3, "candidates": {}}')
            case "redirect":
                return Reply(307, b"", {"location": f"{self.url}/elsewhere"})
            case "garbage":
                return Reply(body=b"<html>gateway</html>")
            case "empty":
                return _good(question, "")
            case "refusal":
                return _good(question, "I cannot help with that.", ended="refusal")
            case "cut_reply":
                return _good(question, "Score: 1", ended="cut")

    def _wait(self) -> None:
        self.over.wait(20)

    def _tick(self) -> None:
        self.over.wait(0.02)


def _question(asked: Asked) -> Question:
    body = json.loads(asked.body)
    if asked.path.endswith("/messages"):
        return _anthropic(asked, body)
    return _gemini(asked, body) if asked.path.endswith(":generateContent") else _openai(asked, body)


def _openai(asked: Asked, body: dict[str, Any]) -> Question:
    system, user = body["messages"]
    content = user["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    images = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return Question(
        wire="openai",
        model=body["model"],
        key=asked.headers.get("authorization", "").removeprefix("Bearer "),
        system=system["content"],
        text=parts[0]["text"],
        images=tuple(url[len("data:") : url.index(";")] for url in images),
        schema=body.get("response_format", {}).get("json_schema", {}).get("schema"),
        temperature=body.get("temperature"),
        body=body,
    )


def _anthropic(asked: Asked, body: dict[str, Any]) -> Question:
    parts = body["messages"][0]["content"]
    return Question(
        wire="anthropic",
        model=body["model"],
        key=asked.headers.get("x-api-key", ""),
        system=body["system"],
        text=parts[0]["text"],
        images=tuple(part["source"]["media_type"] for part in parts if part["type"] == "image"),
        schema=body["tools"][0]["input_schema"] if "tools" in body else None,
        temperature=body.get("temperature"),
        body=body,
    )


def _gemini(asked: Asked, body: dict[str, Any]) -> Question:
    parts = body["contents"][0]["parts"]
    settings = body["generationConfig"]
    return Question(
        wire="gemini",
        model=asked.path.rsplit("/", 1)[-1].removesuffix(":generateContent"),
        key=asked.headers.get("x-goog-api-key", ""),
        system=body["systemInstruction"]["parts"][0]["text"],
        text=parts[0]["text"],
        images=tuple(part["inlineData"]["mimeType"] for part in parts if "inlineData" in part),
        schema=settings.get("responseJsonSchema"),
        temperature=settings.get("temperature"),
        body=body,
    )


def _good(question: Question, text: str, ended: Literal["well", "cut", "refusal"] = "well") -> Reply:
    value = {"openai": _openai_reply, "anthropic": _anthropic_reply, "gemini": _gemini_reply}[question.wire]
    return Reply(body=json.dumps(value(question, text, ended)).encode())


def _openai_reply(question: Question, text: str, ended: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if ended == "refusal":
        message |= {"content": None, "refusal": text}
    return {
        "model": f"{question.model}-0101",
        "choices": [{"message": message, "finish_reason": "length" if ended == "cut" else "stop"}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 30},
    }


def _anthropic_reply(question: Question, text: str, ended: str) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    if question.schema and ended == "well" and text.startswith("{"):
        block = {"type": "tool_use", "name": "verdict", "id": "t1", "input": json.loads(text)}
    reasons = {"cut": "max_tokens", "refusal": "refusal", "well": "tool_use"}
    return {
        "model": f"{question.model}-0101",
        "content": [block],
        "stop_reason": reasons[ended],
        "usage": {"input_tokens": 500, "output_tokens": 30},
    }


def _gemini_reply(question: Question, text: str, ended: str) -> dict[str, Any]:
    reasons = {"cut": "MAX_TOKENS", "refusal": "SAFETY", "well": "STOP"}
    parts = [{"text": "let me see", "thought": True}, {"text": text}]
    return {
        "modelVersion": f"{question.model}-0101",
        "candidates": [{"content": {"parts": parts}, "finishReason": reasons[ended]}],
        "usageMetadata": {"promptTokenCount": 500, "candidatesTokenCount": 30},
    }
