"""The user of a clarification case: hears one question through a file, and answers it through another.

The agent writes its question into its working directory. Once that file is
whole, the scripted answer appears beside it, once and whatever was asked. The
agent owns the folder and may plant anything there: everything is reached by
the folder's descriptor, nothing follows a link or blocks, and the answer takes
the place of what stands there. Both files are gone before anybody looks at the
tree: what was said is in the record.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench.bench import tree
from mmbench.bench.grading.base import Asked
from mmbench.bench.tree import Mark
from mmbench.case import Case
from mmbench.records import capped

POLL_S = 0.1
SETTLE_S = 0.5
"""How long a question must stay as it is to be whole: not every writer renames it into place."""
QUESTION_LIMIT = 8 << 10
"""Bytes; nobody reads a longer question, and the record holds every question in full."""


@dataclass(frozen=True, slots=True)
class Channel:
    """The two files of a case, named as they lie in the working directory, and what is answered."""

    question: str
    answer: str
    text: str

    @classmethod
    def of(cls, case: Case) -> Channel | None:
        """Return a case's channel, None where there is nobody to ask."""
        told = case.clarification
        return None if told is None else cls(told["question_file"], told["answer_file"], told["answer"])


@dataclass(slots=True)
class Exchange:
    """What was said; seconds count from the agent's start."""

    question: str | None = None
    asked_s: float | None = None
    changed_before: int | None = None
    """Entries of the tree that were not as at the start when the question came."""
    answered_s: float | None = None
    """None when the run was over before, or the answer could not be written."""
    refused: str | None = None
    """Why what lay in the question's place was not read, or the answer not written."""

    def record(self) -> dict[str, Any]:
        """Return the exchange as a trial's record holds it."""
        return {
            "question": None if self.question is None else capped(self.question, QUESTION_LIMIT),
            "asked_s": self.asked_s,
            "changed_before": self.changed_before,
            "answered_s": self.answered_s,
            "refused": self.refused,
        }


def asked(case: Case, recorded: Mapping[str, Any] | None) -> Asked | None:
    """Return what the checks of a case may know of the question; None where there is nobody to ask."""
    if case.clarification is None:
        return None
    question = None if recorded is None else recorded["question"]
    points = tuple((one,) if isinstance(one, str) else tuple(one) for one in case.clarification["must_ask"])
    if recorded is None or question is None:
        return Asked(None, 0, points)
    return Asked(str(question["text"]), int(recorded["changed_before"]), points)


def faults(case: Case, source: Path) -> Iterator[str]:
    """Yield what keeps the channel of a case from working; `source` is the tree that it starts from."""
    channel = Channel.of(case)
    if channel is None:
        return
    if channel.question == channel.answer:
        yield "question and answer are one file"
    for name in (channel.question, channel.answer):
        if name not in case.prompt:
            yield f"the prompt does not name {name}"
        if os.path.lexists(source / name):
            yield f"{name} is a file of the dataset already"
    if channel.text.strip() in case.prompt:
        yield "the prompt holds the user's answer"


@contextlib.contextmanager
def attended(case: Case, work: Path, before: Mapping[str, Mark]) -> Iterator[Exchange | None]:
    """Let the user of a case attend to a folder while an agent works in it; None where there is none.

    `before` are the marks of the folder at the start. OSError when an answer cannot be
    written for a reason that is not the agent's.
    """
    channel = Channel.of(case)
    if channel is None:
        yield None
        return
    user = _User(channel, work, before)
    try:
        yield user.exchange
    finally:
        user.leave()
    user.require()


class _User:
    """Who attends to one folder; the exchange is final once it has left."""

    def __init__(self, channel: Channel, work: Path, before: Mapping[str, Mark]) -> None:
        self.exchange = Exchange()
        self._channel, self._work, self._before = channel, work, before
        self._folder = os.open(work, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        self._start = time.monotonic()
        self._first: tuple[float, int] | None = None
        self._seen, self._since = (0, 0, 0), 0.0
        self._error: OSError | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._attend, name="user", daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Hear what was asked at the very end, and take both files away; no process of the agent is alive."""
        self._over.set()
        self._thread.join()
        try:
            if self.exchange.question is None:
                self._hear(over=True)
            for name in (self._channel.question, self._channel.answer):
                self._clear(name)
        finally:
            os.close(self._folder)

    def require(self) -> None:
        """Raise what went wrong while attending."""
        if self._error is not None:
            raise self._error

    def _attend(self) -> None:
        try:
            while not self._over.wait(POLL_S):
                if self._hear():
                    self._reply()
                    return
        except OSError as error:
            self._error = error

    def _hear(self, *, over: bool = False) -> bool:
        """Take the question when it is there and whole; tell whether it is."""
        status = self._status(self._channel.question)
        if status is None:
            return False
        self.exchange.refused = _refusal(status)
        if self.exchange.refused is not None or status.st_size == 0:
            return False
        if self._first is None:
            self._first = (self._elapsed(), self._changed())
        if not over and not self._is_still(status):
            return False
        text = self._read(status)
        if not text.strip():
            return False
        self.exchange.question = text
        self.exchange.asked_s, self.exchange.changed_before = self._first
        return True

    def _status(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self._folder, follow_symlinks=False)
        except OSError:
            return None

    def _is_still(self, status: os.stat_result) -> bool:
        now, seen = time.monotonic(), (status.st_ino, status.st_size, status.st_mtime_ns)
        if seen != self._seen:
            self._seen, self._since = seen, now
        return now - self._since >= SETTLE_S

    def _read(self, status: os.stat_result) -> str:
        """Read the very file that was looked at; nothing when it is another one by now."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            descriptor = os.open(self._channel.question, flags, dir_fd=self._folder)
        except OSError as error:
            self.exchange.refused = f"it cannot be read: {error.strerror}"
            return ""
        try:
            now = os.fstat(descriptor)
            same = (now.st_ino, now.st_dev, now.st_size) == (status.st_ino, status.st_dev, status.st_size)
            return os.read(descriptor, QUESTION_LIMIT).decode("utf-8", "replace") if same else ""
        finally:
            os.close(descriptor)

    def _reply(self) -> None:
        """Put the whole answer in its place at once: a rename replaces a planted link and follows none."""
        draft = self._work.parent / f".{self._channel.answer}.part"
        draft.write_text(f"{self._channel.text.strip()}\n", encoding="utf-8")
        draft.chmod(0o644)
        try:
            os.rename(draft, self._channel.answer, dst_dir_fd=self._folder)
        except (IsADirectoryError, PermissionError) as error:
            draft.unlink()
            self.exchange.refused = f"the answer cannot be written: {error.strerror}"
            return
        self.exchange.answered_s = self._elapsed()

    def _changed(self) -> int:
        """Count what is not as it was, both files of the channel aside."""
        now = tree.marks(self._work)
        own = {self._channel.question, self._channel.answer}
        return len(tree.touched(self._before, now) - own)

    def _clear(self, name: str) -> None:
        """Take a file of the channel away; what is no file there counts like any other change."""
        status = self._status(name)
        if status is not None and stat.S_ISREG(status.st_mode):
            # An agent that closed its folder keeps the file, as a change of its own making.
            with contextlib.suppress(PermissionError):
                os.unlink(name, dir_fd=self._folder)

    def _elapsed(self) -> float:
        return round(time.monotonic() - self._start, 3)


def _refusal(status: os.stat_result) -> str | None:
    """Return why something is not read as a question."""
    kind = tree.kind_of(status.st_mode)
    if kind != "file":
        return "it is a pipe, socket or device" if kind == "other" else f"it is a {kind}"
    if status.st_nlink > 1:
        return "it is a second name of another file"
    if status.st_size > QUESTION_LIMIT:
        return f"it has {status.st_size:,} bytes, over the limit of {QUESTION_LIMIT:,}"
    return None
