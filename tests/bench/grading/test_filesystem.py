import shutil
from pathlib import Path

import pytest

from tests.bench.grading.trial import Trial, trial

FILES = ["IMG_1.jpg", "IMG_2.jpg", "notes/Größe.txt", "notes/todo.txt", "other/c.txt"]


@pytest.fixture
def moved(tmp_path: Path) -> Trial:
    """A tree in which IMG_1.jpg was moved to cars/ and nothing else was done."""
    made = trial(tmp_path, FILES)
    (made.tree / "cars").mkdir()
    (made.tree / "IMG_1.jpg").rename(made.tree / "cars/IMG_1.jpg")
    return made


def test_path_exists(moved: Trial) -> None:
    assert moved.score(kind="path_exists", path="cars/IMG_1.jpg") == 1
    assert moved.score(kind="path_exists", path="cars/") == 1
    assert moved.score(kind="path_exists", path="cars/IMG_1.jpg/") == 0
    assert moved.score(kind="path_exists", path="cars/IMG_2.jpg") == 0


def test_an_empty_file_of_the_right_name_earns_nothing(moved: Trial) -> None:
    moved.write("cars/IMG_2.jpg", b"")
    assert moved.score(kind="path_exists", path="cars/IMG_2.jpg") == 0
    assert moved.score(kind="path_exists", path="cars/IMG_2.jpg", same_as="IMG_2.jpg") == 0
    assert moved.score(kind="path_exists", path="cars/IMG_2.jpg", min_bytes=0) == 1


def test_a_file_that_was_empty_at_the_start_may_be_so(tmp_path: Path) -> None:
    assert trial(tmp_path, {"empty.txt": b""}).score(kind="path_exists", path="empty.txt") == 1


@pytest.mark.parametrize("hashes", [True, False])
def test_path_exists_with_the_original_content(moved: Trial, hashes: bool) -> None:
    moved.hashes = hashes
    assert moved.score(kind="path_exists", path="cars/IMG_1.jpg", same_as="IMG_1.jpg") == 1
    moved.write("cars/IMG_1.jpg", "content of IMG_1.jpX")
    result = moved.result(kind="path_exists", path="cars/IMG_1.jpg", same_as="IMG_1.jpg")
    assert (result.score, result.reason) == (0, "cars/IMG_1.jpg does not have the content of IMG_1.jpg.")


def test_path_exists_by_hash(moved: Trial) -> None:
    good = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    moved.write("abc", "abc")
    assert moved.score(kind="path_exists", path="abc", sha256=good) == 1
    assert moved.score(kind="path_exists", path="abc", sha256="0" * 64) == 0


def test_a_glob_needs_one_match_that_fits(moved: Trial) -> None:
    assert moved.score(kind="path_exists", path="**/IMG_1.jpg", glob=True, same_as="IMG_1.jpg") == 1
    assert moved.score(kind="path_exists", path="c*/IMG_?.jpg", glob=True) == 1
    assert moved.score(kind="path_exists", path="*.png", glob=True) == 0
    moved.write("[1].txt", "x")
    assert moved.score(kind="path_exists", path="[1].txt") == 1


def test_paths_are_found_in_either_unicode_form(moved: Trial) -> None:
    assert moved.score(kind="path_exists", path="notes/Gro\u0308ße.txt", same_as="notes/Gro\u0308ße.txt") == 1


def test_a_link_is_not_what_it_points_to(moved: Trial) -> None:
    (moved.tree / "cars/IMG_2.jpg").symlink_to("../IMG_2.jpg")
    result = moved.result(kind="path_exists", path="cars/IMG_2.jpg", same_as="IMG_2.jpg")
    assert (result.score, result.reason) == (0, "cars/IMG_2.jpg is a symbolic link, not a file.")
    assert moved.score(kind="path_exists", path="cars/IMG_2.jpg", type="symlink") == 1


def test_a_link_out_of_the_tree_is_not_followed(moved: Trial) -> None:
    (moved.tree / "outside").symlink_to(moved.reference)
    assert moved.score(kind="path_exists", path="outside/IMG_1.jpg") == 0
    assert moved.score(kind="path_exists", path="outside/*.jpg", glob=True) == 0
    assert moved.score(kind="path_exists", path="../reference/IMG_1.jpg") == 0


def test_path_absent_wants_the_original_kept_elsewhere(moved: Trial) -> None:
    assert moved.score(kind="path_absent", path="IMG_1.jpg") == 1
    assert moved.score(kind="path_absent", path="IMG_2.jpg") == 0
    (moved.tree / "IMG_2.jpg").unlink()
    result = moved.result(kind="path_absent", path="IMG_2.jpg")
    assert (result.score, result.reason) == (0, "IMG_2.jpg is gone and its content is nowhere in the tree.")
    assert moved.score(kind="path_absent", path="IMG_2.jpg", survives=False) == 1


def test_path_absent_for_a_folder(moved: Trial) -> None:
    (moved.tree / "notes").rename(moved.tree / "texts")
    assert moved.score(kind="path_absent", path="notes/") == 1
    shutil.rmtree(moved.tree / "other")
    assert moved.score(kind="path_absent", path="other") == 0
    assert moved.score(kind="path_absent", path="other", survives=False) == 1


def test_a_dangling_link_is_still_something_there(moved: Trial) -> None:
    (moved.tree / "IMG_1.jpg").symlink_to("nowhere")
    assert moved.score(kind="path_absent", path="IMG_1.jpg") == 0


def test_nothing_may_appear_counts_only_with_work_done(moved: Trial) -> None:
    checks = [
        {"kind": "path_absent", "path": "cars/IMG_2.jpg"},
        {"kind": "path_exists", "path": "cars/IMG_1.jpg"},
    ]
    assert moved.share(checks) == 1
    (moved.tree / "cars/IMG_1.jpg").rename(moved.tree / "IMG_1.jpg")
    assert moved.share(checks) == 0
    assert moved.score(kind="path_absent", path="cars") == 0


def test_emptying_the_tree_earns_nothing(moved: Trial) -> None:
    shutil.rmtree(moved.tree)
    moved.tree.mkdir()
    checks = [{"kind": "path_absent", "path": path} for path in FILES]
    checks += [{"kind": "path_absent", "path": "new"}, {"kind": "path_exists", "path": "cars/IMG_1.jpg"}]
    assert moved.share(checks) == 0
