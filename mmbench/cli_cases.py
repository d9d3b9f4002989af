"""The part of the command line that looks after cases: it lists, tests and begins them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mmbench import cli_words
from mmbench.layout import Project
from mmbench.terminal import counted

if TYPE_CHECKING:
    from mmbench.bench.case_tests import Tested
    from mmbench.case import Suite


def register(add: cli_words.Add) -> None:
    """Add the command to the command line's parser."""
    command = add("cases", _list, "list the cases of a suite, test them, or begin a new one")
    command.add_argument("--suite", default="embedded", help="suite by name or path")
    command.add_argument("--json", action="store_true", help="list: print JSON")
    actions = command.add_subparsers(metavar="ACTION", help="list (default), test or new; each has --help")
    for name, run, text in (
        ("list", _list, "list the cases of a suite"),
        ("test", _test, "test cases: prompt, cheats, damage, graders, and on request the solutions"),
        ("new", _new, "begin a case: a folder that is valid and waits to be filled in"),
    ):
        action = actions.add_parser(name, help=text, description=f"{text[:1].upper()}{text[1:]}.")
        # Given to the action too; what was given before it must not be lost.
        action.add_argument("--suite", default=argparse.SUPPRESS, help="suite by name or path")
        action.set_defaults(run=run)
        ARGUMENTS[name](action)


def _list_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def _test_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("ids", nargs="*", metavar="ID", help="only these cases")
    add(
        "--repeat",
        type=cli_words.count,
        default=20,
        metavar="N",
        help="grade each tree N times under load (default 20)",
    )
    add("--variants", action="store_true", help="test the obstacle variants of these cases too")
    add("--oracle", action="store_true", help="run the reference solutions in both arms too")
    add("--local.weights", dest="local_weights", type=Path, help="folder of speech weights for --oracle")
    add("--markdown", action="store_true", help="print the page of the suite (docs/suite.md)")
    add("--results", type=Path, help="folder of results files (default results/)")


def _new_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("id", metavar="ID", help="lower-case letters, digits, '.', '_' and '-'")
    add("--archetype", choices=("retrieval", "artifact", "organization"), default="retrieval",
        help="kind of task (default retrieval)")  # fmt: skip
    add("--modality", type=cli_words.names, default=("doc",), help="comma-separated, the dominant one first")
    add(
        "--command",
        dest="surface",
        type=cli_words.names,
        default=("find",),
        help="mm commands, the primary one first",
    )
    add("--dataset", default=".", help="subtree of the dataset (default: all of it)")
    add("--difficulty", choices=("easy", "medium", "hard"), default="medium", help="default medium")


ARGUMENTS = {"list": _list_arguments, "test": _test_arguments, "new": _new_arguments}
"""The arguments of each action."""


def _list(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import listing

    print(listing.cases(where, arguments.suite, as_json=arguments.json))
    return 0


def _test(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import variants
    from mmbench.bench import case_tests, dataset, suite_page
    from mmbench.case import load_suite

    suite = load_suite(where.cases, arguments.suite)
    suite = variants.choose(suite, arguments.ids, also=arguments.variants)
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
    print(f"{counted(len(found), 'case')}, {len(failed)} failed", file=out)
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
        options = Options(
            suite=arguments.suite, cases=ids, variants=arguments.variants, weights=arguments.local_weights
        )
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

    wanted = scaffold.Wanted(
        id=arguments.id,
        archetype=arguments.archetype,
        modality=arguments.modality,
        commands=arguments.surface,
        dataset=arguments.dataset,
        difficulty=arguments.difficulty,
    )
    folder = scaffold.begin(where.cases, arguments.suite, wanted)
    print(scaffold.said(folder, wanted.id, where.root))
    return 0
