"""The part of the command line that looks after cases: it lists, tests and begins them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mmbench.errors import UsageError
from mmbench.layout import Project

if TYPE_CHECKING:
    from mmbench.bench.case_tests import Tested
    from mmbench.case import Suite

Run = Callable[[argparse.Namespace, Project], int]
Add = Callable[[str, Run, str], argparse.ArgumentParser]


def register(add: Add) -> None:
    """Add the command to the command line's parser."""
    command = add("cases", _cases, "list the cases of a suite, test them, or begin a new one")
    command.add_argument("action", nargs="?", choices=tuple(ACTIONS), default="list", help="default: list")
    command.add_argument("ids", nargs="*", metavar="ID", help="test: only these; new: the id of the new case")
    command.add_argument("--suite", default="embedded", help="suite by name or path")
    command.add_argument("--json", action="store_true", help="list: print JSON")
    command.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="test: grade each tree N times (3)"
    )
    command.add_argument(
        "--oracle", action="store_true", help="test: run the reference solutions in both arms too"
    )
    command.add_argument(
        "--markdown", action="store_true", help="test: print the page of the suite (docs/suite.md)"
    )
    command.add_argument("--archetype", choices=("retrieval", "artifact", "organization"), default="retrieval",
                         help="new: kind of task (default retrieval)")  # fmt: skip
    command.add_argument("--modality", default="doc", help="new: comma-separated, the dominant one first")
    command.add_argument(
        "--command", dest="surface", default="find", help="new: mm command, the primary one first"
    )
    command.add_argument("--dataset", default=".", help="new: subtree of the dataset (default: all of it)")
    command.add_argument("--difficulty", choices=("easy", "medium", "hard"), default="medium", help="new")
    command.add_argument("--local.weights", dest="local_weights", type=Path,
                         help="test --oracle: folder of speech weights")  # fmt: skip
    command.add_argument("--results", type=Path, help="folder of results files (default results/)")


def _cases(arguments: argparse.Namespace, where: Project) -> int:
    return ACTIONS[arguments.action](arguments, where)


def _list(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import listing

    if arguments.ids:
        raise UsageError("`cases list` takes no ids.", fix="Leave them out, or use `cases test ID…`.")
    print(listing.cases(where, arguments.suite, as_json=arguments.json))
    return 0


def _test(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench.bench import case_tests, dataset, suite_page
    from mmbench.case import load_suite

    if arguments.repeat < 1:
        raise UsageError(f"--repeat is {arguments.repeat}; a tree is graded at least once.")
    suite = load_suite(where.cases, arguments.suite)
    suite = suite.select(arguments.ids) if arguments.ids else suite
    bench = case_tests.Bench(dataset.resolve(suite.dataset, where.datasets), arguments.repeat)
    width = max(len(case.id) for case in suite.cases)
    # The page alone goes to standard output; the progress is for whoever waits.
    out = sys.stderr if arguments.markdown else sys.stdout
    print(suite_page.head(width), file=out)
    found = case_tests.run(
        bench, suite.cases, lambda tested: print(suite_page.line(tested, width), file=out, flush=True)
    )
    found, oracle_from = _with_oracle(arguments, where, suite, found)
    failed = [tested for tested in found if tested.faults]
    if oracle_from:
        print(f"\noracle: {oracle_from}", file=out)
        print(*(suite_page.line(tested, width) for tested in found), sep="\n", file=out)
    if arguments.markdown:
        print(suite_page.page(suite, found, _arms(), oracle_from), end="")
    print(f"{len(found)} cases, {len(failed)} failed", file=out)
    return 4 if failed else 0


def _arms() -> tuple[str, ...]:
    from mmbench.bench.plan import DEFAULT_ARMS

    return DEFAULT_ARMS


def _with_oracle(
    arguments: argparse.Namespace, where: Project, suite: Suite, found: list[Tested]
) -> tuple[list[Tested], str | None]:
    """Add the oracle's figures: from a run where it is asked for, for the page else from the newest on record."""
    from mmbench.bench import case_oracle, case_tests
    from mmbench.bench.options import Options

    if arguments.oracle:
        from rich.console import Console

        ids = tuple(case.id for case in suite.cases)
        options = Options(suite=arguments.suite, cases=ids, weights=arguments.local_weights)
        points = case_oracle.play(where, options, suite, Console(file=sys.stderr, highlight=False))
        source = "run for this test"
    elif arguments.markdown and (recorded := case_oracle.on_record(where, suite)):
        name, points = recorded
        source = f"session {name}"
    else:
        return found, None
    return [case_tests.with_oracle(tested, points, arms=_arms()) for tested in found], source


def _new(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import scaffold

    if len(arguments.ids) != 1:
        raise UsageError("`cases new` begins one case.", fix="Give its id: `cases new my-case`.")
    wanted = scaffold.Wanted(
        id=arguments.ids[0],
        archetype=arguments.archetype,
        modality=_words(arguments.modality),
        commands=_words(arguments.surface),
        dataset=arguments.dataset,
        difficulty=arguments.difficulty,
    )
    folder = scaffold.begin(where.cases, arguments.suite, wanted)
    print(scaffold.said(folder, wanted.id, where.root))
    return 0


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


ACTIONS: dict[str, Run] = {"list": _list, "test": _test, "new": _new}
"""What can be done with cases, by name."""
