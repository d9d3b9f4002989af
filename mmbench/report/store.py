"""What earlier builds worked out, in a folder that may be deleted at any time.

An entry is read again only when nothing it depends on has changed and none of
its bytes has: its first line holds a hash over its name, the fingerprint of
what made it, and its content. Anything else counts as not there, so a damaged
or an older folder costs time and never changes a site.
"""

from __future__ import annotations

import hashlib
import os
import platform
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import mmbench
from mmbench.errors import PrerequisiteError

_PACKAGES = ("altair", "jinja2", "markupsafe", "msgspec", "polars", "vl-convert-python")
_FORM = b"mmbench-cache 1 "


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Return the fingerprint of everything that figures follow from besides results: our code, its packages.

    Taken once: a process goes on with the code that it began with.
    """
    root = Path(mmbench.__file__).parent
    made = hashlib.sha256(platform.python_version().encode())
    for path in sorted(path for path in root.rglob("*.py") if path.relative_to(root).parts[0] != "bench"):
        data = path.read_bytes()
        made.update(f"\n{path.relative_to(root)} {len(data)}\n".encode() + data)
    for name in _PACKAGES:
        made.update(f"\n{name} {version(name)}".encode())
    return made.hexdigest()


class Store:
    """Entries by name; without a folder it holds nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def read(self, name: str, fingerprint: str) -> bytes | None:
        """Return an entry that was written under the same fingerprint and is whole, else None."""
        if self._folder is None:
            return None
        try:
            data = (self._folder / name).read_bytes()
        except OSError:
            return None
        head, end, body = data.partition(b"\n")
        return body if end and head == _head(name, fingerprint, body) else None

    def write(self, name: str, fingerprint: str, body: bytes) -> None:
        """Keep an entry in the place of an older one."""
        if self._folder is None:
            return
        path = self._folder / name
        part = path.with_name(f"{path.name}.{os.getpid()}.part")  # two builds may share a cache
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as stream:
                stream.writelines((_head(name, fingerprint, body), b"\n", body))
            part.replace(path)
        except OSError as error:
            raise PrerequisiteError(
                f"The cache cannot be written: {error.strerror}.",
                where=name,
                fix="Free space, or delete the cache (.mmbench/report); it can always be made again.",
            ) from error


def _head(name: str, fingerprint: str, body: bytes) -> bytes:
    made = hashlib.sha256(f"{name}\n{fingerprint}\n".encode())
    made.update(body)
    return _FORM + made.hexdigest().encode()
