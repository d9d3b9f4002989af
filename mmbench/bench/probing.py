"""The live probe of an agent: it must run a command by itself, and reach mm in one arm and not in the other.

The probe is an attempt like any other, through the same sandbox, shim and
adapter. The command computes its sentinel in the shell: an agent that only
repeats its prompt does not pass.
"""

from __future__ import annotations

import re
import secrets
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmbench.bench.agents.base import Agent
from mmbench.bench.arms import Arm
from mmbench.bench.preflight import Passed
from mmbench.bench.trial import Setting, TrialSpec, execute
from mmbench.case import Case
from mmbench.errors import Interrupted, PrerequisiteError
from mmbench.records import TrialKey

TIMEOUT_S = 300.0
"""Some CLIs need half a minute to start, and several times that on a busy machine."""

PROMPT = """\
Run this command in your shell, once, and reply with exactly what it prints:

```sh
{command}
```
"""
COMMAND_IN_PROMPT = re.compile(r"Run this command in your shell.*?```sh\n(.*?)\n```", re.S)
# Without `$(`: a shell tool that forbids command substitution is still one that runs commands.
COMMAND = "command -v mm; mm --version; expr 7 \\* 191 | sed 's/^/sentinel-{nonce}-/'"
SENTINEL = "sentinel-{nonce}-1337"

_FIXES: Mapping[str, str] = {
    "rate_limit": "Wait a while, or use a key with a higher limit.",
    "quota": "The account has no credit left; add some or use another key.",
    "missing_model": "Name a model that this key can use with --model.",
    "server_error": "The model's endpoint failed; try again later.",
    "timeout": "Try again on a quieter machine, or check that the model's endpoint answers.",
}


class ProbeError(PrerequisiteError):
    """An agent cannot be benchmarked here; `kind` names the class of the failure."""

    def __init__(self, kind: str, what: str, *, where: str = "", fix: str = "") -> None:
        self.kind = kind
        super().__init__(what, where=where, fix=fix)


@dataclass(frozen=True, slots=True)
class _Probe:
    """One probe that has come back."""

    agent: str
    arm: Arm
    record: Mapping[str, Any]
    sentinel: str

    @property
    def said(self) -> str:
        """Return everything that came back from the agent and its tools, without what it was told to run."""
        steps = [
            step["text"]["text"] for step in self.record["steps"]["items"] if step["kind"] != "tool_call"
        ]
        return "\n".join([*steps, self.record["outcome"]["final_text"]["text"]])

    @property
    def reached(self) -> bool:
        """Tell whether the real mm answered: in the shim's own record, or in what was printed."""
        done = any(call["exit_code"] == 0 for call in self.record["mm"]["calls"])
        return done or (not self.arm.has_mm and self.arm.mm.version in self.said)


def prove(setting: Setting, cancel: threading.Event | None = None) -> list[Passed]:
    """Probe an agent in an arm with mm and in one without.

    Raises ProbeError with the kind of the failure and its fix, Interrupted when it is cancelled.
    """
    arms = setting.arms.values()
    chosen = [next((arm for arm in arms if arm.has_mm is has), None) for has in (False, True)]
    return [_passed(_run(setting, arm, cancel), setting) for arm in chosen if arm is not None]


def _run(setting: Setting, arm: Arm, cancel: threading.Event | None) -> _Probe:
    nonce = secrets.token_hex(4)
    prompt = PROMPT.format(command=COMMAND.format(nonce=nonce))
    with tempfile.TemporaryDirectory(prefix="mmbench-empty-") as empty:
        spec = TrialSpec(
            key=TrialKey("preflight", arm.name, 1),
            attempt=1,
            position=0,
            case=Case({"id": "preflight", "prompt": prompt}, "preflight"),
            prompt=prompt,
            timeout_s=TIMEOUT_S,
            source=Path(empty),
            hashes={},
        )
        executed = execute(setting, spec, cancel)
    if executed.sandbox is not None:
        executed.sandbox.remove()
    if cancel is not None and cancel.is_set():
        raise Interrupted("Interrupted before the first trial.", fix="Type the same command again.")
    return _Probe(setting.agent.name, arm, executed.record, SENTINEL.format(nonce=nonce))


def _passed(probe: _Probe, setting: Setting) -> Passed:
    """Say what a probe has shown, or raise what it failed at."""
    where = f"agent {probe.agent}, arm {probe.arm.name}; its output: .mmbench/streams/{setting.session}/"
    failure = probe.record["failure"]
    if failure is not None:
        what = f"The agent '{probe.agent}' failed a trial run ({failure['kind']}): {failure['message'][:300]}"
        kind = failure["kind"]
        raise ProbeError(kind, what, where=where, fix=fix(setting.agent, kind, own=setting.endpoint is None))
    if probe.sentinel not in probe.said:
        text = probe.record["outcome"]["final_text"]["text"][:200]
        what = f"The agent '{probe.agent}' did not run a command that it was asked to run. It said: {text!r}."
        raise ProbeError("no_autonomy", what, where=where, fix=fix(setting.agent, "no_autonomy", own=True))
    if probe.reached is not probe.arm.has_mm:
        told = (
            "cannot reach mm in the arm that has it"
            if probe.arm.has_mm
            else "reaches mm in the arm without it"
        )
        raise ProbeError(
            "reach",
            f"The agent '{probe.agent}' {told}, from its own shell.",
            where=where,
            fix="Check that its version is the pinned one: nox -s agents -- list",
        )
    shown = f"mm {probe.arm.mm.version} runs" if probe.arm.has_mm else "there is no mm"
    detail = f"runs commands by itself; from its shell {shown} ({probe.record['duration_s']:.0f} s)"
    return Passed(f"{probe.agent}, {probe.arm.name}", detail)


def fix(agent: Agent, kind: str, *, own: bool) -> str:
    """Return what to do about a failure; `own` says that the agent's model is its default one."""
    if kind == "auth":
        return _login(agent) if own else "Check --agent.api-key."
    if kind in ("no_server", "dns"):
        return "Check this machine's network." if own else "Check that a server answers at --agent.base-url."
    last = "Look at its output, or start all the same with --skip-preflight."
    return _FIXES.get(kind, last)


def _login(agent: Agent) -> str:
    ways = []
    if agent.credentials_env:
        ways.append(f"set {' or '.join(agent.credentials_env)}")
    if agent.credentials_files:
        files = " or ".join(f"~/{name}" for name in agent.credentials_files)
        ways.append(f"log in with the CLI itself, which keeps {files}")
    text = "; or ".join(ways) or "give its key with --agent.base-url, --agent.api-key and --model"
    return f"{text[:1].upper()}{text[1:]}."
