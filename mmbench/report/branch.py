"""Publish the report to a branch that GitHub Pages serves, once nothing speaks against it.

ghp-import writes the branch without touching the work tree: one well-kept file
instead of git plumbing of our own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from mmbench import scan, verify
from mmbench.errors import DataError, PrerequisiteError, UsageError
from mmbench.layout import Project
from mmbench.report import build


def publish(where: Project, *, remote: str, branch: str, address: str | None = None) -> str:
    """Build the site afresh and push it to a branch of a remote; return the commit that holds it.

    Raises DataError for results that do not verify or hold secrets, UsageError for a
    work tree with changes, PrerequisiteError when the remote refuses.
    """
    commit = _clean_head(where.root)
    found = verify.verify(where)
    if found.faults:
        raise DataError(
            f"{len(found.faults)} faults in the results; nothing is published. The first: {found.faults[0]}",
            fix="Run `nox -s verify` to see them all.",
        )
    scan.require_clean(where.results, where.state / "scan.json")
    with tempfile.TemporaryDirectory(prefix="mmbench-site-") as folder:
        out = Path(folder) / "site"
        build.build(where.results, out, site=where.site, cache=where.state / "report", address=address)
        return _push(where.root, out, remote, branch, commit)


def _clean_head(root: Path) -> str:
    """Return the commit that the site is built from, which must be all there is."""
    changed = _git(root, "status", "--porcelain").strip()
    if changed:
        raise UsageError(
            f"The work tree has {len(changed.splitlines())} changes, so nothing is published.",
            where=changed.splitlines()[0].strip(),
            fix="Commit them first: what is published must be what is committed.",
        )
    return _git(root, "rev-parse", "--short=12", "HEAD").strip()


def _push(root: Path, out: Path, remote: str, branch: str, commit: str) -> str:
    """Put the site on the branch and push it; a process of its own, because it works in its current folder."""
    command = [
        sys.executable,
        "-m",
        "ghp_import",
        "--push",
        "--no-jekyll",
        "--remote",
        remote,
        "--branch",
        branch,
    ]
    done = subprocess.run(
        [*command, "--message", f"Report of {commit}", str(out)],
        cwd=root,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        lines = [
            line for line in done.stderr.splitlines() if line.startswith(("fatal", "error", "remote", " !"))
        ]
        raise PrerequisiteError(
            f"The report could not be pushed to {branch} of {remote}: {(lines or ['no reason given'])[0]}.",
            fix="Check the remote and your right to push (git push --dry-run), then run it again.",
        )
    return _git(root, "rev-parse", branch).strip()


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise UsageError(
            f"git {arguments[0]} failed: {reason}.",
            fix="Publish from a clone of the repository.",
        )
    return done.stdout
