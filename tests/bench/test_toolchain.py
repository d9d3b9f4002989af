"""Finding the agent CLIs, and the locks they are installed from."""

import dataclasses
import json
import os
import re
import stat
from pathlib import Path

import pytest

from mmbench.bench import toolchain
from mmbench.bench.toolchain import CliMissingError, CliSetupError, CliVersionError, Tool
from mmbench.errors import UsageError
from mmbench.layout import Project, project

ROOT = Path(__file__).resolve().parents[2]
NPM = [name for name, tool in toolchain.TOOLS.items() if tool.channel == "npm"]


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def place(folder: Path) -> Project:
    """A project in a folder, its state where it is by default."""
    return Project(folder, folder / "results", folder / ".mmbench")


@pytest.fixture
def where(tmp_path: Path) -> Project:
    """A project whose lock pins claude 1.2.3."""
    folder = tmp_path / "locks" / "claude"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text('{"dependencies": {"@anthropic-ai/claude-code": "1.2.3"}}')
    return place(tmp_path)


def put(where: Project, version: str) -> Path:
    folder = where.agents / "claude"
    program = script(folder / "bin/claude", f"echo {version}")
    (folder / "installed.json").write_text(json.dumps({"version": version}))
    return program


@pytest.mark.parametrize("name", NPM)
def test_each_npm_lock_pins_exactly_with_hashes_and_without_a_registry(name):
    folder = ROOT / "locks" / name
    lock = json.loads((folder / "package-lock.json").read_text())
    packages = {path: entry for path, entry in lock["packages"].items() if path}
    assert packages[f"node_modules/{toolchain.TOOLS[name].package}"]["version"] == toolchain.pinned(
        name, project()
    )
    hashed = [entry for entry in packages.values() if not entry.get("inBundle")]  # the others come inside one
    assert hashed and all(entry["integrity"].startswith("sha512-") for entry in hashed)
    assert not any("resolved" in entry for entry in packages.values())
    assert re.fullmatch(r"\d+\.\d+\.\d+", toolchain.pinned(name, project()))


def test_the_pypi_lock_pins_exactly_with_hashes_and_without_an_index():
    text = (ROOT / "locks/hermes/requirements.txt").read_text()
    requirements = re.split(r"\n(?=\S)", text.strip())
    assert all("==" in line and "--hash=sha256:" in line for line in requirements)
    assert f"hermes-agent=={toolchain.pinned('hermes', project())} " in text
    assert "://" not in text


def test_the_node_lock_pins_one_version_for_every_machine_it_has():
    lock = json.loads((ROOT / "locks/node/package-lock.json").read_text())
    builds = {entry["version"] for path, entry in lock["packages"].items() if path}
    assert len(builds) == 1


def test_nothing_is_installed_in_a_fresh_project(where):
    assert toolchain.installed("claude", where) is None


def test_finds_the_projects_own(where):
    program = put(where, "1.2.3")
    found = toolchain.find("claude", where, search_path="")
    assert (found.path, found.version) == (program, "1.2.3")


@pytest.mark.parametrize("stamp", ["", "{", "[]", "{}"])
def test_an_installation_without_a_whole_stamp_is_none(where, stamp):
    put(where, "1.2.3")
    (where.agents / "claude/installed.json").write_text(stamp)
    assert toolchain.installed("claude", where) is None


def test_prefers_the_projects_own_to_the_users(where, tmp_path):
    own = put(where, "1.2.3")
    script(tmp_path / "bin/claude", "echo 1.2.3")
    assert toolchain.find("claude", where, search_path=str(tmp_path / "bin")).path == own


def test_takes_the_users_at_the_pinned_version(where, tmp_path):
    program = script(tmp_path / "bin/claude", "echo '1.2.3 (Claude Code)'")
    assert toolchain.find("claude", where, search_path=str(tmp_path / "bin")).path == program


@pytest.mark.parametrize("version", ["1.2.2", "1.2.30", "nothing"])
def test_refuses_another_version(where, tmp_path, version):
    script(tmp_path / "bin/claude", f"echo {version}")
    with pytest.raises(CliVersionError, match=r"1\.2\.3") as caught:
        toolchain.find("claude", where, search_path=str(tmp_path / "bin"))
    assert caught.value.kind == "cli_version" and "nox -s agents -- claude" in str(caught.value)


def test_refuses_an_old_one_of_the_projects_own(where):
    put(where, "1.0.0")
    with pytest.raises(CliVersionError, match=r"1\.0\.0"):
        toolchain.find("claude", where, search_path="")


def test_a_state_folder_elsewhere_holds_the_installations_too(where, tmp_path):
    other = dataclasses.replace(where, state=tmp_path / "elsewhere")
    put(other, "1.2.3")
    assert toolchain.installed("claude", where) is None
    assert (
        toolchain.find("claude", other, search_path="").path
        == tmp_path / "elsewhere/agents/claude/bin/claude"
    )


def test_says_what_to_type_when_there_is_none(where):
    with pytest.raises(CliMissingError, match="nox -s agents -- claude") as caught:
        toolchain.find("claude", where, search_path="")
    assert caught.value.kind == "cli_missing"


def test_names_the_nearest_agent():
    with pytest.raises(UsageError, match="claude"):
        toolchain.tool_of("cluade")


def test_a_broken_lock_is_an_error_with_a_fix(where):
    (where.root / "locks/claude/package.json").write_text("{")
    with pytest.raises(CliSetupError, match="git checkout"):
        toolchain.pinned("claude", where)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("echo codex-cli 0.171.0", "0.171.0"),
        ("echo 0.73.1 >&2", "0.73.1"),
        ("echo 2026.9.6-beta.1", "2026.9.6-beta.1"),
        ("echo no version", ""),
        ("echo 1.2.3; exit 3", ""),
    ],
)
def test_asks_a_program_for_its_version(tmp_path, text, version):
    assert toolchain.probe(script(tmp_path / "x", text)) == version


def test_a_program_that_cannot_start_has_no_version(tmp_path):
    path = script(tmp_path / "x", "echo 1.2.3")
    path.chmod(stat.S_IRUSR)
    assert toolchain.probe(path) == ""


def test_asking_shows_the_users_home_to_no_program(tmp_path):
    path = script(tmp_path / "x", f'[ "$HOME" = {os.environ["HOME"]} ] || echo 1.2.3')
    assert toolchain.probe(path) == "1.2.3"


def test_each_agent_is_named_once():
    assert all(isinstance(tool, Tool) and tool.name == name for name, tool in toolchain.TOOLS.items())
