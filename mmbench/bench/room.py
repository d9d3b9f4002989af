"""Rooms: what a process can see of the machine, by bubblewrap, by bare namespaces, or not at all.

A room is a list of folders that exist inside; what is not on the list does not.
Ground truth, results and the checkout are never on it. Where neither bubblewrap
nor user namespaces are to be had, a process room shows everything and says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Literal

import psutil

from mmbench.bench import namespaces
from mmbench.bench.process import Finished, Limits, run, wait_gone
from mmbench.layout import project

Kind = Literal["bubblewrap", "namespaces", "process"]

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
CHECKOUT = Path(__file__).resolve().parents[2]
"""The project itself, which no room shows wherever it lies, in /opt or /usr/src too: it holds the answers.

Nor is its state shown (datasets with their cases, other sandboxes), which may lie elsewhere.
"""
ETC = tuple(
    """
    alternatives bash.bashrc ca-certificates ca-certificates.conf crypto-policies debian_version
    default/locale environment fonts gai.conf host.conf inputrc java-17-openjdk java-21-openjdk
    ld.so.cache ld.so.conf ld.so.conf.d locale.alias locale.conf localtime login.defs magic magic.mime
    manpath.config mime.types mke2fs.conf nsswitch.conf os-release perl pki profile profile.d protocols
    python3 python3.11 python3.12 python3.13 resolv.conf rpc services shells ssl terminfo timezone
    xattr.conf xml zsh ImageMagick-6 ImageMagick-7
    """.split()
)
"""What of /etc programs need; never hostname, hosts, shadow, machine-id or a user's configuration."""

ACCOUNTS = """\
root:x:0:0:root:{home}:/bin/bash
agent:x:1000:1000:agent:{home}:/bin/bash
nobody:x:65534:65534:nobody:/:/bin/false
"""
GROUP = "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n"
HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost\n"
SWEEPS = 10
"""Rounds of looking for processes that start new ones while they are being killed."""
INSTALL_HINT = "Install bubblewrap (Debian: `sudo apt-get install bubblewrap`)."


@dataclass(frozen=True, slots=True)
class Bind:
    """One folder or file of the host that exists inside a room."""

    source: Path
    target: PurePosixPath
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    """A way to run processes that see only the system and the binds."""

    kind: Kind
    binds: tuple[Bind, ...]
    workdir: PurePosixPath
    env: Mapping[str, str]

    @property
    def hides_files(self) -> bool:
        """Tell whether files that are not bound do not exist inside."""
        return self.kind != "process"

    def run(
        self,
        argv: Sequence[str],
        *,
        limits: Limits,
        stdin: bytes = b"",
        watched: Sequence[Path] = (),
        cancel: threading.Event | None = None,
        tee: Callable[[bytes], None] | None = None,
    ) -> Finished:
        """Run a command in the room to its end or a limit; nothing of it is alive afterwards."""
        start = partial(run, limits=limits, stdin=stdin, watched=watched, cancel=cancel, tee=tee)
        return _WAYS[self.kind](self, argv, start)

    def host_path(self, inside: PurePosixPath) -> Path:
        """Translate a path inside the room to the host's."""
        for bind in self.binds:
            if inside == bind.target or bind.target in inside.parents:
                return bind.source / inside.relative_to(bind.target)
        return Path(inside)


MARKER = "ROOM_TOKEN"


def sweep(token: str) -> None:
    """Kill what left a room without namespaces, told by the marker in its environment."""
    for _ in range(SWEEPS):
        found = [process for process in psutil.process_iter() if _marked(process, token)]
        if not found:
            return
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        wait_gone(found)


def _marked(process: psutil.Process, token: str) -> bool:
    try:
        return process.pid != os.getpid() and process.environ().get(MARKER) == token
    except (psutil.Error, OSError):
        return False


Start = Callable[..., Finished]
"""`process.run` with all that does not depend on the kind of room."""


def _in_bubblewrap(room: Room, argv: Sequence[str], start: Start) -> Finished:
    info_read, info_write = os.pipe()
    options = _as_fd(b"".join(os.fsencode(option) + b"\0" for option in _bubblewrap(room, info_write)))
    try:
        return start(
            ["bwrap", "--args", str(options), "--", *argv],
            env={"PATH": os.defpath},
            pass_fds=(options, info_write),
            init_info=info_read,
        )
    finally:
        os.close(info_read)


def _in_namespaces(room: Room, argv: Sequence[str], start: Start) -> Finished:
    # On a folder of its own: what the room's root is mounted on can be shown nowhere inside.
    with tempfile.TemporaryDirectory(prefix="mmbench-room-") as root:
        spec = _namespaces(room, argv, root)
        return start(
            [*UNSHARE, sys.executable, "-I", "-S", str(Path(namespaces.__file__)), str(spec)],
            env={"PATH": os.defpath},
            pass_fds=(spec,),
        )


def _as_process(room: Room, argv: Sequence[str], start: Start) -> Finished:
    token = uuid.uuid4().hex
    try:
        return start(list(argv), env={**room.env, MARKER: token}, cwd=room.host_path(room.workdir))
    finally:
        sweep(token)


_WAYS: Mapping[Kind, Callable[[Room, Sequence[str], Start], Finished]] = {
    "bubblewrap": _in_bubblewrap,
    "namespaces": _in_namespaces,
    "process": _as_process,
}


def _as_fd(data: bytes) -> int:
    """Put options where the inside cannot read them, unlike the command line of its first process."""
    descriptor = os.memfd_create("options")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _bubblewrap(room: Room, info: int) -> list[str]:
    """Build bubblewrap's options for a room."""
    options = [
        *"--unshare-user --uid 1000 --gid 1000 --unshare-pid --unshare-ipc --unshare-uts".split(),
        *"--unshare-cgroup-try --hostname sandbox --die-with-parent --new-session --clearenv".split(),
        *"--proc /proc --dev /dev --dir /run --dir /var/tmp --info-fd".split(),
        str(info),
    ]
    places = [str(place) for place in hidden()]
    options += _shown(system_binds())
    for place in places:
        options += ["--tmpfs", place]
    options += _shown(room.binds)
    for place in places:
        options += ["--remount-ro", place]
    for name, value in room.env.items():
        options += ["--setenv", name, value]
    return [*options, "--chdir", str(room.workdir)]


def _shown(binds: Sequence[Bind]) -> list[str]:
    return [
        word
        for bind in binds
        for word in ("--bind" if bind.writable else "--ro-bind", str(bind.source), str(bind.target))
    ]


UNSHARE = (
    "setpriv --pdeathsig KILL unshare --user --map-root-user --mount --pid --ipc --uts --fork --kill-child"
).split()


def _namespaces(room: Room, argv: Sequence[str], root: str) -> int:
    """Describe the same room for `namespaces.py`, on a descriptor; `root` is an empty folder to build it on."""
    system, own = (
        [(str(bind.source), str(bind.target), bind.writable) for bind in binds]
        for binds in (system_binds(), room.binds)
    )
    binds = [*system, *(("", str(place), True) for place in hidden()), *own]
    spec = {
        "binds": binds,
        "root": root,
        "workdir": str(room.workdir),
        "argv": list(argv),
        "env": dict(room.env),
    }
    return _as_fd(json.dumps(spec).encode())


@lru_cache(maxsize=1)
def system_binds() -> tuple[Bind, ...]:
    """Return what of the system every room shows, read-only."""
    paths = [Path(path) for path in SYSTEM] + [Path("/etc") / name for name in ETC]
    binds = [Bind(path, PurePosixPath(path)) for path in paths if path.exists()]
    resolver = Path("/etc/resolv.conf")
    if resolver.is_symlink() and resolver.exists():
        # A link into /run: the target must exist inside as well.
        binds.append(Bind(resolver.resolve(), PurePosixPath(resolver.resolve())))
    return tuple(binds)


def hidden() -> tuple[PurePosixPath, ...]:
    """Return where the system folders would show the project or its state; an empty folder stands there."""
    real = [(root, Path(root).resolve()) for root in SYSTEM]
    return tuple(
        PurePosixPath(root) / own.relative_to(place)
        for own in _own()
        for root, place in real
        if own.is_relative_to(place)
    )


def _own() -> tuple[Path, ...]:
    """Return the project's folders, one within another left out."""
    state = project().state.resolve()
    return (CHECKOUT,) if state.is_relative_to(CHECKOUT) else (CHECKOUT, state)


def on_system(path: Path) -> bool:
    """Tell whether the system folders of every room show a path."""
    return any(path.is_relative_to(root) for root in SYSTEM) and not any(map(path.is_relative_to, _own()))


def interpreter_binds(prefix: Path) -> tuple[Bind, ...]:
    """Return the bind of a Python's installation when the system folders do not cover it."""
    if on_system(prefix):
        return ()
    return (Bind(prefix, PurePosixPath(prefix)),)


def etc_binds(folder: Path, home: PurePosixPath) -> tuple[Bind, ...]:
    """Write the account and host files of a room, which name nobody, and return their binds."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"passwd": ACCOUNTS.format(home=home), "group": GROUP, "hosts": HOSTS, "hostname": "sandbox\n"}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tuple(Bind(folder / name, PurePosixPath("/etc") / name) for name in texts)


@lru_cache(maxsize=1)
def best_kind() -> Kind:
    """Return the strongest kind of room that works here, by trying it."""
    if sys.platform != "linux":
        return "process"
    candidates: tuple[tuple[Kind, list[str]], ...] = (
        ("bubblewrap", ["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true"]),
        ("namespaces", [*UNSHARE, "/bin/sh", "-c", "mount -t proc proc /proc"]),
    )
    return next((kind for kind, probe in candidates if _works(probe)), "process")


def _works(probe: list[str]) -> bool:
    if shutil.which(probe[0]) is None:
        return False
    done = subprocess.run(probe, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=10)
    return done.returncode == 0
