"""Changes of a tree are seen by content, and any tree can be removed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench import tree


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "sub/c.txt"):
        (source / name).write_text(name)
    (source / "link").symlink_to("a.txt")
    tree.copy(source, tmp_path / "copy")
    return tmp_path / "copy"


def changed(root: Path, before: dict[str, tree.Mark]) -> dict[str, str]:
    return {change.path: change.change for change in tree.changes(root, before, tree.marks(root))}


def test_an_untouched_copy_has_no_change(copied: Path) -> None:
    assert changed(copied, tree.marks(copied)) == {}


def test_added_modified_and_deleted_entries_are_told(copied: Path) -> None:
    before = tree.marks(copied)
    (copied / "new").mkdir()
    (copied / "new" / "d.txt").write_text("d")
    (copied / "a.txt").write_text("A")
    (copied / "b.txt").unlink()
    (copied / "link").unlink()
    (copied / "link").symlink_to("b.txt")
    assert changed(copied, before) == {
        "a.txt": "modified", "b.txt": "deleted", "link": "modified", "new": "added", "new/d.txt": "added",
    }  # fmt: skip


def test_a_change_that_keeps_size_and_time_is_seen(copied: Path) -> None:
    before = tree.marks(copied)
    status = (copied / "a.txt").stat()
    (copied / "a.txt").write_text("A.TXT")
    os.utime(copied / "a.txt", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert changed(copied, before) == {"a.txt": "modified"}


def test_a_changed_mode_is_a_change(copied: Path) -> None:
    before = tree.marks(copied)
    (copied / "a.txt").chmod(0o600)
    assert changed(copied, before) == {"a.txt": "modified"}


def test_fifos_links_and_holes_are_never_read(copied: Path) -> None:
    os.mkfifo(copied / "pipe")
    (copied / "loop").symlink_to("loop")
    (copied / "zero").symlink_to("/dev/zero")
    with (copied / "hole").open("wb") as file:
        file.truncate(1 << 40)
    before = tree.marks(copied)
    assert {name: before[name].kind for name in ("pipe", "loop", "zero", "hole")} == {
        "pipe": "other", "loop": "symlink", "zero": "symlink", "hole": "file",
    }  # fmt: skip
    assert [tree.file_hash(copied / name) for name in ("pipe", "loop", "zero", "hole")] == [None] * 4
    assert tree.disk_usage(copied, 1 << 50) < 1 << 20


def test_files_full_of_holes_are_hashed_up_to_a_sum(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "HASH_TOTAL", 25_000)
    before = tree.marks(copied)
    for number in range(4):
        with (copied / f"hole-{number}").open("wb") as file:
            file.truncate(10_000)
    (copied / "last.txt").write_text("small")
    found = {change.path: change.sha256 for change in tree.changes(copied, before, tree.marks(copied))}
    assert [found[f"hole-{number}"] is None for number in range(4)] == [False, False, True, True]
    assert found["last.txt"] is not None


def test_the_digest_of_a_tree_follows_its_content_alone(copied: Path, tmp_path: Path) -> None:
    origin = {name: tree.file_hash(copied / name) or "" for name in ("a.txt", "b.txt", "sub/c.txt")}
    before = tree.marks(copied)
    plain = tree.digest(before, [], origin)
    (copied / "a.txt").write_text("a.txt")  # the same content written anew
    found = tree.changes(copied, before, tree.marks(copied))
    assert tree.digest(tree.marks(copied), found, origin) == plain
    (copied / "a.txt").write_text("other")
    found = tree.changes(copied, before, tree.marks(copied))
    assert tree.digest(tree.marks(copied), found, origin) != plain


def test_names_that_are_not_utf_8_are_shown_with_escapes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff.txt")).write_text("")
    (path,) = tree.marks(tmp_path)
    assert tree.shown(path) == "bad\\xff.txt"


REMOVAL = """
import os, sys
from pathlib import Path
from mmbench.bench import tree
if os.getuid() == 0:
    os.setgroups([]); os.setgid(1000); os.setuid(1000)
root = Path(sys.argv[1])
(root / "a" / "b").mkdir(parents=True)
(root / "a" / "b" / "f").write_text("x")
(root / "a" / "b" / "f").chmod(0)
(root / "a" / "b").chmod(0o555)
(root / "a").chmod(0)
tree.remove(root / "a")
tree.remove(root / "a")
print((root / "a").exists())
"""


def test_folders_without_permissions_are_removed_by_an_ordinary_user() -> None:
    # Not pytest's own folder, which only its owner may enter.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        code = [sys.executable, "-c", REMOVAL, folder]
        env = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": os.environ["PATH"]}
        done = subprocess.run(code, capture_output=True, text=True, env=env, check=False)
    assert (done.stdout.strip(), done.stderr) == ("False", "")


@pytest.mark.parametrize(("name", "levels"), [("d" * 200, 40), ("d", 2500)])
def test_folders_deeper_than_any_path_are_removed(tmp_path: Path, name: str, levels: int) -> None:
    # Made as an agent makes them, from folder to folder; the first is over the length of a path, the second
    # over the depth of a recursion.
    script = (
        "import os, sys\nfor _ in range(int(sys.argv[2])):\n os.mkdir(sys.argv[1]); os.chdir(sys.argv[1])"
    )
    root = tmp_path / "tree"
    root.mkdir()
    subprocess.run([sys.executable, "-c", script, name, str(levels)], cwd=root, check=True)
    (root / "out").symlink_to(tmp_path)
    (tmp_path / "kept").touch()
    tree.remove(root)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_file_is_read_only_where_no_link_leads_out(tmp_path: Path) -> None:
    (tmp_path / "users" / "own").mkdir(parents=True)
    (tmp_path / "users" / "own" / "key").write_text("secret")
    home = tmp_path / "home"
    (home / "here").mkdir(parents=True)
    (home / "here" / "file").write_text("ours")
    (home / "away").symlink_to(tmp_path / "users")
    (home / "beside").symlink_to("here")
    (home / "file").symlink_to("here/file")
    (home / "loop").symlink_to("loop")
    assert tree.read_regular(home, "here/file", 10) == tree.read_regular(home, "beside/file", 10) == b"ours"
    refused = ("away/own/key", "../users/own/key", "file", "here", "none", "here/none", "loop/x")
    assert [tree.read_regular(home, path, 10) for path in refused] == [None] * 7
    assert tree.read_regular(home, "here/file", 3) is None


@given(st.dictionaries(st.text("ab", min_size=1, max_size=3), st.binary(max_size=20), max_size=5))
def test_changes_between_two_trees_are_symmetric_in_kind(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        empty = tree.marks(root)
        for name, data in files.items():
            (root / name).write_bytes(data)
        full = tree.marks(root)
        assert {c.change for c in tree.changes(root, empty, full)} <= {"added"}
        assert {c.path for c in tree.changes(root, full, empty)} == set(files)
