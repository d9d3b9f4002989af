"""The room in which a case's own validator runs: it sees its script, the tree and the reference, nothing else."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from mmbench.bench.grading.validator import Completed, RunSandboxed, run_plain
from mmbench.bench.process import MIB, Limits
from mmbench.bench.room import Bind, Kind, Room, etc_binds, on_system

MAX_OUTPUT = 2 * MIB
HOME = PurePosixPath("/tmp/home")  # noqa: S108 (inside the room it is a private folder)
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0", "HOME": str(HOME)}


def runner(kind: Kind) -> RunSandboxed:
    """Return how validators are run where rooms of this kind are made."""
    if kind == "process":
        return run_plain

    def run_in_room(
        argv: Sequence[str], *, stdin: bytes, timeout_s: float, readable: Sequence[Path]
    ) -> Completed:
        with tempfile.TemporaryDirectory(prefix="mmbench-validator-") as folder:
            own = Path(folder)
            (own / "tmp" / "home").mkdir(parents=True)
            binds = (
                Bind(own / "tmp", PurePosixPath("/tmp"), writable=True),  # noqa: S108
                *etc_binds(own / "etc", HOME),
                *(Bind(path, PurePosixPath(path)) for path in (*_python(), *readable)),
            )
            room = Room(kind, binds, HOME, ENV)
            limits = Limits(timeout_s, kept_bytes=MAX_OUTPUT, output_bytes=MAX_OUTPUT)
            done = room.run(argv, limits=limits, stdin=stdin)
        code = done.exit_code if done.exit_code is not None else -1
        return Completed(code, done.stdout.bytes(), done.ended == "timeout")

    return run_in_room


def _python() -> list[Path]:
    """Return the folders of this Python that the system folders do not cover."""
    prefixes = dict.fromkeys((Path(sys.base_prefix), Path(sys.prefix)))
    return [path for path in prefixes if not on_system(path)]
