"""The home that mm gets in a trial: its configuration, its environment, and what it noted.

A fresh home per trial keeps one trial's answers out of the next. Nothing in it is secret:
mm is pointed at the meter, which holds the key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from mmbench.bench import tree
from mmbench.bench.agents import database
from mmbench.bench.profiles import Profile

PROFILE = "bench"
DUMMY_KEY = "metered"
"""mm fails silently without a key, so it gets one that opens nothing."""

MAX_DATABASE = 64 << 20
_QUERIES = ("SELECT metadata FROM extractions", "SELECT count(*) FROM extractions")
"""What was noted, and a row by which a whole database without a note is told from a broken one."""

_TOKENS = re.compile(r"\b([0-9]{1,12})→([0-9]{1,12}) tokens")


@dataclass(frozen=True, slots=True)
class NotedTokens:
    """Token usage in mm's own database: a lower bound, see read_mm_db."""

    prompt: int
    completion: int
    extractions: int


def materialise(profile: Profile, base_url: str, home: Path) -> Path:
    """Write the mm.toml of a trial: one active profile with this model at `base_url`."""
    path = home / ".config" / "mm" / "mm.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    values = {"base_url": base_url, "api_key": DUMMY_KEY, "model": profile.model}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    path.write_text("\n".join([f'active_profile = "{PROFILE}"', "", f"[profile.{PROFILE}]", *lines, ""]))
    for folder in ("cache", "data"):
        (home / folder).mkdir(exist_ok=True)
    return path


def mm_env(home: Path, base_url: str) -> dict[str, str]:
    """Return the environment of every mm call in a trial; `base_url` is the meter's.

    It fixes whatever mm, its OpenAI client and Python read from the environment. The meter
    is also set as the proxy for every other host: it refuses, so that a call to another
    endpoint (mm always knows its cloud gateway) fails at once and is counted.
    """
    return {
        **_folders(home),
        "MM_PROFILE": PROFILE,
        "MM_EMBEDDING_BASE_URL": base_url,
        "MM_TRANSCRIPTION_BASE_URL": base_url,
        "MM_EMBEDDING_MODEL": "qwen/qwen3-vl-embedding-2b",
        "MM_ALLOW_PYFUNC": "",
        "MM_CAT_BATCH_CONFIRM_THRESHOLD": "9",
        "LOGFIRE_TOKEN": "",
        "LOGFIRE_ENVIRONMENT": "local",
        "KMP_DUPLICATE_LIB_OK": "TRUE",
        "HF_HUB_OFFLINE": "1",
        **dict.fromkeys(_EMPTY, ""),
        **_proxies(base_url),
    }


_EMPTY = (
    "OPENAI_ADMIN_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_CUSTOM_HEADERS",
    "OPENAI_LOG",
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
    "PYTHONHOME",
    "PYTHONPATH",
)
"""Names that are read by mm's client or its Python, and mean nothing when empty."""


def _folders(home: Path) -> dict[str, str]:
    config, cache, data = home / ".config", home / "cache", home / "data"
    return {
        "HOME": str(home),
        "MM_CONFIG_DIR": str(config / "mm"),
        "MM_CACHE_DIR": str(cache),
        "MM_DATA_DIR": str(data),
        "XDG_CONFIG_HOME": str(config),
        "XDG_CACHE_HOME": str(cache),
        "XDG_DATA_HOME": str(data),
    }


def _proxies(base_url: str) -> dict[str, str]:
    parts = urlsplit(base_url)
    token = parts.path.split("/")[2] if parts.path.startswith("/t/") else "none"
    proxy = f"http://{token}:x@{parts.hostname}:{parts.port}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    both = [*names, *(name.lower() for name in names)]
    return dict.fromkeys(both, proxy) | dict.fromkeys(("NO_PROXY", "no_proxy"), str(parts.hostname))


def read_mm_db(home: Path) -> NotedTokens | None:
    """Sum up the token usage that mm noted in a trial's database; None when there is none.

    mm keeps no row for transcriptions, errors and answers replaced by --no-cache, so the
    meter may count more but never less. The file was in the hands of an agent: a broken
    one counts as none, and one that never ends is given up.
    """
    for folder in (".local/share/mm", "data"):
        data = tree.read_regular(home, f"{folder}/mm.db", MAX_DATABASE)
        if data is not None:
            log = tree.read_regular(home, f"{folder}/mm.db-wal", MAX_DATABASE) or b""
            noted, whole = database.rows(data, log, *_QUERIES)
            return _noted(noted) if whole else None
    return None


def _noted(rows: Sequence[Mapping[str, object]]) -> NotedTokens:
    notes = [_TOKENS.search(_suffix(row["metadata"])) for row in rows]
    pairs = [(int(note[1]), int(note[2])) for note in notes if note]
    return NotedTokens(sum(prompt for prompt, _ in pairs), sum(done for _, done in pairs), len(rows))


def _suffix(metadata: object) -> str:
    try:
        value = json.loads(metadata) if isinstance(metadata, str) else None
    except (ValueError, RecursionError):
        return ""
    suffix = value.get("verbose_suffix") if isinstance(value, dict) else None
    return suffix if isinstance(suffix, str) else ""
