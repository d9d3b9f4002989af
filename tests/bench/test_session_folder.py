"""A session's folder belongs to one process at a time."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from mmbench.bench import sandbox, tree
from mmbench.errors import UsageError


def test_a_folder_in_use_is_not_taken_away(tmp_path: Path) -> None:
    with sandbox.session_folder(tmp_path / "s1") as folder:
        (folder / "trial").mkdir()
        with pytest.raises(UsageError, match="s1 is under way"), sandbox.session_folder(tmp_path / "s1"):
            pass
        assert (folder / "trial").is_dir()
    assert not (tmp_path / "s1").exists()


def test_what_a_killed_session_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "s1" / "trial").mkdir(parents=True)
    (tmp_path / "s1" / "lock").touch()
    with sandbox.session_folder(tmp_path / "s1") as folder:
        assert [path.name for path in folder.iterdir()] == ["lock"]


def test_what_cannot_be_removed_keeps_nobody_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("s1", "s2"):
        (tmp_path / name / "trial").mkdir(parents=True)
        (tmp_path / name / "lock").touch()
    remove = tree.remove

    def refuses_one(root: Path) -> None:
        if root.name == "s1":
            raise PermissionError(errno.EPERM, "Operation not permitted", str(root))
        remove(root)

    monkeypatch.setattr(tree, "remove", refuses_one)
    assert sandbox.sweep(tmp_path) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["s1"]
