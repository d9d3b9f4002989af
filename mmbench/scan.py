"""Look for keys in what would be published, with detect-secrets and the key forms of model providers.

The last gate, behind redaction: it knows no secret of anybody's and goes by the
form of known keys. Guessing by entropy is left out, because records are full of
hashes. A finding names file and line and never the text itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mmbench import jsontext
from mmbench.errors import DataError, PrerequisiteError

PLUGINS = (
    "aws", "azure_storage_key", "basic_auth", "discord", "github_token", "gitlab_token", "jwt", "npm", "openai",
    "private_key", "pypi_token", "sendgrid", "slack", "square_oauth", "stripe", "telegram_token", "twilio",
)  # fmt: skip
"""Modules of detect-secrets whose detectors know a form.

Left out are those that guess, and those that look for a vendor's name beside a
hexadecimal word: in records full of hashes they are slow and mostly wrong.
"""

PROVIDERS = {
    "Anthropic key": re.compile(r"sk-ant-[A-Za-z0-9]+-[A-Za-z0-9_-]{20,}"),
    "OpenRouter key": re.compile(r"sk-or-v1-[0-9a-f]{32,}"),
    "OpenAI project key": re.compile(r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}"),
    "Google API key": re.compile(r"AIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])"),
    "Google OAuth token": re.compile(r"ya29\.[0-9A-Za-z_-]{20,}"),
    "Hugging Face token": re.compile(r"hf_[A-Za-z0-9]{34}\b"),
    "Groq key": re.compile(r"gsk_[A-Za-z0-9]{40,}"),
    "xAI key": re.compile(r"xai-[A-Za-z0-9]{40,}"),
}
ALLOWED = "scan-allowed.txt"
"""File in the results folder with the marks of findings that somebody looked at, one a line."""
_Detector = tuple[str, Callable[[str], Iterable[str]]]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that looks like a key: where, of what kind, and a mark that tells it from others."""

    file: str
    line: int
    kind: str
    mark: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: looks like a secret ({self.kind}, mark {self.mark})"


@lru_cache(maxsize=1)
def _detectors() -> tuple[_Detector, ...]:
    try:
        from importlib import import_module

        from detect_secrets.plugins.base import RegexBasedDetector
    except ImportError as error:
        raise PrerequisiteError(
            "The scan for secrets needs detect-secrets, which is not installed.",
            fix="Run it through Nox (`nox -s report`), which installs what is needed.",
        ) from error
    found: list[_Detector] = [(kind, pattern.findall) for kind, pattern in PROVIDERS.items()]
    for name in PLUGINS:
        module = import_module(f"detect_secrets.plugins.{name}")
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, RegexBasedDetector)
                and value.__module__ == module.__name__
            ):
                detector = value()
                found.append((str(detector.secret_type), detector.analyze_string))
    return tuple(found)


def text(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, secret) of everything in a text that looks like a key."""
    for kind, analyze in _detectors():
        for secret in analyze(text):
            yield kind, str(secret)


def results(folder: Path, cache: Path | None = None) -> list[Finding]:
    """Return the findings in a results folder: ledgers, cases, artifacts, and what lies beside them.

    `cache` is a file that remembers which files were clean, by size, time and inode.
    """
    allowed = _allowed(folder / ALLOWED)
    named = ("*.jsonl", "cases/*.json", "cleanup/*.jsonl", "judge/*.json")
    paths = sorted([*(path for form in named for path in folder.glob(form)), *_below(folder / "artifacts")])
    clean = _remembered(cache)
    seen: dict[str, list[int]] = {}
    findings: list[Finding] = []
    for path in paths:
        identity = _identity(path)
        found = [] if clean.get(str(path)) == identity else list(_file(path, folder))
        findings += [finding for finding in found if finding.mark not in allowed]
        if not found:
            seen[str(path)] = identity
    if cache is not None:
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(jsontext.dumps({"by": _scanner(), "clean": seen}), encoding="utf-8")
    return findings


def _identity(path: Path) -> list[int]:
    status = path.lstat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _scanner() -> str:
    """Return what the verdict `clean` depends on besides the file."""
    from importlib.metadata import version

    forms = [pattern.pattern for pattern in PROVIDERS.values()]
    return jsontext.digest([version("detect-secrets"), *PLUGINS, *forms])


def _remembered(cache: Path | None) -> dict[str, list[int]]:
    try:
        known = jsontext.loads(cache.read_bytes()) if cache is not None and cache.is_file() else {}
    except ValueError:
        return {}  # it was cut: everything is looked at again
    return dict(known["clean"]) if known.get("by") == _scanner() else {}


def _below(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place) / name for name in names)


def _file(path: Path, folder: Path) -> Iterator[Finding]:
    if path.is_symlink() or not path.is_file():
        return
    data = path.read_bytes()
    # No form spans lines or is bound to the ends of one: what has no hit as a whole has none in a line.
    if next(text(data.decode("utf-8", "replace")), None) is None:
        return
    shown = os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")
    name = f"{folder.name}/{shown}"
    for number, line in enumerate(data.split(b"\n"), start=1):
        for kind, secret in sorted(set(text(line.decode("utf-8", "replace")))):
            mark = jsontext.sha256(f"{name}:{number}:{kind}:{secret}".encode("utf-8", "replace"))[:16]
            yield Finding(name, number, kind, mark)


def _allowed(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    lines = path.read_text(encoding="utf-8").split("\n")
    return frozenset(line.split("#")[0].strip() for line in lines) - {""}


def require_clean(folder: Path, cache: Path | None = None) -> None:
    """Raise DataError with every finding, so that nothing is published."""
    found = results(folder, cache)
    if found:
        shown = "".join(f"\n  {finding}" for finding in found[:20])
        more = f"\n  and {len(found) - 20} more" if len(found) > 20 else ""
        raise DataError(
            f"{len(found)} findings look like secrets; nothing is published.{shown}{more}\n",
            fix=f"A real key: revoke it first, then take that file out of the results and out of git's history. "
            f"A false alarm: write its mark and a reason into {folder.name}/{ALLOWED}.",
        )
