"""Which secrets a session knows: keys of its endpoints, of the environment, and of the user's credential files."""

from __future__ import annotations

import getpass
import json
import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mmbench.bench.redact import SHORTEST, Redactor

SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT|COOKIE)$|SECRET|PASSWORD|API_?KEY|^AWS_",
    re.IGNORECASE,
)
OPEN_NAME = re.compile(
    r"^AWS_(?:(?:DEFAULT_)?REGION|PROFILE|DEFAULT_OUTPUT|PAGER|SDK_LOAD_CONFIG|EXECUTION_ENV)$", re.IGNORECASE
)
"""Names that look like those of secrets and are settings."""
SECRET_FIELD = re.compile(r"key|token|secret|pass|auth|cred|cookie|account|e-?mail|verifier", re.IGNORECASE)
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]+[A-Za-z]")
_TOKEN = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[^\s\"'=:,;{}]{20,}")
MAX_FILE = 1 << 20


def from_environment(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the values of variables that are named like secrets, and passwords in URLs."""
    for name, value in environment.items():
        if len(value) >= SHORTEST and SECRET_NAME.search(name) and not OPEN_NAME.match(name):
            yield value
        if "://" in value and "@" in value:
            yield from _password(value)


def _password(url: str) -> Iterator[str]:
    try:
        password = urlsplit(url).password
    except ValueError:
        return
    if password:
        yield password


def from_file(path: Path) -> Iterator[str]:
    """Yield what is secret in a credential file: JSON fields by their names, else every token-like word."""
    try:
        if path.stat().st_size > MAX_FILE:
            return
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return  # a file that is not there is not copied into the sandbox either
    yield from _EMAIL.findall(text)
    try:
        yield from _fields(json.loads(text), "")
    except (ValueError, RecursionError):
        yield from _TOKEN.findall(text)


def _fields(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, str):
        if SECRET_FIELD.search(name):
            yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _fields(item, str(key))
    elif isinstance(value, list):
        for item in value:
            yield from _fields(item, name)


def redactor(
    keys: Iterable[str],
    environment: Mapping[str, str],
    files: Iterable[str],
    *,
    home: Path,
    folders: Mapping[str, str] | None = None,
) -> Redactor:
    """Return the redactor of a session: its endpoints' keys, the environment, credential files below home."""
    secrets = {*keys, *from_environment(environment)}
    for name in files:
        secrets.update(from_file(home / name))
    return Redactor.of(
        secrets, home=str(home), host=socket.gethostname(), user=_user(environment), folders=folders
    )


def _user(environment: Mapping[str, str]) -> str:
    named = environment.get("USER") or environment.get("LOGNAME")
    if named:
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())  # a container's user may have no name; a number is no name either
