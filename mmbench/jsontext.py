"""JSON as records need it: strict, one form for hashing, safe for any text."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(value: Any) -> Any:
    """Replace lone surrogates in every string of a JSON value by U+FFFD.

    They cannot be encoded as UTF-8, and readers refuse their escapes.
    """
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value) if not value.isascii() else value
    if isinstance(value, dict):
        return {clean(str(key)): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value


def dumps(value: Any) -> str:
    """Write one line of strict JSON; NaN and infinity raise ValueError."""
    return json.dumps(clean(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def canonical(value: Any) -> bytes:
    """Write the one form that is hashed: sorted keys, no spaces, UTF-8."""
    text = json.dumps(
        clean(value), ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return text.encode()


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes in lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """Return the SHA-256 of a JSON value's canonical form."""
    return sha256(canonical(value))


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("an object has the same key twice")
    return value


def loads(text: str | bytes) -> Any:
    """Read strict JSON; NaN, infinity and repeated keys raise ValueError."""
    return json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
