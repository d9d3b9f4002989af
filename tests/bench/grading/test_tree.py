import multiprocessing
import os
from pathlib import Path

import pytest

from mmbench.bench.grading import CheckFailedToRun, Evidence, run_checks, survey
from mmbench.bench.grading.base import Refused
from mmbench.bench.grading.look import matches
from mmbench.bench.grading.tree import open_regular, read_regular, sha256_regular
from tests.bench.grading.trial import put, trial

HOSTILE = [
    "caf\udce9.txt",
    "a\nb.txt",
    " lead",
    "trail ",
    "-rf",
    "\x1b[31m",
    "*",
    "\\",
    "ü",
    "u\u0308",
    "😀",
    "x" * 255,
]


def test_a_survey_says_what_lstat_says(tmp_path: Path) -> None:
    put(tmp_path, "a/b.txt", "hello").chmod(0o640)
    (tmp_path / "a/link").symlink_to("b.txt")
    (tmp_path / "a/loop").symlink_to(".")
    os.mkfifo(tmp_path / ".pipe")
    facts = survey(tmp_path, hashes=True)
    assert list(facts) == [".pipe", "a", "a/b.txt", "a/link", "a/loop"]
    assert [facts[path].kind for path in facts] == ["other", "directory", "file", "symlink", "symlink"]
    assert (facts["a/b.txt"].size, facts["a/b.txt"].mode) == (5, 0o640)
    assert facts["a/b.txt"].sha256 == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    assert facts["a/link"].target == "b.txt"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_surveyed_and_graded(tmp_path: Path, name: str) -> None:
    made = trial(tmp_path, {"start.txt": "s", name: "content"})
    assert made.score(kind="path_exists", path=name, same_as=name) == 1
    (made.tree / name).unlink()
    reason = made.result(kind="path_absent", path=name).reason
    assert reason.isprintable()
    assert reason.encode()


def test_what_is_no_regular_file_is_refused_unopened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "null").symlink_to("/dev/null")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "inner").symlink_to("pipe")
    (tmp_path / "folder").mkdir()
    for path in (
        "pipe",
        "null",
        "loop",
        "inner",
        "folder",
        "missing",
        "../x",
        "nul\0byte",
        "x" * 300,
        "a/" * 3000,
    ):
        with pytest.raises(Refused):
            open_regular(tmp_path, path, 100)


def test_a_terabyte_hole_is_refused_by_its_size(tmp_path: Path) -> None:
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Refused, match="over the limit"):
        sha256_regular(tmp_path, "hole")
    assert survey(tmp_path, hashes=True)["hole"].sha256 is None


def test_a_link_inside_the_tree_may_be_read_through(tmp_path: Path) -> None:
    put(tmp_path, "a/real.txt", "x")
    (tmp_path / "link").symlink_to("a/real.txt")
    assert read_regular(tmp_path, "link", 10) == b"x"


def test_bottomless_and_crowded_trees_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "tree"
    deep.joinpath(*["d"] * 70).mkdir(parents=True)
    with pytest.raises(Refused, match="folders deep"):
        survey(deep)
    monkeypatch.setattr("mmbench.bench.grading.tree.MAX_ENTRIES", 3)
    for name in "abcd":
        put(tmp_path / "flat", name, "x")
    with pytest.raises(Refused, match="more than 3 entries"):
        survey(tmp_path / "flat")
    result = run_checks(
        [{"kind": "path_exists", "weight": 1, "path": "a"}], Evidence("", tmp_path / "flat", {})
    )[0]
    assert (result.score, result.reason) == (0, "The tree holds more than 3 entries.")


def test_a_missing_tree_is_the_graders_fault(tmp_path: Path) -> None:
    with pytest.raises(CheckFailedToRun):
        run_checks([{"kind": "path_exists", "weight": 1, "path": "a"}], Evidence("", tmp_path / "none", {}))


def _closed(root: str, user: int | None, queue: "multiprocessing.Queue[object]") -> None:
    if user is not None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    tree = Path(root)
    checks = [
        {"kind": "path_exists", "weight": 1, "path": "closed.txt", "sha256": "0" * 64},
        {"kind": "path_exists", "weight": 1, "path": "closed/in.txt"},
        {"kind": "artifact_exists", "weight": 1, "path": "closed.txt"},
        {"kind": "path_exists", "weight": 1, "path": "listed/in.txt"},
        {"kind": "path_exists", "weight": 1, "path": "fixed/in.txt"},
    ]
    queue.put([(r.score, r.reason) for r in run_checks(checks, Evidence("", tree, {}))])


def test_what_its_owner_may_not_read_is_not_read_whoever_grades(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for path in ("closed.txt", "closed/in.txt", "listed/in.txt", "fixed/in.txt"):
        put(tree, path, "x")
    modes = {"closed.txt": 0o000, "closed": 0o000, "listed": 0o600, "fixed": 0o555}
    user = 1000 if os.geteuid() == 0 else None
    if user is not None:
        for path in (tmp_path, *tmp_path.parents[:3]):
            path.chmod(path.stat().st_mode | 0o011)
        for path in (tree, *tree.rglob("*")):
            os.chown(path, user, user)
    for path, mode in modes.items():
        (tree / path).chmod(mode)
    context = multiprocessing.get_context("spawn")
    found = []
    for who in {user, None}:
        queue: multiprocessing.Queue[object] = context.Queue()
        process = context.Process(target=_closed, args=(str(tree), who, queue))
        process.start()
        found.append(queue.get(timeout=60))
        process.join()
    for path in modes:
        (tree / path).chmod(0o755)
    assert all(seen == found[0] for seen in found)
    assert found[0] == [
        (0, "closed.txt may not be read by its owner."),
        (0, "closed/in.txt does not exist."),
        (0, "closed.txt may not be read by its owner."),
        (0, "listed/in.txt does not exist."),
        (1, "fixed/in.txt is there as it should be."),
    ]


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("a.txt", "*.txt", True), ("d/a.txt", "*.txt", False), ("d/a.txt", "**/*.txt", True),
        ("a.txt", "**/*.txt", True), ("d/e/a.txt", "d/**", True), ("d", "d/**", True), (".hidden", "*", True),
        ("d/a.txt", "d/?.txt", True), ("A.txt", "a.txt", False), ("d/e/a", "d/*", False), ("da", "d**", True),
    ],
)  # fmt: skip
def test_globs(path: str, pattern: str, fits: bool) -> None:
    assert matches(path, pattern) is fits
