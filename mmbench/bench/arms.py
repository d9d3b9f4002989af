"""What each arm of a trial gets: the same programs, and one entry `mm` that differs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from mmbench import jsontext
from mmbench.bench import binfolder, shim
from mmbench.bench import mm as treatment
from mmbench.bench.kept import Kept, keep
from mmbench.bench.mm import Mm
from mmbench.bench.room import CHECKOUT, SYSTEM, Bind, Kind, interpreter_binds
from mmbench.bench.sandbox import Places
from mmbench.soundness import MM_ARMS

TOOLS = PurePosixPath("/run/box/tools")
"""Where mm finds the programs that it alone gets, inside the room."""
MM = PurePosixPath("/run/box/mm")
"""Where a room shows mm's virtualenv, wherever the project lies on the host."""
SHIM_LINK = PurePosixPath("/run/box/shim/mm")


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm's programs, binds and way to write its `mm`."""

    name: str
    bin_folder: Path
    mm: Mm
    tools: Path | None
    """The folder of mm's own helpers on the host; None where there is none."""
    binds: tuple[Bind, ...]
    isolated: bool
    baselines: tuple[Kept, ...] = field(repr=False)
    """mm, and what the kit adds to a trial: the primer and the graders."""
    listing: str
    built_ns: int

    @property
    def has_mm(self) -> bool:
        """Tell whether mm can be reached in this arm."""
        return self.name in MM_ARMS

    def write_shim(self, folder: Path, places: Places, env: Mapping[str, str]) -> None:
        """Write this arm's `mm` for one sandbox."""
        if not self.has_mm:
            shim.write_stub(folder / "mm", places.calls)
            return
        tools = None if self.tools is None else TOOLS if self.isolated else PurePosixPath(self.tools)
        shim.write_shim(
            folder / "mm", _shown(self.mm) if self.isolated else self.mm, places.calls, env, tools
        )

    def look(self, folder: Path, written: str) -> dict[str, Any]:
        """Tell whether mm, shim, programs, primer and graders are still what they were before the trial."""
        changed = [name for baseline in self.baselines for name in baseline.changed()]
        if shim_digest(folder) != written:
            changed.append("shim")
        # A folder's change time moves with its entries: the full look is for one that moved.
        if (
            self.bin_folder.stat().st_ctime_ns != self.built_ns
            and binfolder.listing(self.bin_folder) != self.listing
        ):
            changed.append("programs")
        return {"intact": not changed, "changed": [Path(name).name for name in changed]}


def _shown(mm: Mm) -> Mm:
    """Return mm as it is found inside a room: a virtualenv may lie anywhere."""
    place = Path(MM)
    return replace(
        mm,
        prefix=place,
        python=place / mm.python.relative_to(mm.prefix),
        executable=place / mm.executable.relative_to(mm.prefix),
    )


def _own_files() -> list[Path]:
    """Return what the kit itself adds to a trial: the texts before the task, the shim's start, the graders."""
    folder = Path(__file__).parent
    return [*sorted(folder.glob("*.md")), folder / "shim_boot.py", *sorted((folder / "grading").glob("*.py"))]


def shim_digest(folder: Path) -> str:
    """Hash the arm's `mm` as it lies in a sandbox, empty when it is gone."""
    entry = folder / "mm"
    return jsontext.sha256(entry.read_bytes()) if entry.is_file() and not entry.is_symlink() else ""


def build(names: tuple[str, ...], folder: Path, mm: Mm, kind: Kind, host_path: str) -> dict[str, Arm]:
    """Make the arms of a session: one folder of programs that all of them share."""
    interpreter = interpreter_binds(mm.base_prefix)
    roots = [Path(path) for path in SYSTEM if Path(path).exists()] + [bind.source for bind in interpreter]
    made = binfolder.build(
        folder / "bin",
        host_path,
        roots=roots,
        extra={"mm": Path(SHIM_LINK)} | _interpreter_links(mm, host_path, roots),
        exclude=_excluded(mm),
    )
    tools = _tools(folder / "tools")
    baselines = (treatment.kept(mm), keep(_own_files()))
    arms: dict[str, Arm] = {}
    for name in names:
        own = (Bind(mm.prefix, MM), *_tool_binds(tools)) if name in MM_ARMS else ()
        arms[name] = Arm(
            name=name,
            bin_folder=made.folder,
            mm=mm,
            tools=tools,
            binds=(*interpreter, *own),
            isolated=kind != "process",
            baselines=baselines,
            listing=made.digest,
            built_ns=made.folder.stat().st_ctime_ns,
        )
    return arms


def _excluded(mm: Mm) -> Callable[[str, str], bool]:
    """Return the test whether a program must not be linked: mm's own, and those of the project, which is hidden."""
    owns, inside = treatment.owns(mm), f"{CHECKOUT}/"
    return lambda name, real: owns(name, real) or real.startswith(inside)


def _interpreter_links(mm: Mm, host_path: str, roots: list[Path]) -> dict[str, Path]:
    """Give the agent a `python3` where the host's own would not be visible inside (pyenv and the like)."""
    visible = any(
        (Path(folder) / "python3").exists()
        and any((Path(folder) / "python3").resolve().is_relative_to(root) for root in roots)
        for folder in host_path.split(os.pathsep)
    )
    interpreter = mm.base_prefix / "bin" / f"python3.{sys.version_info.minor}"
    return {} if visible or not interpreter.exists() else {"python3": interpreter, "python": interpreter}


def _tools(folder: Path) -> Path | None:
    """Link the programs that mm calls and that its wheel does not bring: ffmpeg."""
    try:
        import imageio_ffmpeg
    except ImportError:
        return None
    folder.mkdir()
    (folder / "ffmpeg").symlink_to(imageio_ffmpeg.get_ffmpeg_exe())
    return folder


def _tool_binds(tools: Path | None) -> tuple[Bind, ...]:
    if tools is None:
        return ()
    return tuple(Bind(link.resolve(), TOOLS / link.name) for link in sorted(tools.iterdir()))
