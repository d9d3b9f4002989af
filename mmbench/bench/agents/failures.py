"""What kind of failure an error is, from its HTTP status and its words, and whose failure that is."""

from __future__ import annotations

import re
from typing import Final

from mmbench.outcome import Failure, Status

INFRASTRUCTURE: Final = frozenset(
    {
        "auth",
        "rate_limit",
        "server_error",
        "no_server",
        "dns",
        "quota",
        "missing_model",
        "cli_missing",
        "cli_version",
        "argv_limit",
        "setup",
        "disk",
        "harness",
        "unknown",
    }
)
OWN_STATUS: Final[dict[str, Status]] = {"timeout": "timeout", "no_answer": "no_answer"}

# The first that fits decides: a spent quota comes as a 429 and a context overflow as a 400.
WORDS: Final[tuple[tuple[str, str], ...]] = (
    (
        "quota",
        r"insufficient_quota|exceeded your current quota|credit balance|billing|usage limit"
        r"|out of (?:extra )?(?:usage|credits)|payment required|quota.{0,40}(?:exhausted|exceeded)|PerDay",
    ),
    (
        "context_overflow",
        r"prompt is too long|context[_ ]length[_ ]exceeded|maximum context length|context window"
        r"|input is too long|too many tokens|exceeds the maximum number of tokens",
    ),
    (
        "dns",
        r"ENOTFOUND|EAI_AGAIN|getaddrinfo|name or service not known|name resolution|dns error|lookup address",
    ),
    (
        "no_server",
        r"ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|connection_failed"
        r"|connection (?:refused|reset|error|failed|closed)|(?:unable to|cannot|could not) connect"
        r"|fetch failed|socket hang up"
        r"|error sending request|network error|waiting for network|connect timeout|APIConnectionError",
    ),
    (
        "auth",
        r"\b40[13]\b|unauthori[sz]ed|unauthenticated|authentication"
        r"|(?:invalid|incorrect|missing|bad).{0,10}api.?key|api key not valid|permission.?denied|forbidden"
        r"|not logged in|please (?:run /?)?log ?in|token (?:has )?expired|no api key"
        r"|set an auth method|invalid auth method|invalid header value",
    ),
    (
        "missing_model",
        r"model.{0,80}(?:not found|does not exist|not exist|no access|unknown|not supported|invalid)"
        r"|(?:unknown|invalid|unsupported|no such) model|model_not_found",
    ),
    ("rate_limit", r"\b429\b|rate.?limit|too many requests|RESOURCE_EXHAUSTED|throttl"),
    (
        "server_error",
        r"\b5\d\d\b|malformed response|stream.{0,20}(?:truncated|disconnected|ended)|premature close"
        r"|overloaded|internal (?:server )?error|server.?error|bad gateway|service unavailable"
        r"|\bINTERNAL\b|\bUNAVAILABLE\b|high demand|at capacity",
    ),
    ("argv_limit", r"E2BIG|argument list too long"),
    ("disk", r"ENOSPC|no space left"),
)
PATTERNS: Final = tuple((kind, re.compile(words, re.I | re.S)) for kind, words in WORDS)
TOLD_BY_WORDS: Final = frozenset({"quota", "context_overflow", "missing_model"})

STATUS_IN_TEXT: Final = re.compile(
    r"\b(?:HTTP|status(?: code)?|API error|error(?: code)?|code)[\s:=\"'(]{1,4}([45]\d\d)\b|^\s*([45]\d\d)\b",
    re.I,
)
LONGEST_MESSAGE: Final = 2000


def http_status(message: str) -> int | None:
    """Find the HTTP status that an error message tells, or None."""
    match = STATUS_IN_TEXT.search(message[:LONGEST_MESSAGE])
    return int(match[1] or match[2]) if match else None


def kind_of_status(status: int) -> str | None:
    """Name the kind of an HTTP status; None for one that says nothing by itself."""
    if status in (401, 403):
        return "auth"
    if status == 402:
        return "quota"
    if status == 404:
        return "missing_model"
    if status == 429:
        return "rate_limit"
    return "server_error" if 500 <= status < 600 else None


def kind_of(message: str, status: int | None = None) -> str:
    """Name the kind of an error; `unknown` when neither its status nor its words tell."""
    words = message[:LONGEST_MESSAGE]
    said = next((kind for kind, pattern in PATTERNS if pattern.search(words)), None)
    told = kind_of_status(status if status is not None else http_status(words) or 0)
    if said in TOLD_BY_WORDS and (said != "missing_model" or told in (None, "missing_model")):
        return said
    return told or said or "unknown"


def classify(message: str, status: int | None = None) -> Failure:
    """Turn an error of a CLI or of its endpoint into a failure."""
    return Failure(kind_of(message, status), message[:LONGEST_MESSAGE])


def status_for(failure: Failure) -> Status:
    """Tell whose failure it is: the infrastructure's voids an attempt, the agent's counts."""
    if failure.kind in INFRASTRUCTURE:
        return "infra_error"
    return OWN_STATUS.get(failure.kind, "agent_error")
