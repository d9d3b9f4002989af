"""A session's folder belongs to one process at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench.bench import sandbox
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
