"""A process tree ends at its limits, and nothing of it survives."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import psutil
import pytest

from mmbench.bench import process
from mmbench.bench import room as rooms
from mmbench.bench.process import GIB, MIB, Finished, Limits
from mmbench.bench.room import Bind, Kind, Room, etc_binds

KINDS = [
    kind for kind in ("bubblewrap", "namespaces", "process") if kind == "process" or sys.platform == "linux"
]
MARK = "sleep 8641.%d"


def usable(kind: Kind) -> bool:
    probes = {
        "bubblewrap": ["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true"],
        "namespaces": [*rooms.UNSHARE, "/bin/sh", "-c", "mount -t proc proc /proc"],
    }
    return kind not in probes or rooms._works(probes[kind])


@pytest.fixture(params=KINDS)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Finished]:
    kind: Kind = request.param
    if not usable(kind):
        pytest.skip(f"this machine cannot make {kind} rooms")
    for name in ("work", "home", "tmp"):
        (tmp_path / name).mkdir()
    places = (
        ("/workspace", "/home/agent", "/tmp")
        if kind != "process"
        else [tmp_path / n for n in ("work", "home", "tmp")]
    )
    binds = [
        Bind(tmp_path / n, PurePosixPath(p), True)
        for n, p in zip(("work", "home", "tmp"), places, strict=True)
    ]
    etc = etc_binds(tmp_path / "etc", PurePosixPath("/home/agent")) if kind != "process" else ()
    room = Room(
        kind,
        (*binds, *etc),
        PurePosixPath(places[0]),
        {"PATH": "/usr/bin:/bin", "HOME": str(places[1]), "TMPDIR": str(places[2])},
    )

    def run(script: str, wall_s: float = 20.0, **kwargs: object) -> Finished:
        limits = Limits(wall_s, **{k: kwargs.pop(k) for k in list(kwargs) if k in Limits.__slots__})  # type: ignore[arg-type]
        run.hides = room.hides_files  # type: ignore[attr-defined]
        return room.run(["bash", "-c", script], limits=limits, **kwargs)  # type: ignore[arg-type]

    return run


def alive(mark: str) -> list[int]:
    """Return the live processes whose command line holds a mark."""
    found = []
    for one in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(one.info["cmdline"] or [])
        if mark in line and one.info["status"] != psutil.STATUS_ZOMBIE and one.pid != os.getpid():
            found.append(one.pid)
    return found


def test_output_exit_code_and_stdin_pass_through(run: Callable[..., Finished]) -> None:
    done = run("cat; echo problem >&2; exit 7", stdin=b"\x00\xffbytes")
    assert (done.stdout.bytes(), done.stderr.bytes(), done.exit_code, done.ended) == (
        b"\x00\xffbytes",
        b"problem\n",
        7,
        "exit",
    )


def test_stdin_larger_than_a_pipe_and_unread_stdin_are_no_problem(run: Callable[..., Finished]) -> None:
    big = b"x" * (3 * MIB)
    assert run("wc -c", stdin=big).stdout.bytes().split() == [str(len(big)).encode()]
    assert run("exit 0", stdin=big).exit_code == 0


def test_daemons_that_left_the_group_are_gone_when_the_run_is(run: Callable[..., Finished]) -> None:
    mark = MARK % 1
    done = run(f"setsid {mark} & (setsid bash -c 'trap \"\" TERM HUP; {mark}' &) ; sleep 0.2; echo done")
    assert done.ended == "exit"
    assert alive(mark) == []


def test_a_deadline_ends_what_ignores_signals_and_holds_the_pipes(run: Callable[..., Finished]) -> None:
    mark = MARK % 2
    started = time.monotonic()
    done = run(f"trap '' TERM INT HUP; setsid {mark} & echo partial; while :; do {mark}; done", wall_s=1.0)
    assert (done.ended, done.exit_code) == ("timeout", None)
    assert done.stdout.bytes() == b"partial\n"
    assert time.monotonic() - started < 1.0 + 5.0  # the promise is the deadline and five seconds
    assert alive(mark) == []


def test_a_flood_of_output_is_drained_capped_and_cut_at_the_limit(run: Callable[..., Finished]) -> None:
    done = run("yes 0123456789", wall_s=30.0, kept_bytes=MIB, output_bytes=50 * MIB)
    assert done.ended == "output_limit"
    assert done.stdout.size > 50 * MIB
    assert len(done.stdout.bytes()) < 2 * MIB
    assert b"bytes of output left out" in done.stdout.bytes()


def test_files_count_by_their_blocks(run: Callable[..., Finished], tmp_path: Path) -> None:
    sparse = run("truncate -s 1T hole; sleep 2.5; echo ok", disk_bytes=64 * MIB, watched=[tmp_path / "work"])
    assert sparse.ended == "exit"
    full = run("head -c 200M /dev/zero > full; sleep 20", disk_bytes=64 * MIB, watched=[tmp_path / "work"])
    assert full.ended == "disk_limit"


def test_files_outside_of_every_folder_that_is_watched_count_too(run: Callable[..., Finished]) -> None:
    script = "head -c 60000000 /dev/zero > /dev/shm/filled || head -c 60000000 /dev/zero > /filled; sleep 30"
    if not run("true") or not run.hides:  # type: ignore[attr-defined]
        pytest.skip("a plain process sees the folders of the machine alone")
    assert run(script, wall_s=60.0, disk_bytes=50_000_000).ended == "disk_limit"


def test_too_many_processes_end_the_run(run: Callable[..., Finished]) -> None:
    mark = MARK % 3
    done = run(f"for i in $(seq 60); do {mark} & done; wait", processes=30)
    assert done.ended == "process_limit"
    assert alive(mark) == []


def test_too_much_memory_ends_the_run(run: Callable[..., Finished]) -> None:
    done = run(
        "python3 -c 'import time; x = bytearray(b\"x\") * (300 << 20); time.sleep(20)'",
        memory_bytes=100 * MIB,
    )
    assert done.ended == "memory_limit"


def test_a_cancelled_run_ends_at_once(run: Callable[..., Finished]) -> None:
    cancel, mark = threading.Event(), MARK % 4
    threading.Timer(0.5, cancel.set).start()
    done = run(mark, cancel=cancel)
    assert done.ended == "cancelled"
    assert alive(mark) == []


def test_what_is_not_bound_does_not_exist_inside(run: Callable[..., Finished], tmp_path: Path) -> None:
    outside = Path(__file__)
    done = run(
        f"test -e {outside} && echo seen; test -e {tmp_path}/etc/passwd && echo seen; ls /root /home 2>/dev/null"
    )
    assert ("seen" in done.stdout.bytes().decode()) != run.hides  # type: ignore[attr-defined]


def test_the_folder_for_temporary_files_is_the_rooms_own_on_the_disk(
    run: Callable[..., Finished], tmp_path: Path
) -> None:
    done = run(
        f"ls -A {'/tmp' if (tmp_path / 'etc').exists() else tmp_path / 'tmp'}; echo kept > $TMPDIR/mark"
    )
    assert done.stdout.bytes() == b""
    assert (tmp_path / "tmp" / "mark").read_text() == "kept\n"


def test_a_missing_program_is_an_exit_code_or_an_error(run: Callable[..., Finished]) -> None:
    assert run("exec /no/such/program").exit_code in (126, 127)


def test_what_is_handed_over_is_closed_though_nothing_could_be_started() -> None:
    read, write = os.pipe()
    with pytest.raises(OSError):
        process.run(["/no/such/program"], limits=Limits(1), pass_fds=(write,))
    with pytest.raises(OSError):
        os.fstat(write)
    os.close(read)


def test_the_default_limits_leave_room_for_real_work() -> None:
    assert Limits(1).within(5).wall_s == 5
    assert Limits(1).output_bytes >= 2 * GIB
