"""What a case must not give away: its answer in the prompt, a tool by name, or points for using mm."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from mmbench.case import Case

TOOLS = re.compile(r"\b(?:mm|peek|wc|sql|grep|cat|ffmpeg|ffprobe|exiftool|whisper|tesseract|python)\b")
"""Words of a prompt that would point at one tool rather than at the task."""
TRACES = re.compile(r"\bmm (?:find|peek|wc|sql|grep|cat)\b|\bmm\.(?:db|toml)\b|\bmm[-_]ctx\b|\.config/mm\b")
"""What only an arm with mm can have left or said."""
PATHS = ("path", "same_as", "glob", "folder", "root")


def prompt_leaks(case: Case) -> Iterator[str]:
    """Yield what the prompt gives away."""
    if found := TOOLS.search(case.prompt):
        yield f"the prompt names a tool: {found[0]}"
    canary = str(case.document.get("canary", ""))
    if not canary:
        yield "the case has no canary"
    elif canary in case.prompt:
        yield "the canary is in the prompt"
    for text in answers(case):
        if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", case.prompt):
            yield f"the prompt holds an answer: {text}"


def answers(case: Case) -> Iterator[str]:
    """Yield the texts that checks of the answer look for."""
    for check in case.checks:
        yield from of_check(check)


def of_check(check: dict[str, Any]) -> Iterator[str]:
    """Yield the texts that one check of the answer looks for."""
    if check["kind"] == "names_file":
        yield from [check["path"]] if isinstance(check["path"], str) else check["path"]
    elif check["kind"] == "contains_number":
        yield str(check["value"])
    elif check["kind"] == "contains_text":
        yield from check.get("all_of", check.get("any_of", [check.get("value")]))


def dependence_on_mm(case: Case) -> Iterator[str]:
    """Yield the checks that only an arm with mm could pass: those that look for its traces or out of the tree."""
    for check in case.checks:
        if found := TRACES.search(json.dumps(check, ensure_ascii=False)):
            yield f"{check['kind']} looks for a trace of mm: {found[0]}"
        for name in PATHS:
            if isinstance(path := check.get(name), str) and _leaves(path):
                yield f"{check['kind']} looks out of the tree: {path}"
    if found := TRACES.search(str(case.document.get("validator", ""))):
        yield f"the validator looks for a trace of mm: {found[0]}"


def _leaves(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.is_absolute() or ".." in pure.parts
