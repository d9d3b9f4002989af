"""The documents tell the truth about what is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mmbench import cli

ROOT = Path(__file__).parent.parent
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_each_locked_package_is_listed_with_its_licence(lock: Path) -> None:
    rows = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").splitlines()
    listed = {row.split("|")[1].strip() for row in rows if row.startswith("| ")}
    locked = set(re.findall(r"^([A-Za-z0-9_.-]+)==", lock.read_text(encoding="utf-8"), re.MULTILINE))
    assert {name.lower() for name in locked} - listed == set()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_each_locked_package_carries_hashes_and_no_address(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert "://" not in text
    packages = re.split(r"^(?=[A-Za-z0-9_.-]+==)", text, flags=re.MULTILINE)[1:]
    assert [package.split("==")[0] for package in packages if "--hash=sha256:" not in package] == []


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]), ids=lambda path: path.name
)
def test_links_between_documents_lead_somewhere(page: Path) -> None:
    targets = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_each_nox_session_has_one_line_that_says_what_it_does() -> None:
    import ast

    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    sessions = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("nox.session" in ast.unparse(d) for d in node.decorator_list)
    ]
    assert {"fetch", "validate", "check", "bench", "report", "serve", "tests", "lint", "perf"} <= {
        node.name for node in sessions
    }
    for node in sessions:
        text = ast.get_docstring(node) or ""
        assert text.count("\n") == 0 and text.endswith("."), node.name


def test_the_readme_names_each_nox_session_that_a_user_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in (
        "bench",
        "check",
        "fetch",
        "agents",
        "validate",
        "report",
        "serve",
        "tests",
        "lint",
        "live",
        "perf",
    ):
        assert f"`{name}`" in readme, name


def commands() -> list[str]:
    (action,) = [action for action in cli.parser()._actions if action.dest == "command"]
    return sorted(action.choices or ())


@pytest.mark.parametrize("command", commands())
def test_each_command_explains_itself(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mmbench", command, "--help"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0
    assert "exit codes:" in done.stdout


def test_no_command_at_all_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    assert "mmbench: " in capsys.readouterr().err


def test_the_locks_of_the_agents_name_no_address() -> None:
    for lock in (ROOT / "locks").glob("*/package-lock.json"):
        assert '"resolved"' not in lock.read_text(encoding="utf-8"), lock
