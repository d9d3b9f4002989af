"""A project that lies in a folder of the system is hidden there, and what a room needs of it is shown."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from mmbench.bench import programs
from mmbench.bench import room as rooms
from mmbench.bench.agents.base import Launch, RawRun, Task
from mmbench.bench.process import Limits
from mmbench.bench.room import Bind, Kind, Room
from mmbench.bench.toolchain import CliSetupError
from mmbench.layout import project
from mmbench.outcome import Outcome
from tests.bench.test_process import usable

PLACE = Path("/usr/share")


@pytest.fixture(params=["project", "state"])
def _in_the_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a folder of the system for the project's, or for its state."""
    if request.param == "project":
        monkeypatch.setattr(rooms, "CHECKOUT", PLACE.resolve())
    else:
        monkeypatch.setenv("MMBENCH_STATE", str(PLACE))


@pytest.mark.usefixtures("_in_the_system")
@pytest.mark.parametrize("kind", ["bubblewrap", "namespaces"])
def test_the_project_is_an_empty_folder_but_for_what_is_bound(kind: Kind, tmp_path: Path) -> None:
    if not usable(kind):
        pytest.skip(f"this machine cannot make {kind} rooms")
    assert list(PLACE.iterdir())
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_text("shown")
    binds = (
        Bind(tmp_path / "tmp", PurePosixPath("/tmp"), writable=True),
        Bind(tmp_path / "tree", PurePosixPath(PLACE / "deep" / "tree")),
    )
    room = Room(kind, binds, PurePosixPath("/tmp"), {"PATH": "/usr/bin:/bin"})
    script = (
        f"find {PLACE} -type f; cat {PLACE}/deep/tree/file; touch {PLACE}/new 2>/dev/null || echo ' closed'"
    )
    done = room.run(["sh", "-c", script], limits=Limits(30))
    assert done.stdout.bytes().decode() == f"{PLACE}/deep/tree/file\nshown closed\n"


@pytest.mark.usefixtures("_in_the_system")
def test_what_lies_in_the_project_is_not_taken_for_the_systems() -> None:
    assert not rooms.on_system(PLACE / "venv")
    assert rooms.on_system(Path("/usr/bin"))
    assert rooms.interpreter_binds(PLACE / "python") == (
        Bind(PLACE / "python", PurePosixPath(PLACE / "python")),
    )


def test_a_project_elsewhere_needs_no_hiding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "CHECKOUT", Path("/home/somebody/mmbench"))
    monkeypatch.setenv("MMBENCH_STATE", "/home/somebody/state")
    assert rooms.hidden() == ()


class Beside:
    """An agent whose program lies where the project does."""

    name = "beside"
    adapter_version = "1"
    executable = "beside"
    reference = False
    wire = None
    credentials_env: tuple[str, ...] = ()
    credentials_files: tuple[str, ...] = ()

    def launch(self, task: Task) -> Launch:
        return Launch(argv=("beside",))

    def parse(self, raw: RawRun) -> Outcome:
        return Outcome(status="no_answer")

    def version_argv(self) -> tuple[str, ...]:
        return ()


def test_a_program_beside_the_project_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "beside"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.find(Beside(), project()).binds
    monkeypatch.setattr(programs, "CHECKOUT", tmp_path / "checkout")
    with pytest.raises(CliSetupError, match="holds this project"):
        programs.find(Beside(), project())
