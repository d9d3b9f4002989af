"""Recorded streams as they arrive when something goes wrong: cut, with lines lost, doubled or overwritten."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from mmbench.bench.agents.base import Ended, RawRun

ENDINGS: tuple[Ended, ...] = (
    "exit",
    "timeout",
    "output_limit",
    "disk_limit",
    "process_limit",
    "memory_limit",
    "cancelled",
)
ODD = (
    b"\x00\xff\xfe",
    b"\x1b]0;title\x07\x1b[31m",
    b'"\\ud800"',
    b"NaN",
    b"1e999",
    b"-1",
    b"[[[[",
    b"null",
    "\u2028\u0085".encode(),
)


@st.composite
def mangled(draw: st.DrawFn, run: RawRun) -> RawRun:
    """Draw a damaged form of a run: its streams, its files and how it ended."""
    extras = {
        name: draw(damaged(data))
        for name, data in run.extras.items()
        if draw(st.booleans()) or name == "state"
    }
    return replace(
        run,
        stdout=draw(damaged(run.stdout)),
        stderr=draw(damaged(run.stderr)),
        exit_code=draw(st.sampled_from([None, 0, 1, 2, 55, 137, -9, 145])),
        ended=draw(st.sampled_from(ENDINGS)),
        extras=extras,
    )


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Draw a damaged form of bytes; sometimes none of them are left, or none of them were theirs."""
    how = draw(st.sampled_from(["whole", "cut", "lines", "overwrite", "noise"]))
    if how == "cut":
        return data[: draw(st.integers(0, len(data)))]
    if how == "noise":
        return draw(st.binary(max_size=300))
    if how == "lines":
        lines = data.split(b"\n")
        counts = draw(st.lists(st.integers(0, 2), min_size=len(lines), max_size=len(lines)))
        return b"\n".join(line for line, count in zip(lines, counts, strict=True) for _ in range(count))
    if how == "overwrite" and data:
        odd = draw(st.sampled_from(ODD))
        at = draw(st.integers(0, len(data)))
        return data[:at] + odd + data[at + draw(st.integers(0, 40)) :]
    return data


def without_line(run: RawRun, words: bytes) -> RawRun:
    """Drop the lines that hold some words."""
    return replace(run, stdout=b"".join(line for line in run.stdout.splitlines(True) if words not in line))


def doubled(run: RawRun) -> RawRun:
    """Write every line twice."""
    return replace(run, stdout=b"".join(line * 2 for line in run.stdout.splitlines(True)))
