"""What an agent left behind, as the judge sees it: read from the ledger and the stored artifacts alone.

The sandbox is gone by then, and a verdict that is asked for again, days later,
must be asked for with the same bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench import jsontext
from mmbench.bench.grading.base import CheckFailedToRun, Refused
from mmbench.bench.grading.clean import clean_text
from mmbench.bench.grading.reader import Reader
from mmbench.bench.judge.question import Image
from mmbench.errors import DataError
from mmbench.records import Line, capped

MAX_ANSWER, MAX_DOCUMENT, MAX_DOCUMENTS = 24_000, 12_000, 48_000
MAX_CHANGES, MAX_IMAGES, MAX_IMAGE = 300, 4, 2 << 20
SHOWN_AS_IMAGE = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_READ_AS = {".docx": "docx", ".pdf": "pdf"}


@dataclass(frozen=True, slots=True)
class Left:
    """One outcome, bounded and as text; the pictures apart."""

    answer: str
    ending: str
    """How the run ended, when it was not by itself and well."""
    changes: str
    artifacts: str
    images: tuple[Image, ...]
    asked: str = ""
    """What it asked the user of a clarification case, and the answer's fate."""

    @property
    def text(self) -> str:
        """Return all of it as it stands in a question."""
        parts = {
            "HOW THE RUN ENDED": self.ending,
            "QUESTION TO THE USER": self.asked,
            "FINAL ANSWER": self.answer,
            "CHANGES TO THE FOLDER": self.changes,
            "FILES THAT THE AGENT WROTE": self.artifacts,
        }
        return "\n\n".join(f"## {title}\n{text}" for title, text in parts.items() if text)


def of_trial(trial: Line, results: Path) -> Left:
    """Collect what a trial left; DataError when an artifact is not the one that was stored."""
    shown = _Artifacts(results)
    with_reader = "\n\n".join(shown.render(trial["artifacts"]))
    return Left(
        answer=_answer(trial),
        ending=_ending(trial),
        changes="\n".join(changes(trial["tree"])) or "Nothing was changed.",
        artifacts=with_reader,
        images=tuple(shown.images),
        asked=_asked(trial.get("clarification")),
    )


def _asked(exchange: Mapping[str, Any] | None) -> str:
    """Return the question as the judge sees it; nothing where there was nobody to ask."""
    if exchange is None:
        return ""
    if exchange["question"] is None:
        return "None was asked."
    fate = "It was answered." if exchange["answered_s"] is not None else "The run ended before the answer."
    return f"{clean_text(exchange['question']['text']).strip()}\n({fate})"


def _answer(trial: Line) -> str:
    text = clean_text(str(trial["outcome"]["final_text"]["text"])).strip()
    return str(capped(text, MAX_ANSWER)["text"]) or "(none)"


def _ending(trial: Line) -> str:
    failure = trial["failure"]
    if trial["status"] == "completed" or failure is None:
        return ""
    return str(capped(clean_text(f"{trial['status']}: {failure['kind']}: {failure['message']}"), 600)["text"])


def changes(tree: Mapping[str, Any]) -> Iterator[str]:
    """Yield the changes of a tree a line each, moves told as moves."""
    entries: Sequence[Mapping[str, Any]] = tree["changes"]
    moved = dict(_moves(entries))
    targets = set(moved.values())
    lines = [
        f"moved: {entry['path']} -> {moved[entry['path']]}" if entry["path"] in moved else _change(entry)
        for entry in entries
        if not (entry["change"] == "added" and entry["path"] in targets)
    ]
    yield from lines[:MAX_CHANGES]
    more = max(0, len(lines) - MAX_CHANGES) + tree["dropped"]
    if more:
        yield f"and {more} more changes"


def _moves(entries: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Pair what is gone with what came, by content; among equals in the order of their paths."""
    came: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries:
        if entry["change"] == "added" and entry["sha256"]:
            came[entry["sha256"]].append(entry["path"])
    for entry in entries:
        if entry["change"] == "deleted" and came.get(entry["sha256"] or ""):
            yield entry["path"], came[entry["sha256"]].pop(0)


def _change(entry: Mapping[str, Any]) -> str:
    kind = {"directory": "folder"}.get(entry["kind"], entry["kind"])
    size = f", {entry['size']:,} bytes" if kind == "file" and entry["change"] != "deleted" else ""
    return f"{entry['change']}: {entry['path']} ({kind}{size})"


class _Artifacts:
    """Render stored files one by one, within bounds for all of them together."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._room = MAX_DOCUMENTS
        self.images: list[Image] = []

    def render(self, entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
        """Yield one block of text for each file; pictures are collected."""
        for entry in entries:
            yield f"### {entry['path']} ({entry['size']:,} bytes)\n{self._body(entry)}"

    def _body(self, entry: Mapping[str, Any]) -> str:
        if entry["stored"] is None:
            return f"(not kept: {entry['refused'] or 'it could not be read'})"
        path = stored_file(self._results, entry)
        data = path.read_bytes()
        if entry["media_type"] in SHOWN_AS_IMAGE:
            return self._picture(entry, data)
        text = self._text(path, str(entry["path"]), data)
        if text is None:
            return f"({entry['media_type']}, its content cannot be shown as text)"
        limit = min(MAX_DOCUMENT, self._room)
        if limit < 200:
            return "(left out: there is more than can be shown)"
        shown = str(capped(text, limit)["text"])
        self._room -= len(shown)
        return shown

    def _picture(self, entry: Mapping[str, Any], data: bytes) -> str:
        if len(self.images) >= MAX_IMAGES or len(data) > MAX_IMAGE:
            return "(a picture, left out: there is more than can be shown)"
        label = f"picture {len(self.images) + 1}"
        self.images.append(Image(label, str(entry["media_type"]), data))
        return f"(see {label})"

    def _text(self, path: Path, name: str, data: bytes) -> str | None:
        operation = next((read for end, read in _READ_AS.items() if name.lower().endswith(end)), None)
        if operation is not None:
            return _extract(operation, path, name)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None
        return None if "\0" in text else clean_text(text)


def _extract(operation: str, path: Path, name: str) -> str:
    reader = Reader()
    try:
        pages: list[str] = reader.ask(operation, name, path=str(path))["pages"]
    except (Refused, CheckFailedToRun) as fault:
        return f"(it cannot be read: {fault})"
    finally:
        reader.close()
    return clean_text("\n\n".join(pages))


def stored_file(results: Path, entry: Mapping[str, Any]) -> Path:
    """Return where an artifact is kept; DataError when it is gone, or not what was stored."""
    path = (results / str(entry["stored"])).resolve()
    inside = path.is_relative_to((results / "artifacts").resolve())
    if (
        not inside
        or not path.is_file()
        or (entry["sha256"] not in (None, jsontext.sha256(path.read_bytes())))
    ):
        raise DataError(
            f"The stored artifact {entry['stored']} is not there as it was.",
            where=str(entry["stored"]),
            fix="Restore the file from git; a verdict is asked for with the very bytes that were stored.",
        )
    return path
