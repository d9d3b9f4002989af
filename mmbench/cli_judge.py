"""The part of the command line that judges: it parses arguments and prints, like `cli`."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path

from mmbench import cli_words, terminal
from mmbench.layout import Project


def register(add: cli_words.Add) -> None:
    """Add these commands to the command line's parser."""
    command = add("regrade", _regrade, "run today's checks and judge on recorded outcomes, as new lines")
    command.add_argument("sessions", nargs="+", metavar="SESSION", help="ids, or paths of results files")
    command.add_argument("--suite", help="today's cases, by name or path (default: the session's suite)")
    command.add_argument(
        "--judge",
        choices=("off", "score", "criteria"),
        help="off: keep the scores of the old verdicts (default: ask again, as the session was judged)",
    )
    flags(command)
    cli_words.results(command)
    judge = add("judge", _judge, "measure how far a judge can be trusted, or let it compare outcomes")
    actions = judge.add_subparsers(dest="action", metavar="ACTION", required=True)
    _accuracy(actions.add_parser("accuracy", help="compare predictions with what people chose"))
    _pairs(actions.add_parser("pairs", help="let a judge choose in pairs that people have labelled"))
    _calibrate(actions.add_parser("calibrate", help="compare recorded scores with grades of people"))
    _prefer(
        actions.add_parser("prefer", help="compare outcomes of two arms, or of two sessions, side by side")
    )


def flags(command: argparse.ArgumentParser) -> None:
    """Add what names the judge."""
    add = command.add_argument
    add("--judge.model", dest="judge_model", help="judge: model, or a panel of several by commas")
    add(
        "--judge.base-url",
        dest="judge_base_url",
        help="judge: endpoint (OpenAI-compatible, Anthropic, Gemini)",
    )
    add(
        "--judge.api-key",
        dest="judge_api_key",
        type=cli_words.key,
        help="judge: key of that endpoint, or env:VARIABLE",
    )


def session_flags(command: argparse.ArgumentParser) -> None:
    """Add whether and how a session is judged."""
    command.add_argument(
        "--judge",
        choices=("off", "score", "criteria"),
        help="off: checks alone; score: one grade 0-5; criteria: weighted points "
        "(default: score, off for reference agents)",
    )
    flags(command)
    command.add_argument(
        "--void-on-judge-failure", action="store_true", help="leave a whole run out when its judge fails"
    )


def _accuracy(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--pairs", nargs="+", type=Path, required=True, metavar="FILE", help="labelled pairs")
    add(
        "--predictions",
        nargs="+",
        type=Path,
        required=True,
        metavar="FILE",
        help="one for each file of pairs",
    )
    add("--task", nargs="+", default=(), metavar="NAME", help="names of the tasks (default: of the files)")
    add("--json", action="store_true", help="print JSON")
    add("--save", action="store_true", help="keep the figures in results/judge/ for the report")
    cli_words.results(command)


def _pairs(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--pairs", type=Path, required=True, metavar="FILE", help="labelled pairs")
    add("--out", type=Path, required=True, metavar="FILE", help="where the predictions go")
    add("--images", type=Path, metavar="DIR", help="folder of the pictures (default: that of the pairs)")
    add("--jobs", type=cli_words.count, default=1, help="processes (default 1)")
    add("--resume", action="store_true", help="ask only for what has no verdict yet")
    flags(command)


def _calibrate(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--grades", type=Path, required=True, metavar="FILE", help="grades 0-5 by people, as JSON lines")
    add("--repeats", type=cli_words.count, default=1, help="ask the judge so many times about each outcome")
    add("--judge", choices=("score", "criteria"), help="how it is asked then (default score)")
    add("--json", action="store_true", help="print JSON")
    add("--save", action="store_true", help="keep the figures in results/judge/ for the report")
    flags(command)
    cli_words.results(command)


def _prefer(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("sessions", nargs="+", metavar="SESSION", help="one session, or two")
    add(
        "--arms",
        type=cli_words.names,
        default=("without_mm", "with_mm"),
        help="two arms of one session, or one of two",
    )
    add("--json", action="store_true", help="print JSON")
    flags(command)
    cli_words.results(command)


def _judge(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench.bench.judge import commands

    return commands.run(arguments, where)


def _say(line: str) -> None:
    print(terminal.visible(line), file=sys.stderr)


def _regrade(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench.bench import regrade
    from mmbench.bench.judge import config

    asked = config.read(
        arguments.judge, arguments.judge_model, arguments.judge_base_url, arguments.judge_api_key
    )
    cancel = threading.Event()
    before = signal.signal(signal.SIGINT, lambda _number, _frame: cancel.set())
    try:
        found = regrade.run(where, arguments.sessions, asked, cancel=cancel, tell=_say, suite=arguments.suite)
    finally:
        signal.signal(signal.SIGINT, before)
    for one in found:
        print(
            f"{one.session}: {one.done} regraded, {one.moved} with another correctness, {len(one.left)} not"
        )
        for trial, reason in one.left.items():
            print(terminal.visible(f"  {trial}: {reason}"))
    return 1 if any(one.left for one in found) else 0
