"""Every route to mm is tried, and each one that works is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmbench.bench.mm import Mm
from mmbench.bench.reach import PYTHON, probe_script, read_probe, routes
from tests.support.mm import installed_mm  # noqa: F401 (the fixture `mm`)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A PATH of one folder that has shells and a Python without mm."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "bash"):
        (folder / name).symlink_to(f"/bin/{name}")
    (folder / "python3").symlink_to(os.path.realpath(sys.executable))
    return folder


def probe(folder: Path, mm: Mm, *, expect_absent: bool, known: list | None = None, **env: str) -> list[str]:
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    (home / ".profile").write_text(f"echo welcome\nPATH={folder}\n")
    script = probe_script(routes(mm) if known is None else known, expect_absent=expect_absent)
    done = subprocess.run(
        ("/bin/sh", "-c", script),
        env={"PATH": str(folder), "HOME": str(home), **env},
        cwd=folder.parent,
        text=True,
        capture_output=True,
        timeout=120,
        check=True,
    )
    return [
        finding.label for finding in read_probe(done.stdout, expect_absent=expect_absent, version=mm.version)
    ]


def elsewhere(mm: Mm) -> list:
    """The routes without those of mm's own folder, which these tests cannot hide."""
    return [route for route in routes(mm) if not route.argv[0].startswith(str(mm.prefix))]


def test_routes_come_from_the_distribution(mm: Mm, tmp_path: Path) -> None:
    (tmp_path / "mm").touch()
    argvs = [route.argv[:3] for route in routes(mm, f"{tmp_path}:relative:/nowhere")]
    assert ("mm", "--version") in argvs
    assert (str(mm.executable), "--version") in argvs and (str(tmp_path / "mm"), "--version") in argvs
    assert (PYTHON, "-m", "mm.cli") in argvs and (str(mm.python), "-m", "mm.cli") in argvs
    assert not any("/nowhere" in argv[0] for argv in argvs)


def test_control_arm_with_mm_out_of_reach(folder: Path, mm: Mm) -> None:
    (folder.parent / "mm").mkdir()  # a folder of that name in the working directory is no mm
    (folder / "mm").write_text("#!/bin/sh\necho 'mm: command not found' >&2\nexit 127\n")
    (folder / "mm").chmod(0o755)
    assert probe(folder, mm, expect_absent=True, known=elsewhere(mm)) == []


def test_control_arm_names_each_route_that_works(folder: Path, mm: Mm) -> None:
    (folder / "mm").symlink_to(mm.executable)
    found = probe(folder, mm, expect_absent=True, PYTHONPATH=str(mm.site_packages))
    assert {"sh -c mm", "bash -c mm", "bash -lc mm", str(mm.executable), f"{mm.python} -m mm.cli"} <= set(
        found
    )
    assert f"{folder}/python3 import" in found and f"{mm.python} import" in found


def test_metadata_alone_counts_and_a_namesake_does_not(folder: Path, mm: Mm, tmp_path: Path) -> None:
    imports = [route for route in routes(mm) if route.label == "import"]
    (tmp_path / "names" / "mm").mkdir(parents=True)
    (tmp_path / "names" / "mm" / "__init__.py").touch()
    env = {"PYTHONPATH": str(tmp_path / "names")}
    assert probe(folder, mm, expect_absent=True, known=imports, **env) == []
    info = next(mm.site_packages.glob("mm_ctx-*.dist-info"))
    (tmp_path / "names" / info.name).symlink_to(info)
    assert f"{folder}/python3 import" in probe(folder, mm, expect_absent=True, known=imports, **env)


def test_user_site_is_a_route(folder: Path, mm: Mm) -> None:
    imports = [route for route in routes(mm) if route.label == "import"]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder.parent / "home" / ".local" / "lib" / version / "site-packages"
    site.parent.mkdir(parents=True)
    site.symlink_to(mm.site_packages)
    assert f"{folder}/python3 import" in probe(folder, mm, expect_absent=True, known=imports)


def test_treatment_arm(folder: Path, mm: Mm) -> None:
    (folder / "mm").symlink_to(mm.executable)
    assert probe(folder, mm, expect_absent=False) == []


def test_treatment_arm_whose_login_shell_loses_mm(folder: Path, mm: Mm) -> None:
    program = folder / "mm"
    program.write_text('#!/bin/sh\n[ -z "$LOST" ] && echo "mm v0.13.2 - x" || exit 127\n')
    program.chmod(0o755)
    (folder.parent / "home").mkdir()
    (folder.parent / "home" / ".bash_profile").write_text("export LOST=1\n")
    assert probe(folder, mm, expect_absent=False) == ["bash -lc mm"]


@pytest.mark.parametrize("text", ["", "mm v0.13.3", "mm v10.13.2", "mm v0.13.20", "mm v0.13.2.1"])
def test_another_version_is_not_the_treatment(text: str) -> None:
    output = f"mmbench-probe\tsh -c mm\t0\t{text}\nmmbench-probe\tend\t0\t\n"
    assert read_probe(output, expect_absent=False, version="0.13.2")


@pytest.mark.parametrize(
    "output", ["", "noise", "mmbench-probe\tsh -c mm\t127\tx\n", "mmbench-probe\tend\tx\t\n"]
)
@pytest.mark.parametrize("absent", [True, False])
def test_a_probe_that_did_not_finish_is_a_finding(output: str, absent: bool) -> None:
    assert [one.label for one in read_probe(output, expect_absent=absent, version="1")] == [
        "the probe itself"
    ]
