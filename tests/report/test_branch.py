"""Publishing pushes the site to a branch of a real repository, and refuses what should not be seen."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mmbench.errors import DataError, MmbenchError, PrerequisiteError, UsageError
from mmbench.layout import Project, project
from mmbench.report import branch
from tests.support import sessions


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    done = subprocess.run(
        ["git", *identity, "-C", str(root), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "t")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "t@example.org")
    root = tmp_path / "clone"
    git(tmp_path, "init", "--quiet", "--bare", "remote.git")
    git(tmp_path, "init", "--quiet", "clone")
    git(root, "remote", "add", "origin", str(tmp_path / "remote.git"))
    (root / "site").symlink_to(project().site)
    sessions.write(root / "results" / "s1.jsonl", sessions.keys(), done=4)
    git(root, "add", "-A")
    git(root, "commit", "--quiet", "-m", "results")
    return Project(root, root / "results", tmp_path / "state")


def test_the_site_lands_on_the_branch_of_the_remote(where: Project, tmp_path: Path) -> None:
    commit = branch.publish(where, remote="origin", branch="gh-pages")
    remote = tmp_path / "remote.git"
    assert git(remote, "rev-parse", "gh-pages") == commit
    files = git(remote, "ls-tree", "-r", "--name-only", "gh-pages").splitlines()
    assert {"index.html", ".nojekyll"} <= set(files)
    assert git(where.root, "rev-parse", "--short=12", "HEAD") in git(
        remote, "log", "-1", "--format=%s", "gh-pages"
    )
    assert git(where.root, "status", "--porcelain") == ""


def test_a_second_time_adds_to_the_branch(where: Project, tmp_path: Path) -> None:
    branch.publish(where, remote="origin", branch="gh-pages")
    sessions.write(where.ledger("s2"), sessions.keys(), done=4)
    git(where.root, "add", "-A")
    git(where.root, "commit", "--quiet", "-m", "more")
    branch.publish(where, remote="origin", branch="gh-pages")
    assert len(git(tmp_path / "remote.git", "log", "--format=%h", "gh-pages").splitlines()) == 2


def damage(where: Project) -> None:
    path = where.ledger("s1")
    path.write_bytes(path.read_bytes().replace(b'"correctness":100.0', b'"correctness":99.0', 1))


def secret(where: Project) -> None:
    (where.results / "artifacts").mkdir()
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (where.results / "artifacts" / "note.txt").write_text(f"token = {key}\n")


@pytest.mark.parametrize(
    ("change", "commit", "error", "text"),
    [
        (damage, True, DataError, "faults in the results"),
        (secret, True, DataError, "look like secrets"),
        (secret, False, UsageError, "work tree has"),
    ],
)
def test_what_should_not_be_seen_is_not_published(
    where: Project, tmp_path: Path, change: object, commit: bool, error: type[MmbenchError], text: str
) -> None:
    change(where)  # type: ignore[operator]
    if commit:
        git(where.root, "add", "-A")
        git(where.root, "commit", "--quiet", "-m", "change")
    with pytest.raises(error, match=text):
        branch.publish(where, remote="origin", branch="gh-pages")
    assert git(tmp_path / "remote.git", "branch", "--list") == ""


def test_a_remote_that_refuses_is_named(where: Project) -> None:
    with pytest.raises(PrerequisiteError, match="could not be pushed"):
        branch.publish(where, remote="nowhere", branch="gh-pages")
