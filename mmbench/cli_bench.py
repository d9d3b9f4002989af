"""The options of `bench` and `check`: what is measured, how it goes on, where models are served."""

from __future__ import annotations

import argparse
from pathlib import Path

from mmbench import cli_judge, cli_words


def arguments(command: argparse.ArgumentParser) -> None:
    """Add the options of a benchmark to a command."""
    _plan_arguments(command)
    _run_arguments(command)
    _endpoint_arguments(command)
    cli_judge.session_flags(command)
    command.add_argument(
        "--local.weights", dest="local_weights", type=Path, help="folder of speech weights for profile local"
    )
    cli_words.results(command)


def _plan_arguments(command: argparse.ArgumentParser) -> None:
    """Add what is measured, how often and in which order."""
    add = command.add_argument
    add(
        "agents",
        nargs="?",
        type=cli_words.names,
        default=("oracle",),
        help="agents, comma-separated (default oracle)",
    )
    add(
        "profiles",
        nargs="?",
        type=cli_words.names,
        default=("local",),
        help="mm profiles, comma-separated (default local)",
    )
    add("--suite", default="embedded", help="suite by name, path, `hf` or `hf:OWNER/NAME@REVISION`")
    add("--cases", type=cli_words.names, default=(), help="only these cases, comma-separated")
    add("--variants", action="store_true", help="run the obstacle variants of these cases too")
    add(
        "--runs",
        type=cli_words.count,
        default=1,
        help="repetitions of every case (three or more recommended)",
    )
    add("--arms", default="", help="extra arms beside without_mm and with_mm: unprimed, placebo")
    add(
        "--seed",
        type=cli_words.seed,
        help="seed of the order of cases and arms (default: drawn and recorded)",
    )
    add(
        "--timeout",
        type=cli_words.amount,
        help="wall-clock limit per trial in seconds, instead of each case's own",
    )
    add(
        "--jobs",
        type=cli_words.count,
        default=1,
        help="pairs of trials run at once (default 1; more disturbs timing)",
    )


def _run_arguments(command: argparse.ArgumentParser) -> None:
    """Add how a session goes on, what is shown of it and where agents run."""
    add = command.add_argument
    add("--resume", action="store_true", help="continue the newest unfinished session of each cell")
    add("--retry", action="store_true", help="like --resume, but run only the trials that failed")
    add("--rejudge", action="store_true", help="like --resume, but ask only for the missing verdicts")
    add("--stream", action="store_true", help="show the agent's output while it runs")
    add("--keep-sandboxes", action="store_true", help="leave the sandboxes for inspection")
    add(
        "--auto-clean",
        action="store_true",
        help="remove sandboxes and raw streams of a session once it is finished",
    )
    add("--skip-preflight", action="store_true", help="start without the preflight; recorded in the session")
    add(
        "--sandbox",
        choices=("bubblewrap", "namespaces", "process"),
        help="kind of room (default: the best one)",
    )


def _endpoint_arguments(command: argparse.ArgumentParser) -> None:
    """Add the agent's model, and where it and mm's backend are served."""
    add = command.add_argument
    add("--model", help="model for the agent (default: the agent's own)")
    add("--agent.base-url", dest="agent_base_url", help="serve the agent's model from this endpoint")
    add(
        "--agent.api-key",
        dest="agent_api_key",
        type=cli_words.key,
        help="key of that endpoint, or env:VARIABLE",
    )
    add("--profile.model", dest="profile_model", help="ad hoc mm profile: model")
    add("--profile.base-url", dest="profile_base_url", help="ad hoc mm profile: OpenAI-compatible endpoint")
    add(
        "--profile.api-key",
        dest="profile_api_key",
        type=cli_words.key,
        help="ad hoc mm profile: key, or env:VARIABLE",
    )
