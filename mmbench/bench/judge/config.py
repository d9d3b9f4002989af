"""Which judge a benchmarking uses: from flags and environment to one plain value, or to a reason why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from mmbench.bench.judge import prompt
from mmbench.bench.judge.wires import WIRES
from mmbench.errors import PrerequisiteError, UsageError

Mode = Literal["off", "score", "criteria"]
OPENROUTER = "https://openrouter.ai/api/v1"
DEFAULT_MODEL = "google/gemini-3.1-flash-lite"
MODEL, BASE_URL, API_KEY = "MMBENCH_JUDGE_MODEL", "MMBENCH_JUDGE_BASE_URL", "MMBENCH_JUDGE_API_KEY"
FALLBACK_KEY = "OPENROUTER_API_KEY"
OFF: dict[str, Any] = {"mode": "off"}
"""How a method says that there is no judge."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """What the command line says about the judge; None where it says nothing."""

    mode: Mode | None = None
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    void_on_failure: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """A judge that can be asked: how, whom, and where."""

    mode: Mode
    models: tuple[str, ...]
    wire: str
    base_url: str
    api_key: str = field(repr=False)

    def parts(self) -> dict[str, Any]:
        """Return what of it belongs to the method; the key and the place do not."""
        return {
            "mode": self.mode,
            "models": list(self.models),
            "prompt": prompt.template_sha256(self.mode),
            "schema": prompt.schema_sha256(self.mode),
            "wire": self.wire,
        }


def read(
    mode: Mode | None,
    model: str | None,
    base_url: str | None,
    api_key: str | None,
    *,
    void_on_failure: bool = False,
) -> JudgeOptions:
    """Take the flags; UsageError when an endpoint is given by halves."""
    given = {"--judge.model": model, "--judge.base-url": base_url, "--judge.api-key": api_key}
    if any(value is not None for value in given.values()):
        missing = [flag for flag, value in given.items() if not (value or "").strip()]
        if missing:
            raise UsageError(
                f"A judge of one's own needs {' and '.join(missing)} too.",
                fix="Give --judge.model, --judge.base-url and --judge.api-key together, or none of them.",
            )
        if mode == "off":
            raise UsageError("--judge off and an endpoint for the judge exclude each other.", fix="Drop one.")
    return JudgeOptions(mode, model, base_url, api_key, void_on_failure)


def settle(options: JudgeOptions, env: Mapping[str, str], *, reference: bool) -> Config | None:
    """Return the judge to use, None for none.

    Without a word on it a real agent is judged and a reference agent is not.
    PrerequisiteError when the judge is on and has no key: it is never left out silently.
    """
    mode = options.mode or ("off" if reference else "score")
    return None if mode == "off" else require(options, env, mode)


def require(options: JudgeOptions, env: Mapping[str, str], mode: Mode = "score") -> Config:
    """Return a judge that can be asked; raises PrerequisiteError without a key."""
    base_url = options.base_url or env.get(BASE_URL) or OPENROUTER
    model = options.model or env.get(MODEL) or _default_model(base_url)
    wire, base_url = _wire(base_url.strip().rstrip("/"))
    key = (options.api_key or env.get(API_KEY) or _fallback_key(base_url, env)).strip()
    if not key:
        raise PrerequisiteError(
            "The judge has no key.",
            fix=f"Set {API_KEY} (or {FALLBACK_KEY} for the default judge), give --judge.model, --judge.base-url and "
            "--judge.api-key, or choose --judge off: then correctness is that of the checks alone.",
        )
    models = tuple(dict.fromkeys(name.strip() for name in model.split(",") if name.strip()))
    if not models:
        raise UsageError("The judge's model is empty.", fix="Name a model, or several by commas.")
    return Config(mode, models, wire, base_url, key)


def _default_model(base_url: str) -> str:
    if base_url.rstrip("/") != OPENROUTER:
        raise UsageError(f"{BASE_URL} is set, and no model.", fix=f"Set {MODEL} too.")
    return DEFAULT_MODEL


def _fallback_key(base_url: str, env: Mapping[str, str]) -> str:
    """Return OpenRouter's key for OpenRouter only: no other host is to see it."""
    same = urlsplit(base_url).hostname == urlsplit(OPENROUTER).hostname
    return env.get(FALLBACK_KEY, "") if same else ""


def _wire(base_url: str) -> tuple[str, str]:
    """Tell the protocol by a prefix (`anthropic+https://…`) or by the host; OpenAI's is the common one."""
    name, plus, rest = base_url.partition("+")
    if plus and name in WIRES:
        return name, _checked(rest)
    _checked(base_url)
    parts = urlsplit(base_url)
    if parts.path.rstrip("/").endswith("/openai"):  # Google's own translation of the OpenAI API
        return "openai", base_url
    known = (wire for wire, kind in WIRES.items() if parts.hostname in kind.hosts)
    return next(known, "openai"), base_url


def _checked(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"The judge's base URL '{base_url}' is not an http(s) URL.",
            fix=f"For example https://host/v1; {', '.join(f'{name}+https://…' for name in WIRES)} name the protocol.",
        )
    return base_url
