"""What mmbench asks of git: the bytes of files at a revision, and tags."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from mmbench.errors import PrerequisiteError, UsageError

TIMEOUT_S = 120


def run(folder: Path, *arguments: str) -> bytes:
    """Run git in a folder and return its output; UsageError with git's own words when it refuses."""
    done = _start(folder, arguments)
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(f"git {arguments[0]} failed: {words[-1] if words else 'no reason given'}.")
    return done.stdout


def _start(folder: Path, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[bytes]:
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(
            command, capture_output=True, check=False, timeout=TIMEOUT_S, env={**os.environ, "LC_ALL": "C"}
        )
    except FileNotFoundError as error:
        raise PrerequisiteError("git is not installed.", fix="Install git; it keeps the results.") from error
    except subprocess.TimeoutExpired as error:
        raise PrerequisiteError(f"git {arguments[0]} did not end within {TIMEOUT_S} seconds.") from error


def top(folder: Path) -> Path | None:
    """Return the work tree that a folder lies in, None for one outside of any."""
    if not folder.is_dir():
        return None
    done = _start(folder, ("rev-parse", "--show-toplevel"))
    return Path(os.fsdecode(done.stdout.rstrip(b"\n"))) if done.returncode == 0 else None


def commit(folder: Path, revision: str) -> str:
    """Return the commit that a revision names; UsageError when there is none."""
    done = _start(folder, ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"))
    if done.returncode != 0:
        raise UsageError(
            f"git knows no commit '{revision}' here.",
            fix="Fetch it first (git fetch origin; in a workflow: fetch-depth: 0).",
        )
    return done.stdout.decode().strip()


def files(folder: Path, revision: str, below: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of the files that lay directly in a folder at a commit."""
    prefix = f"{below.as_posix()}/" if below != Path() else ""
    listed = run(folder, "ls-tree", "-z", revision, *(["--", prefix] if prefix else []))
    for entry in listed.split(b"\0"):
        kind, _, path = entry.partition(b"\t")
        if b" blob " in kind:
            name = os.fsdecode(path).removeprefix(prefix)
            yield name, run(folder, "cat-file", "blob", kind.split()[2].decode())


def tag_message(folder: Path, name: str) -> str | None:
    """Return the message of an annotated tag, None when there is no such tag."""
    done = _start(folder, ("for-each-ref", "--format=%(contents)", f"refs/tags/{name}"))
    text = done.stdout.decode("utf-8", "replace")
    return text if done.returncode == 0 and text.strip() else None


def signs(folder: Path) -> bool:
    """Tell whether git is set up to sign here."""
    asked = (("--bool", "tag.gpgSign"), ("--bool", "commit.gpgSign"), ("user.signingKey",))
    answers = [_start(folder, ("config", "--get", *words)).stdout.strip() for words in asked]
    return answers[0] != b"false" and (b"true" in answers[:2] or bool(answers[2]))


def tag(folder: Path, name: str, message: str, *, sign: bool) -> None:
    """Make an annotated tag at HEAD; UsageError when it is there already or cannot be signed."""
    try:
        run(folder, "tag", "-s" if sign else "-a", "--cleanup=verbatim", "-m", message, name)
    except UsageError as error:
        fix = "Tell git who you are: git config user.name NAME; git config user.email ADDRESS"
        raise UsageError(
            error.what, fix=fix if "email" in error.what or "ident" in error.what else ""
        ) from error
