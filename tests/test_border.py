"""The two halves share only the contract: neither imports the other, the contract imports neither."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "mmbench"
LATE = {"cli.py", "cli_cases.py", "cli_judge.py", "cli_results.py"}
"""Modules that may import a half, but only inside a function."""


def imports(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def reaches(path: Path, half: str) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if path.name in LATE and path.parent == PACKAGE:
        tree.body = [
            node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.If)
        ]
    return any(name == half or name.startswith(f"{half}.") for name in imports(tree))


@pytest.mark.parametrize(
    ("folder", "half"),
    [
        ("bench", "mmbench.report"),
        ("report", "mmbench.bench"),
        (".", "mmbench.bench"),
        (".", "mmbench.report"),
    ],
)
def test_no_module_reaches_over_the_border(folder: str, half: str) -> None:
    paths = PACKAGE.glob("*.py") if folder == "." else (PACKAGE / folder).rglob("*.py")
    assert [str(path.relative_to(ROOT)) for path in paths if reaches(path, half)] == []


def test_the_check_itself_sees_an_import(tmp_path: Path) -> None:
    for text in (
        "import mmbench.report.build",
        "from mmbench import report",
        "def f():\n from mmbench.report import x",
    ):
        module = tmp_path / "module.py"
        module.write_text(text)
        assert reaches(module, "mmbench.report")


@pytest.mark.parametrize(
    "module", ["mmbench.bench.command", "mmbench.bench.fixture", "mmbench.bench.grading.kinds"]
)
def test_the_bench_half_loads_no_report_library(module: str) -> None:
    code = f"import sys, {module}; print(sorted({{'polars', 'altair', 'jinja2'}} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_the_noxfile_imports_nothing_of_the_project() -> None:
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    assert not [name for name in imports(tree) if name.startswith("mmbench")]
