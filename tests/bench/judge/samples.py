"""A case, an outcome and a judge for the tests of judging."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from mmbench import jsontext
from mmbench.bench.judge.config import Config, Mode
from mmbench.bench.judge.panel import Judge
from mmbench.bench.judge.retry import Patience
from mmbench.case import Case
from mmbench.records import TrialKey
from tests.support import sessions
from tests.support.judge_endpoint import JudgeEndpoint
from tests.support.tiny import CASE

KEY = TrialKey("word-0", "with_mm", 1)
SECRET = "sk-judge-secret-1234"


def case(**changes: Any) -> Case:
    return Case({"id": "word-0", **CASE, **changes}, "samples")


def trial(text: str = "heron", **changes: Any) -> dict[str, Any]:
    return sessions.trial(KEY, text=text) | changes


def checks(share: float = 0.8) -> dict[str, Any]:
    return sessions.checks(KEY, score=share, judged=True)


def artifact(results: Path, path: str, data: bytes, media_type: str) -> dict[str, Any]:
    """Store a file as a session does and return its entry in the trial line."""
    stored = f"artifacts/s1/{jsontext.sha256(data)[:16]}-{Path(path).name}"
    (results / stored).parent.mkdir(parents=True, exist_ok=True)
    (results / stored).write_bytes(data)
    return {
        "path": path,
        "size": len(data),
        "sha256": jsontext.sha256(data),
        "media_type": media_type,
        "stored": stored,
        "refused": None,
    }


def change(
    path: str, change: str = "added", *, kind: str = "file", size: int = 5, sha: str | None = None
) -> dict[str, Any]:
    return {"path": path, "change": change, "kind": kind, "size": size, "sha256": sha}


def tree(*changes: dict[str, Any], dropped: int = 0) -> dict[str, Any]:
    return {"files": 1, "bytes": 5, "digest": None, "changes": list(changes), "dropped": dropped}


def judge(
    endpoint: JudgeEndpoint, mode: Mode = "score", models: tuple[str, ...] = ("m",), wire: str = "openai"
) -> Judge:
    """Return a judge at a scripted endpoint that waits for nothing."""
    made = Judge.of(Config(mode, models, wire, endpoint.base_url, SECRET))
    return Judge(made.config, made.clients, Patience(), random.Random(1))


class Waits:
    """A sleep that takes no time and remembers how long it would have taken."""

    def __init__(self, stop_at: int = 0) -> None:
        self.seconds: list[float] = []
        self._stop_at = stop_at

    def __call__(self, seconds: float) -> bool:
        self.seconds.append(seconds)
        return len(self.seconds) == self._stop_at
