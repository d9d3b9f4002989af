"""Both arms share one folder of programs, and what is changed in a treatment is seen."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest

from mmbench.bench import arms
from mmbench.bench.arms import Arm, shim_digest
from mmbench.bench.mm import Mm
from mmbench.bench.sandbox import inside
from tests.support.mm import installed_mm as mm

__all__ = ["mm"]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "primer.md"
    file.write_text("the primer")
    monkeypatch.setattr(arms, "_own_files", lambda: [file])
    return file


@pytest.fixture
def built(mm: Mm, own: Path, tmp_path: Path) -> dict[str, Arm]:
    return arms.build(("without_mm", "with_mm"), tmp_path, mm, "bubblewrap", os.environ["PATH"])


@pytest.fixture
def shims(tmp_path: Path) -> Path:
    folder = tmp_path / "shims"
    folder.mkdir()
    return folder


def write(arm: Arm, folder: Path) -> str:
    arm.write_shim(folder, inside("bubblewrap", folder, "/workspace"), {})
    return shim_digest(folder)


def test_the_arms_differ_in_what_mm_is_and_in_what_is_bound(built: dict[str, Arm], tmp_path: Path) -> None:
    without, with_mm = built["without_mm"], built["with_mm"]
    assert without.bin_folder == with_mm.bin_folder
    assert (without.bin_folder / "mm").readlink() == Path("/run/box/shim/mm")
    targets = {bind.target for bind in with_mm.binds} - {bind.target for bind in without.binds}
    assert PurePosixPath("/run/box/mm") in targets
    assert not any("mm" in str(bind.source.name) for bind in without.binds)


def test_an_untouched_treatment_is_intact(built: dict[str, Arm], shims: Path) -> None:
    for arm in built.values():
        assert arm.look(shims, write(arm, shims)) == {"intact": True, "changed": []}


def test_a_changed_shim_primer_or_program_is_named(built: dict[str, Arm], shims: Path, own: Path) -> None:
    arm = built["with_mm"]
    written = write(arm, shims)
    (shims / "mm").write_text("#!/bin/sh\necho other\n")
    own.write_text("another primer")
    (arm.bin_folder / "extra").symlink_to("/bin/true")
    assert arm.look(shims, written) == {"intact": False, "changed": ["primer.md", "shim", "programs"]}


def test_what_was_only_touched_is_intact(built: dict[str, Arm], shims: Path, own: Path) -> None:
    arm = built["with_mm"]
    written = write(arm, shims)
    own.write_text("the primer")
    assert arm.look(shims, written)["intact"]


def test_the_kit_watches_its_primer_and_its_graders() -> None:
    names = {path.name for path in arms._own_files()}
    assert {"primer.md", "placebo.md", "shim_boot.py", "kinds.py", "base.py"} <= names
