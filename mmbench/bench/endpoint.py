"""Ask an endpoint whether it is ready, and name what is wrong when it is not.

`ping` does what mm will do, one token long: list the models, then one chat completion.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import NameResolutionError

from mmbench.bench.profiles import Profile
from mmbench.errors import PrerequisiteError

Reason = Literal[
    "auth",
    "quota",
    "rate_limit",
    "missing_model",
    "no_server",
    "dns",
    "tls",
    "timeout",
    "server_error",
    "refused",
    "bad_answer",
]

MODELS_TIMEOUT = (5.0, 10.0)
CHAT_TIMEOUT = (5.0, 120.0)
"""Seconds to connect and between bytes; a local server may load its model first."""

_FIXES: dict[str, str] = {
    "auth": "Check the key of this profile.",
    "quota": "The account has no credit left; add some or take another profile.",
    "rate_limit": "Wait, or take a profile with a higher limit.",
    "missing_model": "Name a model that the endpoint serves.",
    "no_server": "Start the server, or check its base URL and port.",
    "dns": "Check the spelling of the base URL and the network.",
    "tls": "Check the base URL's scheme and the certificates of this machine.",
    "timeout": "Check that the server answers, then try again.",
    "server_error": "Look at the server's own log, then try again.",
    "refused": "Check that the base URL is the one of an OpenAI-compatible API.",
    "bad_answer": "Check that the base URL is the one of an OpenAI-compatible API.",
}


class EndpointError(PrerequisiteError):
    """An endpoint is not usable; `reason` names the class of the failure."""

    def __init__(self, reason: Reason, what: str, *, where: str = "", fix: str = "") -> None:
        self.reason: Reason = reason
        super().__init__(what, where=where, fix=fix or _FIXES[reason])


@dataclass(frozen=True, slots=True)
class Pong:
    """What a working endpoint told: the model it served, all its models, seconds for one token."""

    model: str
    models: tuple[str, ...]
    seconds: float


def ping(profile: Profile) -> Pong:
    """Check that a profile's endpoint serves its model; raise EndpointError with the reason."""
    with client(profile.base_url, profile.api_key) as session:
        models = _models(session, profile)
        started = time.monotonic()
        body = {"model": profile.model, "messages": [{"role": "user", "content": "ping"}], "max_tokens": 1}
        answer = _ask(session, profile, "chat/completions", body)
        if answer.status_code != 200:
            raise _failure(profile, answer, models)
        value = _json(answer)
        if not isinstance(value, dict) or not value.get("choices"):
            what = f"Profile '{profile.name}' answers, but not with a chat completion."
            raise EndpointError("bad_answer", what, where=profile.base_url)
        return Pong(str(value.get("model") or profile.model), models, time.monotonic() - started)


class Bearer(requests.auth.AuthBase):
    """Put a key into a request; with it, no .netrc of the user is looked at."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Set the Authorization header, if there is a key."""
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request


def client(base_url: str, key: str, connections: int = 1) -> requests.Session:
    """Make a session that holds a key, retries nothing and goes straight to loopback."""
    session = requests.Session()
    session.auth = Bearer(key)
    host = urlsplit(base_url).hostname or ""
    session.trust_env = not (host in {"localhost", "::1"} or host.startswith("127."))
    adapter = requests.adapters.HTTPAdapter(pool_connections=2, pool_maxsize=connections, max_retries=0)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    return session


def transport_reason(error: requests.RequestException) -> Reason:
    """Name the class of a failure that left no answer."""
    if isinstance(error, requests.exceptions.SSLError):
        return "tls"
    if isinstance(error, requests.exceptions.Timeout):
        return "timeout"
    if isinstance(getattr(error.args[0] if error.args else None, "reason", None), NameResolutionError):
        return "dns"
    return "no_server"


def _models(session: requests.Session, profile: Profile) -> tuple[str, ...]:
    """List the models; an endpoint without such a list is no failure, a refused key is one."""
    answer = _ask(session, profile, "models")
    if answer.status_code in (401, 403):
        raise _failure(profile, answer, ())
    value = _json(answer) if answer.status_code == 200 else None
    data = value.get("data") if isinstance(value, dict) else None
    return tuple(str(item["id"]) for item in data or () if isinstance(item, dict) and "id" in item)


def _ask(session: requests.Session, profile: Profile, path: str, body: Any = None) -> requests.Response:
    method, timeout = ("POST", CHAT_TIMEOUT) if body else ("GET", MODELS_TIMEOUT)
    url = f"{profile.base_url}/{path}"
    try:
        return session.request(method, url, json=body, timeout=timeout, allow_redirects=False)
    except requests.RequestException as error:
        reason = transport_reason(error)
        what = f"Profile '{profile.name}' cannot be reached ({reason}: {type(error).__name__})."
        raise EndpointError(reason, what, where=profile.base_url) from None


def _json(answer: requests.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _failure(profile: Profile, answer: requests.Response, models: tuple[str, ...]) -> EndpointError:
    told = answer.text[:300]
    if profile.api_key:
        told = told.replace(profile.api_key, "[key]")
    reason = status_reason(answer.status_code, answer.text)
    what = f"Profile '{profile.name}' answers with status {answer.status_code}: {told.strip() or 'no text'}"
    fix = _FIXES[reason]
    if reason == "missing_model" and models:
        near = get_close_matches(profile.model, models, n=3, cutoff=0.4) or list(models[:3])
        fix = f"The endpoint does not serve '{profile.model}'. It has: {', '.join(near)}."
    return EndpointError(reason, what, where=profile.base_url, fix=fix)


def status_reason(status: int, text: str) -> Reason:
    """Name the class of a failure by the status and the text of its answer."""
    low = text[:4000].lower()
    if status == 402 or "insufficient_quota" in low:
        return "quota"
    if status in (401, 403):
        return "auth"
    if status == 429:
        return "rate_limit"
    if status >= 500:
        return "server_error"
    return "missing_model" if status in (400, 404) and "model" in low else "refused"
