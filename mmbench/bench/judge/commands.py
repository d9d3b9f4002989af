"""What `mmbench judge ACTION` does: accuracy, pairs, calibrate, prefer."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from mmbench.bench.judge import accuracy as accuracies
from mmbench.bench.judge import calibrate as calibrations
from mmbench.bench.judge import config, pairs, prefer, saved
from mmbench.bench.judge.config import Config, Mode
from mmbench.bench.judge.panel import Judge
from mmbench.layout import Project

Tell = Callable[[int, int], None]


def run(arguments: argparse.Namespace, where: Project) -> int:
    """Run one action and return the exit code."""
    return ACTIONS[arguments.action](arguments, where)


def _accuracy(arguments: argparse.Namespace, where: Project) -> int:
    labelled = accuracies.load(arguments.pairs, arguments.predictions, arguments.task)
    found = accuracies.report(labelled)
    print(accuracies.shown(found, as_json=arguments.json))
    if arguments.save:
        models = [name for one in labelled for name in one.judge.split(",") if name]
        prompts = [one.prompt for one in labelled if one.prompt]
        _say(saved.save(where, "accuracy", found, models=models, prompts=prompts))
    return 0


def _pairs(arguments: argparse.Namespace, where: Project) -> int:
    file = pairs.load(arguments.pairs)
    judge = _config(arguments)
    images: Path = arguments.images or arguments.pairs.parent
    with progress(f"{', '.join(judge.models)} on {file.path.name}") as tell:
        missing = pairs.predict(
            judge, file, arguments.out, images=images, jobs=arguments.jobs, resume=arguments.resume, tell=tell
        )
    print(
        f"{len(file.pairs) - len(missing)} of {len(file.pairs)} pairs judged in both orders: {arguments.out}"
    )
    if missing:
        print(
            f"{len(missing)} pairs have no verdict; add --resume to the same command to ask again.",
            file=sys.stderr,
        )
    return 1 if missing else 0


def _calibrate(arguments: argparse.Namespace, where: Project) -> int:
    found = calibrations.pairings(where, calibrations.load(arguments.grades))
    repeats = None
    if arguments.repeats > 1:
        judge = Judge.of(_config(arguments, arguments.judge or "score"))
        with progress("asking again") as tell:
            repeats = calibrations.repeated(judge, found, arguments.repeats, tell)
    figures = calibrations.report(found, repeats)
    print(calibrations.shown(figures, as_json=arguments.json))
    if arguments.save:
        _say(saved.save(where, "calibration", figures, models=figures["models"], prompts=figures["prompts"]))
    return 0


def _prefer(arguments: argparse.Namespace, where: Project) -> int:
    asked, names = prefer.sides(where, arguments.sessions, arguments.arms)
    judge = Judge.of(_config(arguments))
    with progress("judging pairs") as tell:
        found = prefer.ask(judge, asked, tell)
    print(prefer.shown(value := prefer.report(judge, names, found), as_json=arguments.json))
    return 1 if value["unjudged"] else 0


def _say(path: Path) -> None:
    print(f"Kept as results/{path.parent.name}/{path.name}", file=sys.stderr)


ACTIONS: dict[str, Callable[[argparse.Namespace, Project], int]] = {
    "accuracy": _accuracy,
    "pairs": _pairs,
    "calibrate": _calibrate,
    "prefer": _prefer,
}


def _config(arguments: argparse.Namespace, mode: Mode = "score") -> Config:
    options = config.read(None, arguments.judge_model, arguments.judge_base_url, arguments.judge_api_key)
    return config.require(options, os.environ, mode)


@contextlib.contextmanager
def progress(title: str) -> Iterator[Tell]:
    """Show how far a long action is; a line at every tenth where there is no terminal."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(file=sys.stderr, highlight=False)
    if not console.is_terminal:
        yield lambda done, total: _line(console.print, escape(title), done, total)
        return
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(escape(title), total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


def _line(say: Callable[[str], None], title: str, done: int, total: int) -> None:
    step = max(1, total // 10)
    if done % step == 0 or done == total:
        say(f"{title}: {done} of {total}")
