"""The parser process: reads one request a line, does it under limits, answers one line.

An operation is a function of JSON arguments to a JSON value. Malformed says
that the file is at fault; any other exception, that the operation is.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from mmbench.bench.grading.malformed import Malformed
from mmbench.bench.grading.reader import MEMORY_BYTES

OPERATIONS = {
    "document": "mmbench.bench.grading.tables:document",
    "image": "mmbench.bench.grading.pixels:image",
    "exif": "mmbench.bench.grading.pixels:exif",
    "audio": "mmbench.bench.grading.sound:audio",
    "video": "mmbench.bench.grading.film:video",
    "pdf": "mmbench.bench.grading.papers:pdf",
    "docx": "mmbench.bench.grading.papers:docx",
}


def main() -> None:
    """Serve requests from standard input until it ends."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # libraries print; the channel must stay clean
        os.dup2(silence, descriptor)
    _limit()
    for line in requests:
        replies.write(json.dumps(answer(json.loads(line)), allow_nan=False).encode() + b"\n")
        replies.flush()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Do one request and return the reply: a value, what is malformed, or an error."""
    _allow(request["cpu_seconds"])
    try:
        return {"value": _operation(request["operation"])(**request["arguments"])}
    except Malformed as fault:
        return {"malformed": str(fault).rstrip(".")}
    except MemoryError:
        return {"malformed": "it needs too much memory to be read"}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _operation(name: str) -> Callable[..., Any]:
    module, _, function = OPERATIONS[name].partition(":")
    operation: Callable[..., Any] = getattr(import_module(module), function)
    return operation


def _limit() -> None:
    sys.setrecursionlimit(5000)
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS refuses some
            resource.setrlimit(kind, (most, most))


def _allow(seconds: int) -> None:
    """Let the process use so much more processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds, most))
