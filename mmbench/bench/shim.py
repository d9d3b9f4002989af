"""The arm's `mm`: a program that leaves a record of each call and becomes mm, or says there is none.

A record is one file. The shell writes its start (tag, pid, folder, argument
count, arguments; each field ended by a NUL) and then becomes mm's own Python,
which appends the end. Agents can write to the folder of records, so reading
it back believes nothing: links, FIFOs, sizes and numbers may all be wrong.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath

from mmbench.bench.mm import Mm
from mmbench.errors import UsageError

CALL, STUB = b"mmbench-call-1", b"mmbench-stub-1"
MAX_CALLS = 10_000
MAX_RECORD = 4 << 20
MAX_TOTAL = 64 << 20
MAX_ARGUMENTS, MAX_ARGUMENT = 1_000, 4_096
LATEST_NS = 10**19 - 1
"""The last moment that a record can tell, in the year 2286: some disks hold times of which there is no date."""

_BOOT = Path(__file__).with_name("shim_boot.py")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# `set -C` makes the redirection create the file or fail, and printf is no special builtin, so a
# failure does not end the shell. Process ids repeat across pid namespaces: then the next number.
_RECORD = r"""#!/bin/sh
set -C
_mmbench_log= _mmbench_n=0
while [ "$_mmbench_n" -lt 1000 ]; do
  _mmbench_try={logs}/$$.$_mmbench_n
  if {{ printf '%s\0' {tag} "$$" "${{PWD-}}" "$#" "$@" >"$_mmbench_try"; }} 2>/dev/null; then
    _mmbench_log=$_mmbench_try
    break
  fi
  [ -s "$_mmbench_try" ] || break
  _mmbench_n=$((_mmbench_n + 1))
done
set +C
"""
_BECOME = """{exports}exec {python} -c {boot} "$_mmbench_log" {script} "$@"
"""
_ABSENT = """echo 'mm: command not found' >&2
exit 127
"""


@dataclass(frozen=True, slots=True)
class MmCall:
    """One call of mm as its record tells it; arguments are cut and free of lone surrogates."""

    argv: tuple[str, ...]
    """Without the program's name."""
    cwd: str
    started_at: float
    """Seconds since the epoch."""
    duration_s: float | None
    exit_code: int | None
    failed: bool
    reason: str
    """Why it failed, or why its end is unknown; empty otherwise."""


def write_shim(
    entry: Path, mm: Mm, logs: PurePath, env: Mapping[str, str], tools: PurePath | None = None
) -> None:
    """Write the `mm` of an arm that has it.

    `logs` is the folder of records, `env` is set for mm alone (HOME and the
    MM_* variables), `tools` goes in front of mm's PATH; all as seen inside the
    sandbox.
    """
    if wrong := [name for name in env if not _NAME.fullmatch(name)]:
        raise UsageError(f"Not the name of an environment variable: {', '.join(wrong)}.")
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in env.items())
    if tools is not None:
        exports += f'export PATH={shlex.quote(str(tools))}:"${{PATH-/usr/local/bin:/usr/bin:/bin}}"\n'
    become = _BECOME.format(
        exports=exports,
        python=shlex.quote(str(mm.python)),
        boot=shlex.quote(_BOOT.read_text(encoding="utf-8")),
        script=shlex.quote(str(mm.executable)),
    )
    _write(entry, CALL, logs, become)


def write_stub(entry: Path, logs: PurePath) -> None:
    """Write the `mm` of an arm without it: what a shell says of an unknown command, and a record."""
    _write(entry, STUB, logs, _ABSENT)


def read_calls(folder: Path) -> list[MmCall]:
    """Read the records of a folder, oldest first; what is no record is passed over."""
    calls = []
    budget = MAX_TOTAL
    for name, found, content in _files(folder):
        budget -= len(content)
        if budget < 0:
            break
        if (call := _call(content, found)) is not None:
            calls.append((call.started_at, name, call))
    return [call for _, _, call in sorted(calls, key=lambda item: item[:2])]


def _write(entry: Path, tag: bytes, logs: PurePath, then: str) -> None:
    head = _RECORD.format(logs=shlex.quote(str(logs)), tag=tag.decode())
    entry.write_bytes((head + then).encode("utf-8", "surrogateescape"))
    entry.chmod(0o755)


def _files(folder: Path) -> Iterator[tuple[str, os.stat_result, bytes]]:
    """Yield the regular files of a folder with at most MAX_RECORD bytes of each."""
    try:
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        with os.scandir(root) as entries:
            names = sorted(entry.name for entry in islice(entries, MAX_CALLS))
        for name in names:
            yield from _file(root, name)
    finally:
        os.close(root)


def _file(root: int, name: str) -> Iterator[tuple[str, os.stat_result, bytes]]:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    if not stat.S_ISREG(os.stat(name, dir_fd=root, follow_symlinks=False).st_mode):
        return
    try:
        fd = os.open(name, flags, dir_fd=root)
    except OSError:  # made unreadable: it cannot be told from any other file
        return
    with os.fdopen(fd, "rb") as stream:
        found = os.fstat(fd)
        if stat.S_ISREG(found.st_mode):
            yield name, found, stream.read(MAX_RECORD)


def _call(content: bytes, found: os.stat_result) -> MmCall | None:
    tag, *fields = content.split(b"\0")
    written = min(max(found.st_mtime_ns, 0), LATEST_NS) / 1e9
    if not content:  # the disk was full when the call was made
        return MmCall((), "", written, None, None, failed=False, reason="its record was lost")
    if tag not in (CALL, STUB):
        return None
    count = _number(fields[2]) if len(fields) > 2 else None
    if count is None or len(fields) < count + 4:
        return MmCall((), "", written, None, None, failed=False, reason="its record is cut")
    argv, cwd = _arguments(fields[3 : 3 + count]), _text(fields[1])
    if tag == STUB:
        return MmCall(argv, cwd, written, 0.0, 127, failed=True, reason="mm is not in this arm")
    return _ended(argv, cwd, written, fields[3 + count :])


def _ended(argv: tuple[str, ...], cwd: str, written: float, rest: Sequence[bytes]) -> MmCall:
    started, took, code = (_number(field) for field in rest[1:4]) if len(rest) == 6 else (None,) * 3
    if rest[0] != b"end" or started is None or took is None or code is None:
        reason = "no end: killed, or what read its output stopped"
        return MmCall(argv, cwd, written, None, None, failed=False, reason=reason)
    reason = _failure(argv, code, _text(rest[4]))
    return MmCall(argv, cwd, started / 1e9, took / 1e9, code, failed=bool(reason), reason=reason)


def _failure(argv: Sequence[str], code: int, mark: str) -> str:
    """Tell why an ended call failed, or return an empty string.

    Only `cat` puts error texts on stdout in place of an answer; `grep` exits
    with 1 when nothing matched, which is an answer.
    """
    if mark and (mark.startswith(("Error", "Invalid")) or "cat" in argv):
        return f"printed {mark.strip()!r}"
    if code == 1 and "grep" in argv and not mark:
        return ""
    return f"exit code {code}" if code else ""


def _arguments(fields: Sequence[bytes]) -> tuple[str, ...]:
    return tuple(_text(field) for field in fields[:MAX_ARGUMENTS])


def _text(field: bytes) -> str:
    text = field[: 4 * MAX_ARGUMENT].decode("utf-8", "backslashreplace")
    return text if len(text) <= MAX_ARGUMENT else f"{text[: MAX_ARGUMENT - 1]}…"


def _number(field: bytes) -> int | None:
    """Parse a plain non-negative number of at most 19 digits."""
    return int(field) if re.fullmatch(rb"[0-9]{1,19}", field) else None
