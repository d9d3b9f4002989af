"""A folder of one's own as dataset: every file is hashed, and what cannot be copied is refused at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mmbench.bench import cheats, dataset
from mmbench.case import Case
from mmbench.errors import DataError, PrerequisiteError
from tests.test_case import DOCUMENT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "mine"
    made.mkdir()
    (made / "a.txt").write_text("a")
    (made / os.fsdecode(b"bad\xff.txt")).write_text("b")
    (made / "link").symlink_to("a.txt")
    return made


def test_a_folder_is_known_by_its_files(folder: Path, tmp_path: Path) -> None:
    found = dataset.resolve(str(folder), tmp_path / "datasets")
    assert (found.name, len(found.hashes), found.size) == ("folder", 2, 2)
    (folder / "a.txt").write_text("A")
    assert dataset.resolve(str(folder), tmp_path / "datasets").digest != found.digest


def test_what_cannot_be_copied_is_named_before_anything_runs(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(DataError, match="pipe, socket or device: pipe"):
        dataset.resolve(str(folder), tmp_path / "datasets")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="no dataset folder"):
        dataset.resolve(str(tmp_path / "none"), tmp_path)


def test_a_cheat_can_name_files_whose_names_are_not_utf8(folder: Path, tmp_path: Path) -> None:
    check = {"kind": "artifact_contains", "weight": 1, "path": "out.txt", "value": "bad"}
    case = Case(DOCUMENT | {"checks": [check]}, "synthetic")
    played = cheats.shotgun(case, cheats.begin(folder, tmp_path / "played"))
    assert b"bad\xff.txt" in (played.tree / "out.txt").read_bytes()
    assert played.score(case) == 100
