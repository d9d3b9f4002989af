"""What a session says of itself in its first line: method, subject, plan, provenance."""

from __future__ import annotations

import ipaddress
import os
import platform
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mmbench import __version__, method
from mmbench.bench import primer
from mmbench.bench.dataset import Dataset
from mmbench.bench.mm import Mm
from mmbench.bench.plan import Backend, Plan
from mmbench.bench.process import Limits
from mmbench.bench.profiles import Profile
from mmbench.bench.room import Kind
from mmbench.case import Suite
from mmbench.errors import UsageError
from mmbench.records import Line, method_hash
from mmbench.scoring import SCORING_VERSION

CHECKS_VERSION = "1"
"""Raised whenever a check may score the same outcome differently."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured: the agent, its model, the profile and mm."""

    agent: str
    agent_version: str | None
    adapter: str
    model: str | None
    profile: Profile
    backend: Backend
    weights: str | None
    mm: Mm


def new_id(agent: str, profile: str, now: datetime | None = None) -> str:
    """Return an id for a session: when, which cell, and four random characters."""
    stamp = (now or datetime.now(UTC)).strftime("%Y%m%dt%H%M%Sz")
    return f"{stamp}-{agent}-{profile}-{secrets.token_hex(2)}"


def method_parts(
    suite: Suite,
    dataset: Dataset,
    *,
    arms: Sequence[str],
    limits: Limits,
    timeout_s: float | None,
    kind: Kind,
    judge: Mapping[str, Any],
) -> dict[str, Any]:
    """Collect everything that must be equal for two sessions to be comparable."""
    return {
        "suite": suite.name,
        "cases": {case.id: case.digest for case in suite.cases},
        "dataset": dataset.digest,
        "primer": {arm: primer.sha256(arm) for arm in arms},
        "arms": list(arms),
        "limits": limits.record() | {"timeout_s": timeout_s},
        "checks": CHECKS_VERSION,
        "scoring": SCORING_VERSION,
        "judge": dict(judge),
        "sandbox": kind,
    }


def header(
    session: str,
    subject: Subject,
    *,
    reference: bool,
    parts: Mapping[str, Any],
    plan: Plan,
    suite: Suite,
    dataset: Dataset,
    preflight: str,
    command: Sequence[str],
    root: Path,
) -> dict[str, Any]:
    """Build the session line."""
    scheduled = {key.case for key in plan.schedule}
    return {
        "session": session,
        "cell": {"agent": subject.agent, "profile": subject.profile.name},
        "reference": reference,
        "subject": _subject(subject),
        "method": {"hash": method_hash(parts), "parts": dict(parts)},
        "plan": plan.record(),
        "cases": {case.id: case.digest for case in suite.cases if case.id in scheduled},
        "provenance": {
            "kit": kit(root),
            "host": host(),
            "sandbox": {"kind": parts["sandbox"], "hides_files": parts["sandbox"] != "process"},
            "dataset": dataset.record(),
            "preflight": preflight,
            "command": list(command),
        },
    }


def _subject(subject: Subject) -> dict[str, Any]:
    profile = subject.profile
    return {
        "agent": {
            "name": subject.agent,
            "version": subject.agent_version,
            "adapter": subject.adapter,
            "model": subject.model,
        },
        "profile": {
            "name": profile.name,
            "kind": profile.kind,
            "model": profile.model or None,
            "endpoint": public_origin(profile.base_url),
            "capabilities": sorted(subject.backend.capabilities),
            "weights": subject.weights,
        },
        "mm": {"version": subject.mm.version, "digest": subject.mm.digest},
    }


def public_origin(url: str) -> str | None:
    """Return an endpoint's origin when it is a public one, else only what kind it is.

    The names of a user's own machines are nobody's business.
    """
    host_name = urlsplit(url).hostname
    if not host_name:
        return None
    if host_name == "localhost":
        return "loopback"
    try:
        address = ipaddress.ip_address(host_name)
    except ValueError:
        known = "." in host_name and not host_name.endswith((".local", ".lan", ".internal", ".home", ".corp"))
        return f"{urlsplit(url).scheme}://{host_name}" if known else "private"
    return "loopback" if address.is_loopback else "private"


def kit(root: Path) -> dict[str, Any]:
    """Return the version of the kit, its commit, and whether its code was changed since."""
    commit = _git(root, "rev-parse", "HEAD")
    changed = _git(root, "status", "--porcelain", "--", ".", ":(exclude)results")
    return {
        "version": __version__,
        "commit": commit or None,
        "dirty": None if commit is None or changed is None else bool(changed),
    }


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def host() -> dict[str, Any]:
    """Return what matters of the machine; no names."""
    return {
        "os": f"{platform.system()} {platform.release().split('-')[0]}",
        "machine": platform.machine(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30), 1),
        "python": platform.python_version(),
    }


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def require_same_method(old: Line, parts: Mapping[str, Any]) -> None:
    """Refuse to continue a session whose method is not today's, naming what differs."""
    different = method.differences(old["method"]["parts"], _plain(parts))
    if different:
        raise UsageError(
            f"Session {old['session']} cannot be continued: its method is the first, today's the second. "
            f"They differ: {'; '.join(different)}.",
            fix="Start a new session by leaving --resume out, or check out the version that made it.",
        )


def require_same_subject(old: Line, subject: Subject) -> None:
    """Refuse to continue with another CLI, model, backend or mm: the arms of a pair would not be of one kind."""
    now = _plain(_subject(subject))
    different = [
        found
        for name, before in old["subject"].items()
        for found in method.differences({name: before}, {name: now[name]})
    ]
    if different:
        raise UsageError(
            f"Session {old['session']} cannot be continued: what it measures is the first, what is here the "
            f"second. They differ: {'; '.join(different)}.",
            fix="Start a new session by leaving --resume out, or install the version that it began with.",
        )


def _plain(value: Any) -> Any:
    """Return a value as it would be after a round through JSON."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
