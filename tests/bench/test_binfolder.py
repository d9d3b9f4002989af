"""One folder of links to the programs of a PATH."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmbench.bench import binfolder


def program(path: Path, text: str = "#!/bin/sh\necho ran\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def joined(*folders: Path | str) -> str:
    return ":".join(str(folder) for folder in folders)


def test_first_match_wins_and_links_lead_to_the_real_file(tmp_path: Path) -> None:
    first, second = program(tmp_path / "a/tool"), program(tmp_path / "b/tool")
    program(tmp_path / "real/other")
    (tmp_path / "a/other").symlink_to("../real/other")
    built = binfolder.build(tmp_path / "bin", joined(tmp_path / "a", tmp_path / "b"), roots=[tmp_path])
    assert built.count == 2 and names(built.folder) == {"tool", "other"}
    assert (built.folder / "tool").readlink() == first != second
    assert (built.folder / "other").readlink() == tmp_path / "real/other"


def test_only_executable_files_are_linked(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    program(folder / "good")
    (folder / "data").write_text("x")
    (folder / "folder").mkdir()
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "device").symlink_to("/dev/null")
    os.mkfifo(folder / "pipe", 0o755)
    built = binfolder.build(tmp_path / "bin", joined(folder, tmp_path / "gone", "", "relative"), roots=["/"])
    assert names(built.folder) == {"good"}


def test_what_the_sandbox_does_not_show_is_left_to_the_next_folder(tmp_path: Path) -> None:
    program(tmp_path / "hidden/tool")
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen/outside").symlink_to(tmp_path / "hidden/tool")
    seen = program(tmp_path / "seen/tool")
    program(tmp_path / "seen2/near")
    path = joined(tmp_path / "hidden", tmp_path / "seen", tmp_path / "seen2")
    built = binfolder.build(tmp_path / "bin", path, roots=[tmp_path / "seen"])
    assert names(built.folder) == {"tool"} and (built.folder / "tool").readlink() == seen


def test_exclusion_is_by_entry_name_and_by_real_path(tmp_path: Path) -> None:
    program(tmp_path / "a/mm")
    program(tmp_path / "venv/bin/mm")
    (tmp_path / "a/alias").symlink_to(tmp_path / "venv/bin/mm")
    program(tmp_path / "a/mmm")

    def exclude(name: str, real: str) -> bool:
        return name == "mm" or real.startswith(f"{tmp_path}/venv/")

    built = binfolder.build(tmp_path / "bin", str(tmp_path / "a"), roots=["/"], exclude=exclude)
    assert names(built.folder) == {"mmm"}


def test_extra_links_win_and_need_no_root(tmp_path: Path) -> None:
    program(tmp_path / "a/python3")
    extra = {"python3": Path("/opt/elsewhere/python3"), "python": Path("/opt/elsewhere/python3")}
    built = binfolder.build(tmp_path / "bin", str(tmp_path / "a"), roots=[tmp_path], extra=extra)
    assert (built.folder / "python3").readlink() == Path("/opt/elsewhere/python3")
    assert built.count == 2


def test_linked_programs_run(tmp_path: Path) -> None:
    built = binfolder.build(tmp_path / "bin", os.environ["PATH"], roots=["/usr", "/bin"])
    done = subprocess.run(
        ("sh", "-c", "printf 'b\\na\\n' | sort"),
        env={"PATH": str(built.folder)},
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"a\nb\n"


def test_listing_tells_arms_apart_by_one_entry(tmp_path: Path) -> None:
    program(tmp_path / "a/tool")
    one, two = (binfolder.build(tmp_path / n, str(tmp_path / "a"), roots=[tmp_path]) for n in ("one", "two"))
    assert one.digest == two.digest == binfolder.listing(one.folder)
    program(one.folder / "mm", "#!/bin/sh\nexec true\n")
    program(two.folder / "mm", "#!/bin/sh\nexit 127\n")
    assert binfolder.listing(one.folder) != binfolder.listing(two.folder)
    assert binfolder.listing(one.folder, ["mm"]) == binfolder.listing(two.folder, ["mm"]) == one.digest


@pytest.mark.parametrize("spoil", ["link", "file", "gone", "fifo"])
def test_listing_notices_a_changed_folder(tmp_path: Path, spoil: str) -> None:
    program(tmp_path / "a/tool")
    built = binfolder.build(tmp_path / "bin", str(tmp_path / "a"), roots=[tmp_path])
    entry = built.folder / "tool"
    entry.unlink()
    if spoil == "link":
        entry.symlink_to("/usr/bin/env")
    elif spoil == "file":
        program(entry)
    elif spoil == "fifo":
        os.mkfifo(entry)
    assert binfolder.listing(built.folder) != built.digest


NAMES = st.sets(
    st.binary(min_size=1, max_size=20).filter(lambda b: b not in (b".", b"..") and not set(b) & {0, 47}),
    max_size=12,
)


@given(NAMES)
@settings(deadline=None, max_examples=30)
def test_odd_names_survive(tmp_path_factory: pytest.TempPathFactory, wanted: set[bytes]) -> None:
    base = tmp_path_factory.mktemp("odd")
    for name in wanted:
        program(base / "a" / os.fsdecode(name))
    built = binfolder.build(base / "bin", str(base / "a"), roots=[base])
    assert {os.fsencode(name) for name in names(built.folder)} == wanted
    assert binfolder.listing(built.folder) == built.digest
    assert all(
        (built.folder / os.fsdecode(name)).resolve().parent == (base / "a").resolve() for name in wanted
    )
