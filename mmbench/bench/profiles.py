"""Profiles: which model behind which endpoint mm works with.

Named profiles are resolved by mm itself, on a copy of the user's mm.toml in a throwaway
home: so what mm ships is there even if it was never configured, what mm overrules is
overruled, and the user's file is only ever read.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from mmbench.errors import DataError, PrerequisiteError, UsageError, unknown
from mmbench.layout import is_name

Kind = Literal["named", "builtin", "adhoc", "local"]

LOCAL = "local"
ADHOC = "adhoc"
_MM_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible API: its base URL and its key, which is never shown."""

    base_url: str
    api_key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Profile:
    """What mm is to talk to. The key may be empty; `transcription` is set when speech goes elsewhere."""

    name: str
    kind: Kind
    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    transcription: Endpoint | None = None


def local(base_url: str = "", api_key: str = "local", model: str = "mmbench-local") -> Profile:
    """Return the embedded profile; its base URL and its key are known once its server runs."""
    return Profile(LOCAL, "local", base_url, model, api_key)


def adhoc(model: str | None, base_url: str | None, api_key: str | None, name: str = ADHOC) -> Profile:
    """Make a profile from the three flags; raise UsageError that names what is missing."""
    given = {"--profile.model": model, "--profile.base-url": base_url, "--profile.api-key": api_key}
    if missing := [flag for flag, value in given.items() if not (value or "").strip()]:
        raise UsageError(
            f"An ad hoc profile needs {' and '.join(missing)} too.",
            fix="Give --profile.model, --profile.base-url and --profile.api-key together.",
        )
    if name == LOCAL or not is_name(name):
        raise UsageError(f"'{name}' cannot be the name of an ad hoc profile.", fix="Leave it out.")
    where = "the profile flags"
    endpoint = _endpoint(base_url or "", api_key or "", where)
    return Profile(name, "adhoc", endpoint.base_url, _clean(model or "", "model", where), endpoint.api_key)


def resolve(
    name: str | None,
    *,
    mm: Path,
    home: Path | None = None,
    model: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
) -> Profile:
    """Find a profile: `local`, one made of flags, or one that mm knows by this name.

    `mm` is the executable, `home` the user's home folder. Raise UsageError for unknown
    names and incomplete flags, DataError for a broken mm.toml.
    """
    if any(value is not None for value in (model, base_url, api_key)):
        return adhoc(model, base_url, api_key, name or ADHOC)
    if name is None or name == LOCAL:
        return local()
    path = user_config(home or Path.home())
    text = path.read_text(encoding="utf-8", errors="replace") if path else ""
    own, data = _parse(text, path), tomllib.loads(_normalised(mm, text))
    sections: dict[str, Any] = data.get("profile", {})
    # Sessions are named in lower case, and so is the command that makes one again.
    name = name if name in sections else next((known for known in sections if known.lower() == name), name)
    if name not in sections:
        raise unknown(
            "profile", name, [*sections, LOCAL], fix="Your own are listed by: .mmbench/mm/bin/mm profile list"
        )
    kind: Kind = "named" if name in own.get("profile", {}) else "builtin"
    return _profile(name, kind, data, str(path) if path else "mm's own profiles")


def user_config(home: Path) -> Path | None:
    """Return the mm.toml of a home folder, or None; the older place counts only without the newer."""
    places = (home / ".config" / "mm" / "mm.toml", home / ".mm" / "config.toml")
    return next((path for path in places if path.is_file()), None)


def _parse(text: str, path: Path | None) -> dict[str, Any]:
    """Read the user's file; mm itself takes a broken one for an empty one, without a word."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(
            f"mm.toml is not valid TOML: {error}.", where=str(path), fix="Correct the file."
        ) from None


def _normalised(mm: Path, text: str) -> str:
    """Let mm complete a copy of the user's file in a throwaway home and return the result."""
    with tempfile.TemporaryDirectory(prefix="mmbench-profiles-") as folder:
        target = Path(folder) / ".config" / "mm" / "mm.toml"
        target.parent.mkdir(parents=True, mode=0o700)
        if text:
            target.write_text(text, encoding="utf-8")
            target.chmod(0o600)
        fault = _run(mm, Path(folder))
        if fault or not target.is_file():
            raise PrerequisiteError(
                f"mm does not list its profiles: {fault or 'it wrote no mm.toml'}.",
                where=str(mm),
                fix="Install mm again with: nox -s check",
            )
        return target.read_text(encoding="utf-8")


def _run(mm: Path, home: Path) -> str:
    env = {"HOME": str(home), "PATH": os.defpath, "MM_CONFIG_DIR": str(home / ".config" / "mm")}
    try:
        done = subprocess.run(
            [str(mm), "profile", "list", "--format", "json"],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_MM_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    return f"exit code {done.returncode}" if done.returncode else ""


def _profile(name: str, kind: Kind, data: Mapping[str, Any], where: str) -> Profile:
    section = data["profile"][name]
    if not isinstance(section, Mapping):
        raise DataError(f"The profile '{name}' is not a table.", where=where)
    # A field that is left out is taken from mm's gateway, by mm and so here.
    full = {**data["profile"].get("gateway", {}), **section}
    endpoint = _endpoint(str(full.get("base_url", "")), str(full.get("api_key", "")), where)
    model = _clean(str(full.get("model", "")), "model", where)
    if not is_name(name.lower()):
        raise UsageError(
            f"The profile '{name}' cannot be part of a session's name.",
            where=where,
            fix="Rename it to letters, digits, '.', '_' and '-'.",
        )
    transcription = _transcription(data, where)
    return Profile(name.lower(), kind, endpoint.base_url, model, endpoint.api_key, transcription)


def _transcription(data: Mapping[str, Any], where: str) -> Endpoint | None:
    """Return the endpoint of a [transcription] section; mm ignores one without a base URL."""
    section = data.get("transcription")
    if not isinstance(section, Mapping) or not section.get("base_url"):
        return None
    return _endpoint(str(section["base_url"]), str(section.get("api_key", "")), where)


def _endpoint(base_url: str, api_key: str, where: str) -> Endpoint:
    url = _clean(base_url, "base URL", where).rstrip("/")
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid or parts.username is not None or parts.query or parts.fragment:
        raise UsageError(
            "A base URL is http:// or https://, a host and a path, without user, password or query.",
            where=where,
            fix="For example: https://api.example.com/v1",
        )
    return Endpoint(url, _clean(api_key, "key", where))


def _clean(value: str, what: str, where: str) -> str:
    """Strip a value (a key read from a file ends with a newline) and refuse what no header can hold."""
    value = value.strip()
    fits = value.isprintable() if what == "model" else all(33 <= ord(char) <= 126 for char in value)
    if not fits:
        raise UsageError(f"The {what} of a profile contains a blank, a line break or the like.", where=where)
    return value
