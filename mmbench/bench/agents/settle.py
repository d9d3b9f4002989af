"""How a reading of a stream becomes an outcome: one order of decisions for every agent CLI.

A parser fills in a `Seen`: what the stream said. Everything that does not
depend on the CLI is decided here, so that no adapter can take a cut stream, a
timeout or a served fallback for a success.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mmbench.bench.agents.base import RawRun
from mmbench.bench.agents.failures import classify, status_for
from mmbench.bench.agents.stream import tail
from mmbench.outcome import Failure, Outcome, Parse, Status, Step, Usage

DATED = re.compile(r"[-@]\d{4}-?\d{2}-?\d{2}$")
"""The release date that providers add to a model's name."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a parser found in a stream."""

    final_text: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    turns: int | None = None
    tool_calls: int | None = None
    failure: Failure | None = None
    """What the stream itself says went wrong."""
    recognised: bool = False
    """At least one event of this CLI was there."""
    finished: bool = False
    """The event, or the state, that ends a whole run was there."""
    steps: tuple[Step, ...] = ()


def settle(seen: Seen, raw: RawRun, aliases: Mapping[str, str] | None = None) -> Outcome:
    """Decide the outcome of a run.

    `aliases` maps a requested model to a regular expression of the names under
    which it may be served.
    """
    failure = _failure(seen, raw)
    status: Status = status_for(failure) if failure else "completed"
    if raw.ended == "cancelled":
        status = "cancelled"
    elif status != "infra_error" and not same_model(raw.requested_model, seen.model, aliases or {}):
        status = "model_fallback"
        failure = Failure("missing_model", f"{raw.requested_model} was requested, {seen.model} was served.")
    return Outcome(
        status=status,
        final_text=seen.final_text,
        usage=replace(seen.usage, lower_bound=not seen.finished),
        model=seen.model,
        turns=seen.turns,
        tool_calls=seen.tool_calls,
        failure=failure,
        parse=_parse(seen),
        steps=seen.steps,
    )


def _parse(seen: Seen) -> Parse:
    if not seen.recognised:
        return "unknown"
    return "ok" if seen.finished else "partial"


def _failure(seen: Seen, raw: RawRun) -> Failure | None:
    """Find what went wrong: the harness's own act first, then the stream's word, then its absence."""
    if raw.ended == "cancelled":
        return Failure("harness", "The run was cancelled.")
    if raw.ended != "exit":
        return Failure(raw.ended, f"Stopped by the harness: {raw.ended.replace('_', ' ')}.")
    return seen.failure or _absence(seen, raw)


def _absence(seen: Seen, raw: RawRun) -> Failure | None:
    """Find what is missing from a run that ended by itself and names no failure."""
    if not seen.recognised:
        return _unrecognised(raw)
    if not seen.finished:
        message = f"The stream ends before its end; exit code {raw.exit_code}. {tail(raw.stderr)}"
        return Failure("crash", message.strip())
    if not seen.final_text.strip():
        return Failure("no_answer", "The run ended without a text.")
    return None


def _unrecognised(raw: RawRun) -> Failure:
    """Judge a stream in which nothing was known: a new format, a refused option, a death at the start."""
    words = tail(raw.stderr) or tail(raw.stdout)
    told = classify(words)
    if told.kind == "unknown" and _died(raw.exit_code):
        return Failure("crash", f"The program died; exit code {raw.exit_code}. {words}".strip())
    message = f"Nothing in the output was recognised; exit code {raw.exit_code}. {told.message}".strip()
    return Failure(told.kind if raw.exit_code != 0 else "unknown", message)


def _died(exit_code: int | None) -> bool:
    """Tell a death by a signal: negative to the parent, above 128 through a shell."""
    return exit_code is not None and (exit_code < 0 or exit_code in (132, 134, 135, 136, 137, 139))


def same_model(requested: str | None, served: str | None, aliases: Mapping[str, str]) -> bool:
    """Tell whether the served model is the requested one; unknown ones are given the benefit."""
    if not requested or not served:
        return True
    wanted, given = requested.rsplit("/", 1)[-1], served.rsplit("/", 1)[-1]
    if wanted == given or wanted == DATED.sub("", given):
        return True
    pattern = aliases.get(wanted)
    return pattern is not None and re.fullmatch(pattern, given) is not None
