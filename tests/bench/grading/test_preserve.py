import os
from pathlib import Path

import pytest
from PIL import Image

from mmbench.bench.grading import CheckFailedToRun, Evidence, run_checks, survey
from tests.bench.grading.trial import Trial, trial

FILES = ["a.txt", "b.txt", "sub/c.txt", "sub/.d"]
DAMAGES = ["add", "hidden", "change", "delete", "link", "folder", "same size", "replace", "retarget"]
DONE = {"kind": "path_exists", "path": "out/new.txt"}


@pytest.fixture
def made(tmp_path: Path) -> Trial:
    """A tree in which the task, writing out/new.txt, was done."""
    made = trial(tmp_path, FILES)
    made.write("out/new.txt", "new")
    return made


def unchanged(made: Trial, **more: object) -> float:
    return made.score(kind="tree_unchanged_except", allow=["out/**"], **more)


def test_only_what_is_allowed_has_changed(made: Trial) -> None:
    assert unchanged(made) == 1


@pytest.mark.parametrize("damage", DAMAGES)
def test_one_damage_leaves_a_quarter(made: Trial, damage: str) -> None:
    tree = made.tree
    (made.reference / "link").symlink_to("a.txt")
    (tree / "link").symlink_to("a.txt")
    if damage == "add":
        made.write("sub/junk")
    elif damage == "hidden":
        made.write(".DS_Store")
    elif damage == "change":
        made.write("sub/.d", "more")
    elif damage == "delete":
        (tree / "sub/c.txt").unlink()
    elif damage == "link":
        (tree / "l").symlink_to("/etc/passwd")
    elif damage == "folder":
        (tree / "empty").mkdir()
    elif damage == "same size":
        stamp = (tree / "a.txt").stat()
        made.write("a.txt", "Content of a.txt")
        os.utime(tree / "a.txt", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    elif damage == "replace":
        (tree / "a.txt").unlink()
        (tree / "a.txt").symlink_to("b.txt")
    else:
        (tree / "link").unlink()
        (tree / "link").symlink_to("b.txt")
    assert unchanged(made) == 0.25


def test_an_unchanged_inode_is_an_unchanged_file_and_needs_no_reading(made: Trial) -> None:
    (made.tree / "out/new.txt").unlink()
    (made.tree / "out").rmdir()
    before = survey(made.tree)
    made.write("out/new.txt", "new")
    check = {"kind": "tree_unchanged_except", "weight": 1, "allow": ["out/**"]}
    evidence = Evidence(
        "", made.tree, before
    )  # without hashes and without originals there is nothing to compare with
    assert run_checks([check], evidence)[0].score == 1
    stamp = (made.tree / "a.txt").stat()
    made.write("a.txt", "Content of a.txt")
    os.utime(made.tree / "a.txt", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    with pytest.raises(CheckFailedToRun, match=r"the original of a\.txt is not known"):
        run_checks([check], evidence)


def test_more_damage_soon_leaves_nothing(made: Trial) -> None:
    for count, score in [(1, 0.25), (2, 0.0625), (3, 0.015625), (4, 0)]:
        made.write(f"junk{count}")
        assert unchanged(made) == score


def test_each_kind_of_change_can_be_allowed_by_itself(made: Trial) -> None:
    made.write("sub/c.txt", "changed")
    (made.tree / "b.txt").unlink()
    assert unchanged(made, allow_changed=["sub/*"], allow_deleted=["b.txt"]) == 1
    assert unchanged(made, allow_added=["**"]) == 0.0625


def test_permissions_and_times_count_when_asked(made: Trial) -> None:
    (made.tree / "a.txt").chmod(0o600)
    os.utime(made.tree / "b.txt", (1, 1))
    assert unchanged(made) == 1
    assert unchanged(made, modes=True) == 0.25
    assert unchanged(made, modes=True, mtimes=True) == 0.0625


def test_doing_nothing_is_not_rewarded_for_being_harmless(made: Trial) -> None:
    checks = [DONE, {"kind": "tree_unchanged_except", "allow": ["out/**"]}, {"kind": "mode_preserved"}]
    assert made.share(checks) == 1
    (made.tree / "out/new.txt").unlink()
    assert made.share(checks) == 0


def test_damaging_an_unrelated_file_costs_most_of_the_guard(made: Trial) -> None:
    checks = [DONE, {"kind": "tree_unchanged_except", "allow": ["out/**"]}]
    made.write("b.txt", "mangled")
    assert made.share(checks) == 0.625


def test_a_file_that_nobody_may_read_is_compared_by_size_and_time(made: Trial) -> None:
    for root in (made.reference, made.tree):
        (root / "a.txt").chmod(0)
        os.utime(root / "a.txt", (5, 5))
    made.hashes = True
    assert unchanged(made) == 1
    os.utime(made.tree / "a.txt", (7, 7))
    assert unchanged(made) == 0.25


def test_times_and_permissions_follow_a_file_that_was_moved(made: Trial) -> None:
    for root in (made.reference, made.tree):
        (root / "a.txt").chmod(0o640)
        os.utime(root / "a.txt", (1000, 1000))
    (made.tree / "moved").mkdir()
    (made.tree / "a.txt").rename(made.tree / "moved/z.txt")
    for kind in ("mtime_preserved", "mode_preserved"):
        assert made.score(kind=kind, originals=["a.txt"]) == 1
        assert made.score(kind=kind, files={"moved/z.txt": "a.txt"}) == 1
    os.utime(made.tree / "moved/z.txt", (2000, 2000))
    (made.tree / "moved/z.txt").chmod(0o644)
    for kind in ("mtime_preserved", "mode_preserved"):
        assert made.score(kind=kind, originals=["a.txt", "b.txt"]) == (
            0.5 if kind == "mode_preserved" else 0.5
        )
        assert made.score(kind=kind, files={"moved/z.txt": "a.txt"}) == 0
        assert made.score(kind=kind, files={"nowhere": "a.txt"}) == 0
    assert made.score(kind="mtime_preserved", originals=["a.txt"], tolerance_s=1000) == 1


def test_a_lost_file_kept_nothing(made: Trial) -> None:
    (made.tree / "a.txt").unlink()
    assert made.score(kind="mode_preserved", originals=["a.txt", "b.txt"]) == 0.5


def test_a_check_that_speaks_of_no_file_is_the_cases_fault(made: Trial) -> None:
    with pytest.raises(CheckFailedToRun):
        made.score(kind="mode_preserved", originals=["*.png"])


def photo(path: Path, *, taken: str | None, size: tuple[int, int] = (64, 48)) -> None:
    image = Image.new("RGB", size, "teal")
    data = image.getexif()
    if taken:
        data[0x010F] = "Acme"
        data.get_ifd(0x8769)[0x9003] = taken
        data.get_ifd(0x8825)[2] = (48.0, 51.0, 29.5)
    image.save(path, exif=data)


def test_exif_preserved(tmp_path: Path) -> None:
    made = trial(tmp_path, ["other.txt"])
    photo(made.reference / "IMG_1.jpg", taken="2024:05:01 10:00:00")
    out = made.tree / "vacation_001.png"
    files = {"vacation_001.png": "IMG_1.jpg"}
    photo(out, taken="2024:05:01 10:00:00", size=(32, 24))
    assert made.score(kind="exif_preserved", files=files) == 1
    photo(out, taken="2024:05:02 10:00:00")
    result = made.result(kind="exif_preserved", files=files)
    assert (result.score, result.reason) == (
        pytest.approx(2 / 3),
        "Lost: DateTimeOriginal of vacation_001.png.",
    )
    assert made.score(kind="exif_preserved", files=files, tags=["DateTimeOriginal"]) == 0
    photo(out, taken=None)
    assert made.score(kind="exif_preserved", files=files) == 0
    made.write("vacation_001.png", "not an image")
    assert made.score(kind="exif_preserved", files=files) == 0
    with pytest.raises(CheckFailedToRun, match="none of the EXIF tags"):
        made.score(kind="exif_preserved", files=files, tags=["Flash"])
