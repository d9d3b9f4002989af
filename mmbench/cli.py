"""The command line: the only place that parses arguments, prints errors and knows exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mmbench import __version__, cli_bench, cli_cases, cli_judge, cli_results, cli_words, terminal
from mmbench.errors import Interrupted, MmbenchError, PrerequisiteError, UsageError, refused
from mmbench.layout import Project, project, short

if TYPE_CHECKING:
    from rich.console import Console

    from mmbench.bench.options import Options
    from mmbench.report.build import BuildReport

EXIT_CODES = """\
exit codes:
  0  every scheduled trial is graded (or: nothing is wrong)
  1  finished, but some trial failed or is ungraded
  2  the command line or the configuration is wrong
  3  a prerequisite is missing on this machine or at an endpoint
  4  a case, a result or a dataset is invalid
  130  interrupted
"""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of exiting, so that one place prints errors.

    Options have no short forms: the noxfile looks for them by their full names.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        """Raise the fault of the command line."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", fix=f"See `{_help(self.prog)}`.")


def _help(prog: str) -> str:
    """Return the command for help as the user can type it: inside a Nox session only Nox is at hand."""
    session = os.environ.get("NOX_CURRENT_SESSION")
    return f"nox -s {session} -- --help" if session else f"{prog} --help"


def parser() -> Parser:
    """Build the parser of every command."""
    top = Parser(
        prog="python -m mmbench",
        description="Measure whether the mm command-line tool makes AI agents more capable and faster.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"mmbench {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    cli_bench.arguments(_add(commands, "bench", _bench, "run agents with and without mm, and write results"))
    cli_bench.arguments(
        _add(commands, "check", _check, "run the preflight and print the plan, benchmark nothing")
    )
    _fetch_arguments(_add(commands, "fetch", _fetch, "make the dataset ready and verify it"))
    _validate_arguments(_add(commands, "validate", _validate, "check every case and every results file"))
    _report_arguments(_add(commands, "report", _report, "build the static site from the results"))
    publish = _add(commands, "publish", _publish, "build the site and push it to a branch that is served")
    publish.add_argument("--remote", default="origin", help="git remote (default origin)")
    publish.add_argument("--branch", default="gh-pages", help="branch of the site (default gh-pages)")
    publish.add_argument("--address", help="https address of the published site")
    serve = _add(commands, "serve", _serve, "serve the site on this machine, rebuilt when results change")
    _report_arguments(serve)
    serve.add_argument("--port", type=cli_words.port, default=8765, help="port on 127.0.0.1 (default 8765)")
    _agents_arguments(_add(commands, "agents", _agents, "list, install or debug agent adapters"))
    cli_cases.register(partial(_add, commands))
    cli_results.register(partial(_add, commands))
    cli_judge.register(partial(_add, commands))
    return top


def _add(commands: argparse._SubParsersAction[Parser], name: str, run: cli_words.Run, text: str) -> Parser:
    command = commands.add_parser(name, help=text, description=f"{text[:1].upper()}{text[1:]}.", epilog=EXIT_CODES,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    command.set_defaults(run=run)
    return command


def _fetch_arguments(command: Parser) -> None:
    command.add_argument(
        "--dataset",
        default="embedded",
        help="`embedded`, `hf`, `hf:OWNER/NAME@REVISION` or the path of a folder",
    )


def _validate_arguments(command: Parser) -> None:
    command.add_argument("paths", nargs="*", type=Path, help="suites or results files (default: all)")
    cli_words.results(command)


def _report_arguments(command: Parser) -> None:
    command.add_argument("--out", type=Path, help="folder of the site (default _site/)")
    command.add_argument("--only", nargs="+", default=(), metavar="SESSION", help="only these sessions")
    command.add_argument(
        "--address", help="https address of the published site, for its map and link previews"
    )
    cli_words.results(command)


def _agents_arguments(command: Parser) -> None:
    command.add_argument("action", choices=("list", "install", "parse"), help="what to do")
    command.add_argument("names", nargs="*", metavar="AGENT", help="agents")
    command.add_argument("--stdout", type=Path, help="parse: file with the agent's standard output")
    command.add_argument("--stderr", type=Path, help="parse: file with its standard error")
    command.add_argument("--exit-code", type=int, default=0, help="parse: its exit code (default 0)")
    command.add_argument(
        "--extra", action="append", default=[], metavar="NAME=FILE", help="parse: a further file"
    )
    command.add_argument("--json", action="store_true", help="print JSON")


def _bench(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench.bench import command

    return command.bench(_options(arguments), where, _console())


def _check(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench.bench import command

    return command.check(_options(arguments), where, _console())


def _options(arguments: argparse.Namespace) -> Options:
    from mmbench.bench import options

    return options.read(arguments)


def _fetch(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench.bench import dataset

    found = dataset.resolve(arguments.dataset, where.datasets)
    print(
        f"{found.name}: {len(found.hashes)} files, {found.size / 1e6:.1f} MB, verified, digest {found.digest[:12]}"
    )
    return 0


def _validate(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import validation

    report = validation.validate(where, arguments.paths)
    for fault in report.faults:
        print(terminal.visible(str(fault)))
    beside = f", {terminal.counted(report.beside, 'file')} beside them" if report.beside else ""
    print(
        f"{terminal.counted(report.cases, 'case')}, {terminal.counted(report.ledgers, 'results file')}, "
        f"{terminal.counted(report.lines, 'line')}{beside}: {terminal.counted(len(report.faults), 'fault')}"
    )
    return 4 if report.faults else 0


def _report(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench import scan

    out = arguments.out or where.root / "_site"
    _require_results(arguments)
    scan.require_clean(where.results, where.state / "scan.json")
    report = _build(arguments, where, out)
    for warning in report.warnings:
        print(f"Warning: {warning}", file=sys.stderr)
    print(
        f"{terminal.counted(report.sessions, 'session')}, {report.pages} pages. Open {short(out / 'index.html')}"
    )
    return 0


def _require_results(arguments: argparse.Namespace) -> None:
    """Refuse a folder that was named and is not there: an empty site would hide the slip."""
    if arguments.results is not None and not arguments.results.is_dir():
        raise UsageError(f"There is no folder {arguments.results}.", fix="Name the one of the results files.")


def _build(arguments: argparse.Namespace, where: Project, out: Path) -> BuildReport:
    from mmbench.report import build

    return build.build(
        where.results,
        out,
        site=where.site,
        only=arguments.only,
        cache=where.state / "report",
        address=arguments.address,
    )


def _publish(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench.report import branch

    commit = branch.publish(
        where, remote=arguments.remote, branch=arguments.branch, address=arguments.address
    )
    print(f"Published {commit[:12]} on {arguments.branch} of {arguments.remote}.")
    return 0


def _serve(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench.report import serve

    out = arguments.out or where.root / "_site"
    _require_results(arguments)
    serve.serve(out, partial(_build, arguments, where, out), (where.results, where.site), arguments.port)
    return 0


def _agents(arguments: argparse.Namespace, where: Project) -> int:
    from mmbench.bench import agent_tools

    return agent_tools.run(arguments, where)


def _console() -> Console:
    from rich.console import Console

    return Console(file=sys.stderr, highlight=False)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; every error a user can cause is one paragraph."""
    words = sys.argv[1:] if argv is None else argv
    try:
        arguments = parser().parse_args(words)
        arguments.typed = tuple(words)
        where = project(results=getattr(arguments, "results", None))
        code: int = arguments.run(arguments, where)
    except MmbenchError as error:
        return _fail(error)
    except ModuleNotFoundError as error:
        return _fail(_missing(error, words[0] if words else ""))
    except KeyboardInterrupt:
        fix = "Add --resume to the same command to go on." if list(words[:1]) == ["bench"] else ""
        return _fail(Interrupted("Interrupted.", fix=fix))
    except BrokenPipeError:
        # The reader of our output went away: not worth a word, and nothing more can be flushed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _fail(refused(error))
    return code


def _missing(error: ModuleNotFoundError, command: str) -> PrerequisiteError:
    """Explain a package that this environment lacks; a missing part of mmbench itself is no user's fault."""
    if not error.name or error.name.partition(".")[0] == "mmbench":
        raise error
    return PrerequisiteError(
        f"This Python has no package '{error.name}', which `{command}` needs.",
        fix=f"Run it through Nox, which installs what it needs: nox -s {command}",
    )


def _fail(error: MmbenchError) -> int:
    print(terminal.visible(f"mmbench: {error}"), file=sys.stderr)
    return error.exit_code
