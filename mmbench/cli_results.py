"""The part of the command line that looks after results: it parses arguments and prints, like `cli`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mmbench import cli_words, terminal
from mmbench.errors import UsageError, unknown
from mmbench.layout import Project


def register(add: cli_words.Add) -> None:
    """Add these commands to the command line's parser."""
    command = add("verify", _verify, "prove that results files are whole and were only appended to")
    command.add_argument("paths", nargs="*", type=Path, metavar="FILE", help="results files (default: all)")
    command.add_argument("--since", metavar="REV", help="each file committed at REV must begin today's")
    command.add_argument("--expected-head", metavar="HASH", help="SHA-256 of the last line of the one FILE")
    cli_words.results(command)
    command = add("anchor", _anchor, "hold the head of a session by a git tag, signed where git can sign")
    command.add_argument("session", metavar="SESSION")
    cli_words.results(command)
    command = add("method", _method, "show the method of a session, or in words what differs between two")
    command.add_argument("action", choices=("show", "diff"))
    command.add_argument("sessions", nargs="+", metavar="SESSION")
    cli_words.results(command)
    command = add("compare", _compare, "tell whether sessions may be compared and ranked, and why not")
    command.add_argument("sessions", nargs="*", metavar="SESSION", help="sessions (default: all)")
    command.add_argument("--json", action="store_true", help="print JSON")
    cli_words.results(command)
    command = add("void", _void, "leave a run, a case or an arm of a session out of every aggregate")
    command.add_argument("session", metavar="SESSION")
    command.add_argument("--run", dest="run_number", type=int, metavar="N", help="this repetition")
    command.add_argument("--case", metavar="ID", help="this case")
    command.add_argument("--arm", metavar="NAME", help="this arm")
    command.add_argument("--why", required=True, help="the reason; it is published")
    cli_words.results(command)
    command = add("import", _import, "take over an older store as sessions that are shown and never ranked")
    command.add_argument("form", choices=("sqlite",))
    command.add_argument("file", type=Path)
    cli_words.results(command)
    command = add("scan", _scan, "look for keys in what would be published")
    cli_words.results(command)
    _export_arguments(add("export", _export, "write sessions as JSON, CSV, Parquet, hub folder or ATIF"))
    _clean_arguments(
        add("clean", _clean, "show and remove sandboxes, raw streams and artifacts; records stay")
    )


def _export_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("sessions", nargs="*", metavar="SESSION", help="sessions (default: all)")
    command.add_argument("--format", choices=("json", "csv", "parquet", "hf", "atif"), default="json",
                         help="default json: one document with everything")  # fmt: skip
    command.add_argument("--out", type=Path, default=Path("export"), help="folder (default export/)")
    cli_words.results(command)


def _clean_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--sessions", type=cli_words.names, default=(), help="only these, comma-separated")
    command.add_argument("--what", type=cli_words.names, default=("sandboxes", "streams", "artifacts"),
                         help="sandboxes, streams, artifacts (default: all three)")  # fmt: skip
    command.add_argument("--older-than", type=cli_words.amount, metavar="DAYS", help="only what is older")
    command.add_argument("--larger-than", type=cli_words.amount, metavar="MB", help="only what is larger")
    command.add_argument("--dry-run", action="store_true", help="show, remove nothing")
    command.add_argument("--yes", action="store_true", help="remove without asking")
    cli_words.results(command)


def _verify(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import verify

    found = verify.verify(where, arguments.paths, since=arguments.since, head=arguments.expected_head)
    for fault in found.faults:
        print(terminal.visible(str(fault)), file=sys.stderr)
    print(found.summary())
    return 4 if found.faults else 0


def _anchor(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import verify

    print(verify.anchor(where, arguments.session))
    return 0


def _method(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import ledger, method

    headers = [ledger.load(ledger.of_session(where, name)).header for name in arguments.sessions]
    if arguments.action == "show":
        for header in headers:
            print(f"{header['session']}: {method.show(header)}")
        return 0
    if len(headers) != 2:
        raise UsageError("`method diff` compares two sessions.", fix="Name two.")
    print(method.compared(*headers))
    return 0


def _paths(arguments: argparse.Namespace, where: Project) -> list[Path]:
    """Return the results files of the named sessions, or all."""
    from mmbench import ledger

    named = [ledger.of_session(where, name) for name in arguments.sessions]
    found = named or list(ledger.ledgers(where.results))
    if not found:
        raise UsageError(
            "There are no results files.",
            where=str(where.results),
            fix="Name their folder with --results DIR, or make one with `nox -s bench`.",
        )
    return found


def _compare(arguments: argparse.Namespace, where: Project) -> int:
    import json

    from mmbench import comparability, ledger

    verdict = comparability.compare([ledger.load(path) for path in _paths(arguments, where)])
    print(json.dumps(verdict.record(), indent=2) if arguments.json else comparability.said(verdict))
    return 0


def _void(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import void

    count = void.void(
        where,
        arguments.session,
        why=arguments.why,
        run=arguments.run_number,
        case=arguments.case,
        arm=arguments.arm,
    )
    print(f"{arguments.session}: {count} trials are left out from now on; nothing was removed.")
    return 0


def _clean(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import cleanup
    from mmbench.bench import clean

    for name in arguments.what:
        if name not in cleanup.KINDS:
            raise unknown("kind of thing to clean", name, cleanup.KINDS)
    wanted = clean.Wanted(arguments.sessions, arguments.what, arguments.older_than, arguments.larger_than)
    items = clean.found(where, wanted)
    print(clean.said(items))
    if not items or arguments.dry_run:
        return 0
    if not arguments.yes and not _confirmed("Remove them? They cannot be brought back. [y/N] "):
        print("Nothing was removed. Add --yes to remove without asking.")
        return 0
    lines = clean.remove(where, items)
    failed = [line for line in lines if line["result"] == "failed"]
    for line in failed:
        print(f"{line['session']} {line['what']}: not removed: {line['error']}", file=sys.stderr)
    print(f"{len(lines) - len(failed)} folders removed; results/cleanup/ says which, for each session.")
    return 1 if failed else 0


def _confirmed(question: str) -> bool:
    return sys.stdin.isatty() and input(question).strip().lower() in ("y", "yes")


def _export(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import export

    if arguments.format in export.FORMATS:
        make = export.FORMATS[arguments.format]
    else:
        from mmbench.report import export as tabular

        make = tabular.FORMATS[arguments.format]
    count = export.write(make(where, _paths(arguments, where)), arguments.out)
    print(f"{terminal.counted(count, 'file')} written to {arguments.out}")
    return 0


def _import(arguments: argparse.Namespace, where: Project) -> int:
    import os

    from mmbench import legacy
    from mmbench.bench import credentials

    redactor = credentials.redactor((), os.environ, (), home=Path.home())
    for done in legacy.import_sqlite(where, arguments.file, redactor.record):
        print(f"{done.session}: {done.note or f'{done.trials} trials'}")
    return 0


def _scan(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import scan

    del arguments
    scan.require_clean(where.results)
    print("No finding: nothing in the results looks like a secret.")
    return 0
