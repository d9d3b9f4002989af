"""From the parsed command line to the options of a benchmarking."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mmbench.bench import plan
from mmbench.bench.agents.base import Endpoint
from mmbench.bench.judge import config as judges
from mmbench.bench.judge.config import JudgeOptions
from mmbench.bench.room import Kind
from mmbench.errors import UsageError


@dataclass(frozen=True, slots=True)
class Options:
    """Everything the command line says about a benchmarking."""

    agents: tuple[str, ...] = ("oracle",)
    profiles: tuple[str, ...] = ("local",)
    suite: str = "embedded"
    cases: tuple[str, ...] = ()
    variants: bool = False
    runs: int = 1
    arms: tuple[str, ...] = plan.DEFAULT_ARMS
    seed: int | None = None
    timeout_s: float | None = None
    jobs: int = 1
    resume: bool = False
    only: Literal["retry", "rejudge"] | None = None
    """Of an unfinished session, only the failed trials or only the missing verdicts."""
    stream: bool = False
    keep_sandboxes: bool = False
    auto_clean: bool = False
    skip_preflight: bool = False
    sandbox: Kind | None = None
    model: str | None = None
    endpoint: Endpoint | None = None
    adhoc: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    """Model, base URL and key of an ad hoc profile; empty when none was asked for."""
    weights: Path | None = None
    judge: JudgeOptions = field(default_factory=JudgeOptions)
    typed: tuple[str, ...] = field(default=(), repr=False)
    """The words of the command line as they were typed."""

    def resume_command(self) -> str:
        """Return the command that continues what this one began; keys are left out."""
        words: list[str] = []
        for word in self.typed:
            after_key = bool(words) and words[-1].endswith("api-key")
            name, joined, _ = word.partition("=")
            words.append(
                "KEY" if after_key else f"{name}=KEY" if joined and name.endswith("api-key") else word
            )
        words += [] if {"--resume", "--retry", "--rejudge"} & set(words) else ["--resume"]
        return shlex.join(["python", "-m", "mmbench", *words])


def read(arguments: argparse.Namespace) -> Options:
    """Turn the parsed arguments into options; UsageError for combinations that make no sense."""
    adhoc = {
        "model": arguments.profile_model,
        "base_url": arguments.profile_base_url,
        "api_key": arguments.profile_api_key,
    }
    wanted = any(value is not None for value in adhoc.values())
    if wanted and len(arguments.profiles) > 1:
        raise UsageError(
            "An ad hoc profile cannot be swept with others.", fix="Give one profile name, or none."
        )
    return Options(
        agents=arguments.agents,
        profiles=("adhoc",) if wanted and arguments.profiles == ("local",) else arguments.profiles,
        suite=arguments.suite,
        cases=arguments.cases,
        variants=arguments.variants,
        runs=arguments.runs,
        arms=plan.parse_arms(arguments.arms),
        seed=arguments.seed,
        timeout_s=arguments.timeout,
        jobs=arguments.jobs,
        resume=arguments.resume or arguments.retry or arguments.rejudge,
        only=_only(arguments),
        stream=arguments.stream,
        keep_sandboxes=arguments.keep_sandboxes,
        auto_clean=arguments.auto_clean,
        skip_preflight=arguments.skip_preflight,
        sandbox=arguments.sandbox,
        model=arguments.model,
        endpoint=_endpoint(arguments),
        adhoc=adhoc if wanted else {},
        weights=arguments.local_weights,
        judge=judges.read(
            arguments.judge,
            arguments.judge_model,
            arguments.judge_base_url,
            arguments.judge_api_key,
            void_on_failure=arguments.void_on_judge_failure,
        ),
        typed=tuple(getattr(arguments, "typed", ())),
    )


def _only(arguments: argparse.Namespace) -> Literal["retry", "rejudge"] | None:
    if arguments.retry and arguments.rejudge:
        raise UsageError("--retry and --rejudge exclude each other.", fix="Use --resume for both.")
    return "retry" if arguments.retry else "rejudge" if arguments.rejudge else None


def _endpoint(arguments: argparse.Namespace) -> Endpoint | None:
    """Return the agent's endpoint: base URL, key and model together or none of them."""
    given = {"--agent.base-url": arguments.agent_base_url, "--agent.api-key": arguments.agent_api_key}
    if not any(given.values()):
        return None
    missing = [flag for flag, value in (given | {"--model": arguments.model}).items() if not value]
    if missing:
        raise UsageError(
            f"An endpoint for the agent needs {' and '.join(missing)} too.",
            fix="Give --agent.base-url, --agent.api-key and --model together.",
        )
    return Endpoint(arguments.agent_base_url.rstrip("/"), arguments.agent_api_key, arguments.model)


def _public(suite: str) -> str:
    """Return a suite's name without the path of this machine; a hub's is the same everywhere."""
    return suite if suite.startswith("hf:") else Path(suite).name


def command(options: Options, seed: int, agent: str, profile: str) -> list[str]:
    """Return the arguments that make the same session again; keys and local paths are left out."""
    words = ["bench", agent, profile]
    flags: dict[str, str | None] = {
        "--suite": None if options.suite == "embedded" else _public(options.suite),
        "--cases": ",".join(options.cases) or None,
        "--runs": str(options.runs) if options.runs != 1 else None,
        "--arms": ",".join(arm for arm in options.arms if arm not in plan.DEFAULT_ARMS) or None,
        "--timeout": None if options.timeout_s is None else f"{options.timeout_s:g}",
        "--jobs": str(options.jobs) if options.jobs != 1 else None,
        "--sandbox": options.sandbox,
        "--model": options.model,
        "--judge": options.judge.mode,
        "--judge.model": options.judge.model,
        "--seed": str(seed),
    }
    for flag, value in flags.items():
        words += [flag, value] if value is not None else []
    words += ["--variants"] if options.variants else []
    return words + (["--skip-preflight"] if options.skip_preflight else [])
