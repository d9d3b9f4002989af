"""Makes a room out of bare namespaces: the first process inside, run by path with `python -I -S`.

It reads a JSON object from the descriptor in argv[1] ({"binds": [[source,
target, writable], …], "root": folder, "workdir": path, "argv": […], "env": {…}}),
builds the tree by bind mounts, and stays as the parent that reaps what the
agent leaves behind. Only the standard library: it runs without site-packages.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
Spec = dict[str, object]


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Call mount(2); OSError with the target when it fails."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode() or None
    ):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), target)


def make_place(source: str, target: str) -> None:
    """Make the empty folder or file that a bind is put on."""
    if os.path.isdir(source):  # noqa: PTH112 (pathlib would double the start-up time)
        os.makedirs(target, exist_ok=True)  # noqa: PTH103
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
    os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))


def bind(source: str, target: str, writable: bool) -> None:
    """Show a folder or file of the host inside, read-only unless it is said otherwise; without one, nothing."""
    if not source:
        mount("hidden", target, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755")
        return
    make_place(source, target)
    mount(source, target, "", MS_BIND | MS_REC)
    if not writable:
        # Flags that the host's mount has and a user namespace may not drop are kept.
        kept = os.statvfs(target).f_flag & (MS_NOSUID | MS_NODEV | 8)
        mount("", target, "", MS_REMOUNT | MS_BIND | MS_RDONLY | kept)


def build(root: str, binds: list[tuple[str, str, bool]]) -> None:
    """Build the tree of the room on an empty file system."""
    mount("", "/", "", MS_REC | MS_PRIVATE)
    mount("room", root, "tmpfs", MS_NOSUID, "mode=755")
    for folder in ("proc", "dev", "run", "var/tmp"):
        os.makedirs(f"{root}/{folder}", exist_ok=True)  # noqa: PTH103
    for source, target, writable in binds:
        bind(source, root + target, writable)
    for target in (target for source, target, _ in binds if not source):
        # Only now: what is bound below it needed a place to be made.
        mount("", root + target, "", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)
    for device in DEVICES:
        bind(f"/dev/{device}", f"{root}/dev/{device}", True)
    os.symlink("/proc/self/fd", f"{root}/dev/fd")  # noqa: PTH211
    mount("proc", f"{root}/proc", "proc", MS_NOSUID | MS_NODEV | 8)


def start(argv: list[str], env: dict[str, str], workdir: str) -> int:
    """Start the command in the room; returns its process id to the parent."""
    child = os.fork()
    if child:
        return child
    try:
        os.chdir(workdir)
        become(argv, env)
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
    os._exit(127)


def become(argv: list[str], env: dict[str, str]) -> None:
    """Replace this process by a command found on the PATH given to it; OSError when there is none."""
    folders = [""] if "/" in argv[0] else [f"{folder}/" for folder in env.get("PATH", "").split(":")]
    missing: OSError = FileNotFoundError(2, "not found")
    for folder in folders:
        # os.execvpe would import a module, which no longer exists at its path in here.
        try:
            os.execve(folder + argv[0], argv, env)  # noqa: S606
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            missing = error
    raise missing


def reap(child: int) -> int:
    """Wait for the command, reaping orphans meanwhile; return its exit code."""
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def main() -> int:
    """Build the room, run the command in it and return its exit code."""
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        spec = json.load(file)
    build(spec["root"], [(source, target, writable) for source, target, writable in spec["binds"]])
    # Needs no success: where the name cannot be set, the agent sees the machine's.
    ctypes.CDLL(None).sethostname(b"sandbox", 7)
    os.chroot(spec["root"])
    return reap(start(spec["argv"], spec["env"], spec["workdir"]))


if __name__ == "__main__":
    sys.exit(main())
