"""The stage of the contract: a real agent CLI in the real sandbox with the real mm, around a scripted model.

An attempt is played by what `mmbench bench` itself runs an attempt with.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from mmbench.bench import agents, arms, dataset, driving, primer, programs
from mmbench.bench.agents.base import Agent, Endpoint
from mmbench.bench.arms import Arm
from mmbench.bench.driving import Bench, Cell
from mmbench.bench.meter import Meter
from mmbench.bench.mm import Mm
from mmbench.bench.options import Options
from mmbench.bench.plan import DEFAULT_ARMS, Backend
from mmbench.bench.profiles import Profile
from mmbench.bench.programs import Program
from mmbench.bench.room import best_kind
from mmbench.bench.trial import Setting, TrialSpec, execute
from mmbench.case import Case, Suite
from mmbench.layout import Project, project
from mmbench.records import TrialKey
from tests.support.loopback import LoopbackModel, Request, Script, UsageServed
from tests.support.record import MODELS, START_S
from tests.test_case import DOCUMENT

PROMPT = "Look around with the shell, then say what you have seen."
SECRET = "The word is heliotrope."
PATIENCE_S = 240.0
KEY = "sk-loopback-key"


def model_of(agent: str) -> str:
    """Return the model that is asked for: some CLIs take no other for one of theirs."""
    return MODELS.get(agent, "fake-model")


def slack_s(agent: str) -> float:
    """Return what a CLI needs before its first call."""
    return START_S.get(agent, 0.0)


@dataclass(frozen=True, slots=True)
class Played:
    """An attempt that is over: its record, and what the model's server knows of it."""

    record: Mapping[str, Any]
    answer: str
    requests: list[Request]
    served: list[UsageServed]

    @property
    def calls(self) -> list[Request]:
        """Return the requests for a turn with tools."""
        return [request for request in self.requests if request.wire and request.tools]

    @property
    def tool_results(self) -> str:
        """Return what the model was told that its commands printed."""
        return "\n".join(self.calls[-1].tool_results) if self.calls else ""

    @property
    def user_texts(self) -> list[str]:
        """Return every text that came to the model as the user's."""
        return [text for call in self.calls for text in call.user_texts]

    @property
    def ended(self) -> tuple[str, str | None]:
        """Return the status and the kind of the failure."""
        failure = self.record["failure"]
        return self.record["status"], failure and failure["kind"]


@dataclass(slots=True)
class Stage:
    """What all attempts have in common; `folder` is outside the checkout."""

    folder: Path
    mm: Mm
    arms: Mapping[str, Arm] = field(init=False)
    source: Path = field(init=False)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _programs: dict[str, Program] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.source = self.folder / "source"
        self.source.mkdir(parents=True)
        (self.source / "secret.txt").write_text(f"{SECRET}\n", encoding="utf-8")
        path = os.environ.get("PATH", os.defpath)
        self.arms = arms.build(DEFAULT_ARMS, self.folder / "arms", self.mm, best_kind(), path)

    def program(self, name: str) -> Program:
        """Find a CLI as `mmbench bench` does; PrerequisiteError where it is missing or another version."""
        if name not in self._programs:
            self._programs[name] = programs.find(agents.load(name), project())
        return self._programs[name]

    def play(
        self,
        name: str,
        script: Script,
        *,
        arm: str = "without_mm",
        prompt: str = PROMPT,
        timeout_s: float = PATIENCE_S,
        url: str | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Played:
        """Play one attempt; `url` names another place than the scripted server's for the agent's model.

        `more` is what the case says besides.
        """
        with LoopbackModel(script) as model:
            cell = self._cell(agents.load(name), f"{model.url}/v1")
            endpoint = Endpoint(url or model.url, KEY, model_of(name))
            spec = self._spec(arm, prompt, timeout_s, more or {})
            with Meter(cell.profile) as meter:
                setting = self._setting(cell, endpoint, spec, meter)
                executed = execute(setting, spec)
            if executed.sandbox is not None:
                executed.sandbox.remove()
            return Played(executed.record, executed.answer, list(model.requests), list(model.served))

    def _cell(self, agent: Agent, base_url: str) -> Cell:
        profile = Profile("loopback", "adhoc", base_url, "fake-model", KEY)
        return Cell(agent, self.program(agent.name), profile, Backend(frozenset(), {}), None)

    def _setting(self, cell: Cell, endpoint: Endpoint, spec: TrialSpec, meter: Meter) -> Setting:
        shared = Bench(
            options=Options(endpoint=endpoint, model=endpoint.model),
            project=Project(project().root, self.folder / "results", self.folder / "state"),
            suite=Suite("contract", str(self.source), (spec.case,)),
            every=Suite("contract", str(self.source), (spec.case,)),
            dataset=dataset.resolve(str(self.source), self.folder),
            mm=self.mm,
            kind=best_kind(),
            console=Console(quiet=True),
            cancel=threading.Event(),
        )
        return driving.setting(shared, cell, "contract", self.arms, meter)

    def _spec(self, arm: str, prompt: str, timeout_s: float, more: Mapping[str, Any]) -> TrialSpec:
        case = Case({**DOCUMENT, "prompt": prompt, "dataset": ".", **more}, "contract")
        return TrialSpec(
            key=TrialKey(case.id, arm, next(self._numbers)),
            attempt=1,
            position=0,
            case=case,
            prompt=primer.compose(arm, prompt),
            timeout_s=timeout_s,
            source=self.source,
            hashes={},
        )
