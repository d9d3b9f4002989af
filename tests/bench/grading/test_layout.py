import os
import shutil
from pathlib import Path

import pytest

from mmbench.bench.grading import CheckFailedToRun
from tests.bench.grading.trial import Trial, trial

FILES = {
    "IMG_1.jpg": "car one", "IMG_2.jpg": "car two", "IMG_3.png": "dog", "IMG_4.jpg": "dog", "notes/a.txt": "a",
    "notes/.hidden.txt": "h", "empty.txt": "",
}  # fmt: skip
GROUPS = {"cars": ["IMG_1.jpg", "IMG_2.jpg"], "dogs": ["IMG_3.png", "IMG_4.jpg"]}


@pytest.fixture
def made(tmp_path: Path) -> Trial:
    return trial(tmp_path, FILES)


def move(made: Trial, **to: str) -> None:
    for path, folder in ((p, f) for f, paths in to.items() for p in paths.split()):
        (made.tree / folder).mkdir(exist_ok=True)
        (made.tree / path).rename(made.tree / folder / path)


def test_file_count(made: Trial) -> None:
    (made.tree / "link.jpg").symlink_to("IMG_1.jpg")
    os.mkfifo(made.tree / "pipe.jpg")
    assert made.score(kind="file_count", count=5) == 1
    assert made.score(kind="file_count", count=6, hidden=True) == 1
    assert made.score(kind="file_count", count=7, hidden=True, min_bytes=0) == 1
    assert made.score(kind="file_count", count=4, recursive=False) == 1
    assert made.score(kind="file_count", under="notes", count=1) == 1
    assert made.score(kind="file_count", under="notes/", count=2, only=["*.txt"], hidden=True) == 1
    assert made.score(kind="file_count", count=3, only=["*.jpg"]) == 1
    assert made.score(kind="file_count", count=2, only=["*.jpg"]) == 0.5
    assert made.score(kind="file_count", count=2, only=["*.jpg"], tolerance=1) == 1
    assert made.score(kind="file_count", count=0, new=True) == 1
    assert made.score(kind="file_count", under="none", count=2) == 0


def test_extension_share(made: Trial) -> None:
    made.write("out/a.JPG")
    made.write("out/b.jpg")
    made.write("out/c.png")
    made.write("out/d.jpg", "")
    assert made.score(kind="extension_share", under="out", extensions=["jpg"]) == pytest.approx(2 / 3)
    assert made.score(kind="extension_share", under="out", extensions=[".jpg", "png"]) == 1
    assert made.score(kind="extension_share", under="out", extensions=["jpg", "png"], count=6) == 0.5
    assert made.score(kind="extension_share", under="none", extensions=["jpg"]) == 0


def test_naming_pattern(made: Trial) -> None:
    for name in ("vacation_001.jpg", "vacation_002.jpg", "vacation_004.jpg", "vacation_5.jpg"):
        made.write(f"out/{name}")
    check = {"kind": "naming_pattern", "under": "out", "pattern": r"vacation_\d{3}\.jpg"}
    assert made.share([check]) == 0.75
    assert made.share([{**check, "sequence": True}]) == 0.5
    assert made.share([{**check, "count": 6}]) == 0.5
    with pytest.raises(CheckFailedToRun, match="not a regular expression"):
        made.share([{**check, "pattern": "("}])


def test_a_grouping_that_is_right(made: Trial) -> None:
    move(made, cars="IMG_1.jpg IMG_2.jpg", dogs="IMG_3.png IMG_4.jpg")
    assert made.score(kind="grouping", truth=GROUPS) == 1
    assert made.score(kind="grouping", truth=GROUPS, renames=False) == 1


def test_nothing_sorted_is_worth_nothing(made: Trial) -> None:
    result = made.result(kind="grouping", truth=GROUPS)
    assert result.score == 0
    assert "not sorted: IMG_1.jpg" in result.reason


def test_a_misplaced_file_costs_twice(made: Trial) -> None:
    move(made, cars="IMG_1.jpg IMG_3.png", dogs="IMG_2.jpg IMG_4.jpg")
    assert made.score(kind="grouping", truth=GROUPS) == pytest.approx(2 / 6 + 0 / 6, abs=0.01)


def test_everything_in_every_folder_is_worth_little(made: Trial) -> None:
    for folder in GROUPS:
        shutil.copytree(made.reference, made.tree / folder)
    assert made.score(kind="grouping", truth=GROUPS) == 0
    for path in GROUPS["cars"] + GROUPS["dogs"]:
        (made.tree / path).unlink()
    assert made.score(kind="grouping", truth=GROUPS) < 0.35


def test_copies_and_renames_are_allowed_when_the_case_says_so(made: Trial) -> None:
    made.write("cars/first.jpg", "car one")
    made.write("cars/IMG_2.jpg", "car two")
    truth = {"cars": GROUPS["cars"]}
    assert made.score(kind="grouping", truth=truth) == 0
    assert made.score(kind="grouping", truth=truth, copies=True) == 1
    assert made.score(kind="grouping", truth=truth, copies=True, renames=False) == pytest.approx(1 / 3)


def test_files_of_one_content_need_as_many_copies(made: Trial) -> None:
    move(made, dogs="IMG_3.png")
    truth = {"dogs": GROUPS["dogs"]}
    assert made.score(kind="grouping", truth=truth) == 0
    (made.tree / "IMG_4.jpg").unlink()
    assert made.score(kind="grouping", truth=truth) == 0.5


def test_touched_files_and_links_are_not_sorted_files(made: Trial) -> None:
    made.write("cars/IMG_1.jpg", "")
    (made.tree / "IMG_1.jpg").unlink()
    (made.tree / "cars/IMG_2.jpg").symlink_to("../IMG_2.jpg")
    assert made.score(kind="grouping", truth={"cars": GROUPS["cars"]}) == 0


def test_a_grouping_of_what_is_not_in_the_dataset_is_the_cases_fault(made: Trial) -> None:
    with pytest.raises(CheckFailedToRun, match=r"none\.jpg is not a file"):
        made.score(kind="grouping", truth={"cars": ["none.jpg"]})
