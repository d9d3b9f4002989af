"""Installing agent CLIs from their locks."""

import base64
import hashlib
import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from mmbench.bench import installation, toolchain
from mmbench.bench.installation import install
from mmbench.bench.toolchain import CliSetupError, CliVersionError
from tests.bench.test_toolchain import ROOT, put, root, script

__all__ = ["root"]

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


def test_installs_and_checks_the_version(root, npm):
    npm(GOOD_NPM)
    found = install("claude", root)
    assert found == toolchain.installed("claude", root)
    stamp = json.loads((root / ".mmbench/agents/claude/installed.json").read_text())
    assert stamp["version"] == "1.2.3" and stamp["megabytes"] >= 0


def test_the_launcher_works_through_a_link_and_after_a_move(root, npm, tmp_path):
    npm(GOOD_NPM)
    install("claude", root)
    moved = (root / ".mmbench").rename(tmp_path / "moved")
    link = tmp_path / "link"
    link.symlink_to(moved / "agents/claude/bin/claude")
    assert toolchain.probe(link) == "1.2.3"


def test_installs_nothing_twice(root, npm):
    npm("exit 1")
    put(root, "1.2.3")
    assert install("claude", root).version == "1.2.3"


def test_replaces_another_version_and_what_an_interruption_left(root, npm):
    npm(GOOD_NPM)
    put(root, "1.0.0")
    left = root / ".mmbench/agents/.claude.part/old"
    left.mkdir(parents=True)
    assert install("claude", root).version == "1.2.3"
    assert not left.exists() and not left.parent.exists()


def test_another_version_than_the_lock_promises_is_an_error(root, npm):
    npm(GOOD_NPM.replace("1.2.3", "1.1.1"))
    with pytest.raises(CliVersionError, match=r"1\.1\.1"):
        install("claude", root)
    assert toolchain.installed("claude", root) is None


def test_what_npm_says_is_shown(root, npm):
    npm("echo EINTEGRITY >&2; exit 1")
    with pytest.raises(CliSetupError, match="EINTEGRITY"):
        install("claude", root)


def test_npm_must_be_there(root, monkeypatch):
    monkeypatch.setenv("PATH", str(root))
    with pytest.raises(CliSetupError, match="npm is not installed"):
        install("claude", root)


def test_an_endless_npm_is_stopped(root, npm, monkeypatch):
    npm("exec sleep 60")
    monkeypatch.setattr(installation, "INSTALL_TIMEOUT_S", 0.2)
    with pytest.raises(CliSetupError, match="did not end"):
        install("claude", root)


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
            install("hermes", tmp_path)
    else:
        found = install("hermes", tmp_path)
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
            install("codex", tmp_path)
    else:
        assert install("codex", tmp_path).version == toolchain.pinned("codex", ROOT)
