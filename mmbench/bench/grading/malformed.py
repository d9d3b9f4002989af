"""The one way to say that a file is at fault, kept apart from faults of the grader."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Malformed(Exception):  # noqa: N818 (says what the file is)
    """A file cannot be read as what it should be; the text says why, with "it" for the file."""


@contextmanager
def parsing(what: str = "it cannot be parsed") -> Iterator[None]:
    """Take whatever a parser library raises on hostile bytes as the file's fault.

    Put nothing but the library's calls inside. A missing library is not the file's fault.
    """
    try:
        yield
    except (Malformed, ImportError):
        raise
    except MemoryError as error:
        raise Malformed("it needs too much memory to be read") from error
    except Exception as error:
        raise Malformed(f"{what} ({type(error).__name__}: {str(error)[:200]})") from error
