"""Faults of disks, clocks and files: cut lines, no space, errors, read-only, hidden folders, strange names."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from mmbench import ledger, validation
from mmbench.ledger import Ledger
from tests.faults.account import Cost, count, kept
from tests.faults.running import Bench, ended, only_ledger, place, resume, settle
from tests.support import sessions, tiny
from tests.support.tiny import Place

NEEDS_ROOT = "a file system of its own needs root"


def cut(tries: int) -> Cost:
    """Cut the file at every byte of its last line, as a power cut would; continue some of them for real."""
    name = "the last line cut at every byte"
    cost = Cost(name)
    with place() as where:
        Bench(where).wait()
        path = where.ledger
        data = path.read_bytes()
        before = data.rstrip(b"\n").rfind(b"\n") + 1
        last = data.rfind(b'{"kind":"checks"')
        checks = slice(last, data.find(b"\n", last) + 1)
        for at in range(before, len(data)):
            path.write_bytes(data[:at])
            book, state = Ledger.open(path)
            book.close()
            expected = kept(ledger.load(path))
            whole = data[:before] == path.read_bytes()[:before] and not validation.ledger_faults(path)
            cost += Cost(name, 1, lost=len(kept(state) ^ expected), verified=int(whole))
        for part in range(max(1, tries // 10)):
            span = checks.stop - checks.start
            path.write_bytes(data[: checks.start + span * (part + 1) // (tries // 10 + 2)])
            cost += settle(name, where, set())
    return cost


@contextlib.contextmanager
def _small_disk(where: Place, size: str) -> Iterator[None]:
    where.results.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(where.results)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(where.results)], check=True)


def _remount(where: Place, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(where.results)], check=True)


def _can_mount() -> bool:
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, check=False)
        if done.returncode == 0:
            subprocess.run(["umount", folder], check=True)
    return done.returncode == 0


def full(tries: int) -> Cost:
    """Let the disk of the results run full at different moments, then make it larger and continue."""
    name = "no space left for the results"
    if not _can_mount():
        return Cost(name, skipped=NEEDS_ROOT)
    cost = Cost(name)
    for number in range(max(2, tries // 5)):
        with place() as where, _small_disk(where, f"{12 + 4 * (number % 4)}k"):
            bench = Bench(where)
            bench.wait()
            _remount(where, "size=8m")
            cost += ended(bench, 3, settle(name, where, bench.told()))
    return cost


def read_only(tries: int) -> Cost:
    """Make the results read-only between two stretches of a session, then writable again."""
    del tries
    name = "results folder on a read-only mount"
    if not _can_mount():
        return Cost(name, skipped=NEEDS_ROOT)
    with place() as where, _small_disk(where, "8m"):
        first = Bench(where)
        first.until(lambda: bool(first.told()))
        first.process.kill()
        first.wait()
        told = first.told()
        before = where.ledger.read_bytes()
        _remount(where, "ro")
        refused = resume(where).wait()
        untouched = where.ledger.read_bytes() == before
        _remount(where, "rw")
        found = settle(name, where, told)
        return found if refused == 3 and untouched else Cost(name, 1)


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


@contextlib.contextmanager
def _failing_disk(where: Place, spare: int) -> Iterator[Callable[[], None]]:
    """Mount a disk whose medium takes `spare` KiB and then fails, which only fsync tells; yield what mends it."""
    medium = where.root / "medium"
    disk, results = medium / "disk", str(where.results)
    for folder in (medium, where.results):
        folder.mkdir()
    _mount("-t", "tmpfs", "-o", "size=16m", "tmpfs", str(medium))
    try:
        with disk.open("wb") as file:
            file.truncate(16 << 20)
        made = [
            "mkfs.ext4",
            "-q",
            "-O",
            "^metadata_csum",
            "-J",
            "size=1",
            "-E",
            "lazy_itable_init=1",
            "-N",
            "64",
        ]
        subprocess.run([*made, str(disk)], check=True)
        _mount("-o", "loop", str(disk), results)
        subprocess.run(["sync", "-f", results], check=True)
        _mount("-o", f"remount,size={disk.stat().st_blocks // 2 + spare}k", str(medium))

        def mend() -> None:
            """Give the medium its room, check the disk, and read from it what was in memory."""
            _mount("-o", "remount,size=16m", str(medium))
            subprocess.run(["umount", results], check=True)
            checked = subprocess.run(["e2fsck", "-f", "-y", str(disk)], capture_output=True, check=False)
            assert checked.returncode <= 2, checked.stdout  # 1 and 2: it was damaged and is not any more
            _mount("-o", "loop", str(disk), results)

        yield mend
        subprocess.run(["umount", results], check=True)
    finally:
        # The kernel lets go of a loop device a moment after its disk is unmounted.
        subprocess.run(["umount", "--lazy", str(medium)], check=True)


def failing(tries: int) -> Cost:
    """Let the medium under the file system fail, at different moments, then mend it and continue."""
    name = "a disk that fails under the file system"
    if not _can_mount() or shutil.which("mkfs.ext4") is None:
        return Cost(name, skipped=NEEDS_ROOT)
    cost = Cost(name)
    for number in range(max(2, tries // 5)):
        with place() as where, _failing_disk(where, 12 + 20 * (number % 4)) as mend:
            bench = Bench(where)
            bench.wait()
            mend()
            cost += ended(bench, 3, settle(name, where, bench.told()))
    return cost


BROKEN_WRITE = """
import errno, os
from mmbench import ledger
_real, _left = ledger._write_whole, [int(os.environ["FAIL_AFTER"])]
def _write(descriptor, data):
    _left[0] -= 1
    if _left[0] < 0:
        os.write(descriptor, data[: len(data) // 2])
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    _real(descriptor, data)
ledger._write_whole = _write
"""


def broken(tries: int) -> Cost:
    """Let a write end half done with an I/O error, injected into the process, then continue without it."""
    name = "I/O error in the middle of a write"
    cost = Cost(name)
    for number in range(max(2, tries // 5)):
        with place() as where:
            (where.root / "patch").mkdir()
            (where.root / "patch" / "sitecustomize.py").write_text(BROKEN_WRITE)
            env = {
                "PYTHONPATH": f"{where.root / 'patch'}:{Path.cwd()}",
                "FAIL_AFTER": str(1 + 2 * (number % 6)),
            }
            bench = Bench(where, env=env)
            bench.wait()
            cost += ended(bench, 3, settle(name, where, bench.told()))
    return cost


def clock(tries: int) -> Cost:
    """Let the clock go backwards from line to line: the order is that of the numbers."""
    name = "clock going backwards"
    cost = Cost(name)
    for number in range(tries):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "s1.jsonl"
            times = (f"2026-01-{28 - (at + number) % 28:02d}T00:00:00.000Z" for at in range(99))
            schedule = sessions.keys()
            with Ledger.create(path, lambda times=times: next(times)) as book:  # type: ignore[misc]
                book.append("session", sessions.header(schedule))
                for key in schedule:
                    book.append("trial", sessions.trial(key))
                    book.append("checks", sessions.checks(key))
            cost += count(name, path, set(schedule))
    return cost


def hidden(tries: int) -> Cost:
    """Let the agent take every permission from its folders: the session goes on and leaves nothing behind."""
    name = "a sandbox without permissions"
    script = f"{tiny.GOOD}mkdir -p deep/er; echo x > deep/er/f; chmod 000 deep/er deep; chmod 000 .\n"
    return _agent(name, script, tries)


def strange(tries: int) -> Cost:
    """Let the agent write names that are not UTF-8, hold line breaks, or look like flags."""
    name = "file names that are not UTF-8"
    script = (
        f"{tiny.GOOD}"
        + "touch \"$(printf 'a\\377b')\" \"$(printf 'l\\ni\\nne')\" ./--help \"$(printf '\\033[31m')\"\n"
    )
    return _agent(name, script, tries)


def _agent(name: str, script: str, tries: int) -> Cost:
    cost = Cost(name)
    for _ in range(max(1, tries // 10)):
        with place(script, cases=1) as where:
            bench = Bench(where)
            code = bench.wait()
            left = list(where.state.glob("sandboxes/*/*"))
            found = count(name, only_ledger(where), bench.told())
            cost += found if code == 0 and not left else Cost(name, 1)
    return cost
