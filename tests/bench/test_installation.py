"""Installing agent CLIs from their locks."""

import base64
import hashlib
import json
import re
import shutil
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mmbench.bench import installation, toolchain
from mmbench.bench.installation import install
from mmbench.bench.toolchain import CliSetupError, CliVersionError
from mmbench.layout import project
from tests.bench.test_toolchain import ROOT, place, put, script, where

__all__ = ["where"]

GOOD_NPM = """mkdir -p node_modules/.bin
printf '#!/bin/sh\\necho 1.2.3\\n' > node_modules/.bin/claude
chmod +x node_modules/.bin/claude"""


@pytest.fixture
def npm(tmp_path, monkeypatch):
    """Put a stand-in for npm first on PATH; the real one needs a registry."""

    def use(text: str) -> None:
        script(tmp_path / "stand-in/npm", text)

    monkeypatch.setenv("PATH", str(tmp_path / "stand-in"), prepend=":")
    return use


def test_installs_and_checks_the_version(where, npm):
    npm(GOOD_NPM)
    found = install("claude", where)
    assert found == toolchain.installed("claude", where)
    stamp = json.loads((where.agents / "claude/installed.json").read_text())
    assert stamp["version"] == "1.2.3" and stamp["megabytes"] >= 0


def test_the_launcher_works_through_a_link_and_after_a_move(where, npm, tmp_path):
    npm(GOOD_NPM)
    install("claude", where)
    moved = where.state.rename(tmp_path / "moved")
    link = tmp_path / "link"
    link.symlink_to(moved / "agents/claude/bin/claude")
    assert toolchain.probe(link) == "1.2.3"


def test_installs_nothing_twice(where, npm):
    npm("exit 1")
    put(where, "1.2.3")
    assert install("claude", where).version == "1.2.3"


def test_two_at_once_install_it_once(where, npm, tmp_path):
    npm(f"echo run >> {tmp_path}/runs; sleep 0.2\n{GOOD_NPM}")
    with ThreadPoolExecutor(2) as both:
        found = list(both.map(lambda _: install("claude", where), range(2)))
    assert [one.version for one in found] == ["1.2.3", "1.2.3"]
    assert (tmp_path / "runs").read_text().count("run") == 1


def test_replaces_another_version_and_what_an_interruption_left(where, npm):
    npm(GOOD_NPM)
    put(where, "1.0.0")
    left = where.agents / ".claude.part/old"
    left.mkdir(parents=True)
    assert install("claude", where).version == "1.2.3"
    assert not left.exists() and not left.parent.exists()


def test_another_version_than_the_lock_promises_is_an_error(where, npm):
    npm(GOOD_NPM.replace("1.2.3", "1.1.1"))
    with pytest.raises(CliVersionError, match=r"1\.1\.1"):
        install("claude", where)
    assert toolchain.installed("claude", where) is None


def test_what_npm_says_is_shown(where, npm):
    npm("echo EINTEGRITY >&2; exit 1")
    with pytest.raises(CliSetupError, match="EINTEGRITY"):
        install("claude", where)


def test_npm_must_be_there(where, monkeypatch):
    monkeypatch.setenv("PATH", str(where.root))
    with pytest.raises(CliSetupError, match="npm is not installed"):
        install("claude", where)


def test_an_endless_npm_is_stopped(where, npm, monkeypatch):
    npm("exec sleep 60")
    monkeypatch.setattr(installation, "INSTALL_TIMEOUT_S", 0.2)
    with pytest.raises(CliSetupError, match="did not end"):
        install("claude", where)


def wheel(folder: Path) -> str:
    """Build a wheel with a console script that prints its version; return its hash."""
    info = "hermes_agent-1.2.3.dist-info"
    files = {
        "hermes_stand_in.py": "def main():\n    print('hermes 1.2.3')\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: hermes-agent\nVersion: 1.2.3\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nhermes = hermes_stand_in:main\n",
    }
    path = folder / "hermes_agent-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        record = ""
        for name, text in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(text)}\n"
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("tampered", [False, pytest.param(True, marks=pytest.mark.live)])
def test_installs_into_a_virtualenv_by_hash(tmp_path, tampered):
    folder = tmp_path / "locks/hermes"
    folder.mkdir(parents=True)
    digest = wheel(folder)
    (folder / "requirements.in").write_text("hermes-agent==1.2.3\n")
    name = "hermes_agent-1.2.3-py3-none-any.whl"
    expected = digest[::-1] if tampered else digest
    (folder / "requirements.txt").write_text(f"./{name} --hash=sha256:{expected}\n")
    if tampered:
        with pytest.raises(CliSetupError, match=r"(?i)hash"):
            install("hermes", place(tmp_path))
    else:
        found = install("hermes", place(tmp_path))
        assert toolchain.probe(found.path) == found.version == "1.2.3"


@pytest.mark.live
@pytest.mark.parametrize("tampered", [False, True])
def test_the_registry_gives_what_the_lock_promises(tmp_path, tampered):
    for name in ("codex", "node"):
        shutil.copytree(ROOT / "locks" / name, tmp_path / "locks" / name)
    lock = tmp_path / "locks/codex/package-lock.json"
    if tampered:
        lock.write_text(re.sub(r"sha512-.{8}", "sha512-AAAAAAAA", lock.read_text()))
        with pytest.raises(CliSetupError, match="EINTEGRITY"):
            install("codex", place(tmp_path))
    else:
        assert install("codex", place(tmp_path)).version == toolchain.pinned("codex", project())
