"""The disposable place of one trial: a fresh copy of the files, fresh homes, and a room around them.

<sandbox>/
├── work/    the copy of the case's subtree, the agent's working directory
├── home/    the agent's HOME
├── tmp/     its /tmp
├── state/   mm's HOME (arms with mm)
├── calls/   one file per mm call
├── shim/    the arm's `mm`
└── bin/     programs of its own, where it cannot share the arm's
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from mmbench.bench import obstacles, tree
from mmbench.bench.room import Bind, Kind, Room, etc_binds
from mmbench.bench.tree import Mark
from mmbench.errors import PrerequisiteError, UsageError

FOLDERS = ("work", "home", "tmp", "state", "calls", "shim")
FREE_RESERVE = 1 << 30
"""Bytes that must be free beside the copy before a trial starts."""

PASSED_ENV = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "TZ")


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are as seen inside the room."""

    work: PurePosixPath
    home: PurePosixPath
    tmp: PurePosixPath
    state: PurePosixPath
    calls: PurePosixPath
    shim: PurePosixPath
    bin: PurePosixPath


@dataclass(frozen=True, slots=True)
class Sandbox:
    """One trial's folders on the host, the room, and the files as they were copied in."""

    root: Path
    places: Places
    room: Room
    before: Mapping[str, Mark]

    def path(self, name: str) -> Path:
        """Return one of the sandbox's folders on the host."""
        return self.root / name

    @property
    def watched(self) -> list[Path]:
        """Return the folders that count against the disk limit."""
        return [self.root / name for name in ("work", "home", "tmp", "state", "calls")]

    def remove(self) -> None:
        """Remove everything, whatever modes the agent gave it; OSError when something stays."""
        tree.remove(self.root)


def inside(kind: Kind, root: Path, mount: str) -> Places:
    """Return the paths of a sandbox as its processes see them."""
    if kind == "process":
        return Places(**{name: PurePosixPath(root / name) for name in (*FOLDERS, "bin")})
    # Neutral names: an agent in the control arm must not learn what is being measured.
    own = PurePosixPath("/run/box")
    return Places(
        work=PurePosixPath(mount),
        home=PurePosixPath("/home/agent"),
        tmp=PurePosixPath("/tmp"),  # noqa: S108 (inside the room it is a private folder)
        state=own / "state",
        calls=own / "calls",
        shim=own / "shim",
        bin=own / "bin",
    )


def make(
    root: Path,
    *,
    kind: Kind,
    source: Path,
    mount: str,
    bin_folder: Path,
    binds: Sequence[Bind] = (),
    host_env: Mapping[str, str] | None = None,
    obstacle: Mapping[str, Any] | None = None,
) -> Sandbox:
    """Copy the files in and describe the room; PrerequisiteError when there is no space.

    `obstacle` is what stands in a variant's way (mmbench/bench/obstacles.py).
    """
    _require_space(root.parent, source)
    for name in FOLDERS[1:]:
        (root / name).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    tree.copy(source, root / "work")
    places = inside(kind, root, mount)
    programs = _programs(kind, bin_folder, root, obstacle)
    _write_login_files(root / "home", places)
    obstacles.shell(obstacle, root / "home")
    own = (
        Bind(programs, places.bin),
        Bind(root / "shim", places.shim),
        *(
            Bind(root / name, getattr(places, name), writable=True)
            for name in ("home", "tmp", "state", "calls", "work")
        ),
    )
    if kind != "process":  # what is written there counts too
        own = (*own, Bind(root / "tmp", PurePosixPath("/var/tmp"), writable=True))  # noqa: S108
    etc = etc_binds(root / "etc", places.home) if kind != "process" else ()
    # The sandbox's own folders first: a program of the host may lie below one of their places, such as /tmp.
    room = Room(kind, (*own, *etc, *binds), places.work, environment(places, host_env or {}))
    return Sandbox(root, places, room, tree.marks(root / "work"))


def _programs(kind: Kind, bin_folder: Path, root: Path, obstacle: Mapping[str, Any] | None) -> Path:
    """Return the folder of a trial's programs: the arm's, or one of its own where they differ."""
    own = root / "bin"
    if kind == "process":
        _copy_links(bin_folder, root)
    if obstacle is None or not obstacles.of_programs(obstacle):
        return bin_folder
    if kind != "process":
        obstacles.copy_links(bin_folder, own)
    obstacles.programs(obstacle, own)
    return own


def _copy_links(bin_folder: Path, root: Path) -> None:
    """Give a room that cannot move folders its own programs, among them its own `mm`."""
    (root / "bin").mkdir()
    for link in bin_folder.iterdir():
        target = root / "shim" / "mm" if link.name == "mm" else link.readlink()
        (root / "bin" / link.name).symlink_to(target)


def environment(places: Places, host_env: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of an agent before its adapter adds to it."""
    return {
        "HOME": str(places.home),
        "PATH": str(places.bin),
        "TMPDIR": str(places.tmp),
        "USER": "agent",
        "LOGNAME": "agent",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
    } | {name: host_env[name] for name in PASSED_ENV if name in host_env}


def _write_login_files(home: Path, places: Places) -> None:
    """Keep PATH through login shells: /etc/profile resets it, and some agents only use those."""
    line = f'export PATH="{places.bin}"\n'
    for name in (".profile", ".zprofile", ".zshenv"):
        (home / name).write_text(line, encoding="utf-8")


def _require_space(folder: Path, source: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < FREE_RESERVE:
        raise PrerequisiteError(
            f"{free >> 20} MB are free where sandboxes are made; {FREE_RESERVE >> 20} MB are needed.",
            where=str(folder),
            fix="Free some space, or set MMBENCH_STATE to a folder on a larger disk; then run with --resume.",
        )


@contextlib.contextmanager
def session_folder(folder: Path, *, keep: bool = False) -> Iterator[Path]:
    """Hold a locked folder for a session's sandboxes, removed at the end.

    A lock that nobody holds tells `sweep` that the session was killed.
    """
    if folder.exists():
        _require_idle(folder)
        tree.remove(folder)
    folder.mkdir(parents=True)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    if keep:
        (folder / "keep").touch()
    try:
        yield folder
    finally:
        if not keep:
            tree.remove(folder)
        os.close(descriptor)


def _require_idle(folder: Path) -> None:
    """Refuse a folder that another process works in: its sandboxes must not vanish under its agents."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UsageError(
            f"Session {folder.name} is under way in another process.",
            fix="Wait for it to end, or start a session of its own by leaving --resume out.",
        ) from error
    finally:
        os.close(descriptor)


def sweep(sandboxes: Path) -> int:
    """Remove what killed sessions left behind; return how many. Sessions under way hold a lock.

    What cannot be removed stays and keeps nobody from starting; `clean` says why.
    """
    removed = 0
    for folder in sorted(sandboxes.iterdir()) if sandboxes.is_dir() else []:
        lock = folder / "lock"
        try:
            descriptor = os.open(lock, os.O_RDWR)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not (folder / "keep").exists():
                tree.remove(folder)
                removed += 1
        except OSError:
            continue
        finally:
            os.close(descriptor)
    return removed
