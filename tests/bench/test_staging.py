"""Setup steps: done to a copy, seen by sandbox, hashes and graders alike, and never outside the tree."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench import dataset, grade, sandbox, staging, tree
from mmbench.bench.dataset import Dataset
from mmbench.bench.grading import Evidence, run_checks
from mmbench.errors import DataError
from tests.bench.test_case_tests import case


@pytest.fixture
def data(tmp_path: Path) -> Dataset:
    root = tmp_path / "data"
    (root / "sub").mkdir(parents=True)
    (root / "long.txt").write_text("0123456789")
    (root / "sub" / "short.txt").write_text("x")
    (root / "out").symlink_to(tmp_path)
    return dataset.resolve(str(root), tmp_path)


def staged(data: Dataset, tmp_path: Path, *steps: dict[str, Any]) -> tuple[Path, dict[str, str]]:
    return staging.source_of(data, case(setup=list(steps)), tmp_path / "staged")


def test_without_steps_the_dataset_itself_is_the_source(data: Dataset, tmp_path: Path) -> None:
    assert staged(data, tmp_path) == data.subtree(".")


def test_each_step_does_what_it_says_and_the_dataset_stays(data: Dataset, tmp_path: Path) -> None:
    before = tree.marks(data.root)
    place, hashes = staged(
        data,
        tmp_path,
        {"do": "write", "path": "new/-rf.txt", "text": "é\n", "mode": "0640"},
        {"do": "mtime", "path": "new/-rf.txt", "at": "2001-02-03T04:05:06Z"},
        {"do": "copy", "path": "long.txt", "to": "new/copy.txt"},
        {"do": "copy", "path": "sub", "to": "twin"},
        {"do": "corrupt", "path": "long.txt"},
        {"do": "mkdir", "path": "empty/inner"},
        {"do": "remove", "path": "sub"},
        {"do": "mode", "path": "new", "mode": "0555"},
    )
    marks = tree.marks(place)
    assert (place / "long.txt").read_text() == "01234"
    assert (place / "new/copy.txt").read_text() == "0123456789"
    assert (marks["new"].mode, marks["new/-rf.txt"].mode) == (0o555, 0o640)
    assert marks["new/-rf.txt"].mtime_ns == 981173106 * 10**9
    assert {"twin/short.txt", "empty/inner"} <= marks.keys()
    assert "sub" not in marks
    assert hashes["long.txt"] == hashlib.sha256(b"01234").hexdigest()
    assert hashes.keys() == {"long.txt", "new/-rf.txt", "new/copy.txt", "twin/short.txt"}
    assert tree.marks(data.root) == before


def test_it_is_made_once(data: Dataset, tmp_path: Path) -> None:
    steps = {"do": "corrupt", "path": "long.txt"}
    place, first = staged(data, tmp_path, steps)
    inode = (place / "long.txt").stat().st_ino
    assert staged(data, tmp_path, steps) == (place, first)
    assert (place / "long.txt").stat().st_ino == inode


def test_graders_take_the_set_up_tree_for_the_original(data: Dataset, tmp_path: Path) -> None:
    steps = [{"do": "corrupt", "path": "long.txt"}, {"do": "mode", "path": "sub", "mode": "0555"}]
    source, hashes = staged(data, tmp_path, *steps)
    box = sandbox.make(
        tmp_path / "box", kind="process", source=source, mount="/workspace", bin_folder=_bin(tmp_path)
    )
    assert box.before["sub"].mode == 0o555
    found = Evidence("", box.path("work"), grade.facts(box.before, hashes), source)
    unchanged = [{"kind": "tree_unchanged_except", "weight": 1}]
    assert run_checks(unchanged, found)[0].score == 1
    (box.path("work") / "long.txt").write_text("0123456789")
    assert run_checks(unchanged, found)[0].score == 0.25
    box.remove()
    assert not box.root.exists()


def _bin(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sh").symlink_to("/bin/sh")
    (folder / "mm").symlink_to("/run/box/shim/mm")
    return folder


HOSTILE = ["/etc/hostname", "../data2", "sub/../../data2", "out/escaped", "out", "", ".", "a\0b"]


@pytest.mark.parametrize("path", HOSTILE)
@pytest.mark.parametrize("do", sorted(staging.STEPS))
def test_no_step_leaves_the_tree(data: Dataset, tmp_path: Path, do: str, path: str) -> None:
    step = {"do": do, "path": path, "text": "", "mode": "0777", "at": "2001-02-03T04:05:06Z", "to": "fine"}
    with pytest.raises(DataError, match="cannot be done"):
        staged(data, tmp_path, step)
    assert not (tmp_path / "escaped").exists()
    assert list((tmp_path / "staged").iterdir()) == []


@pytest.mark.parametrize("path", HOSTILE)
def test_no_copy_leaves_the_tree(data: Dataset, tmp_path: Path, path: str) -> None:
    with pytest.raises(DataError, match="cannot be done"):
        staged(data, tmp_path, {"do": "copy", "path": "long.txt", "to": path})


@given(st.text(st.sampled_from("./ab\0"), max_size=12))
def test_wild_paths_stay_inside_or_are_refused(path: str) -> None:
    root = Path("/nowhere/at/all")
    try:
        found = staging._inside(root, path)
    except staging._Refused:
        return
    assert root in found.parents
    assert ".." not in found.parts


@pytest.mark.parametrize(
    "step",
    [
        {"do": "mode", "path": "long.txt", "mode": "0000"},
        {"do": "mode", "path": "sub", "mode": "0600"},
        {"do": "corrupt", "path": "sub"},
        {"do": "corrupt", "path": "sub/short.txt"},
        {"do": "remove", "path": "gone.txt"},
        {"do": "copy", "path": "gone.txt", "to": "there.txt"},
    ],
)
def test_a_step_that_cannot_be_done_is_told(data: Dataset, tmp_path: Path, step: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="The setup of green cannot be done"):
        staged(data, tmp_path, step)
