"""Sessions that begin at once do not sweep each other away, and what a kill left goes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmbench import unborn

BEGIN = """
import sys
from pathlib import Path
from mmbench.ledger import Ledger
for number in range(150):
    path = Path(sys.argv[1]) / f"{sys.argv[2]}-{number}.jsonl"
    with Ledger.create(path) as book:
        book._write(b"x\\n")
        book._take_name()
"""


def test_sessions_that_begin_at_once_all_get_their_file(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    started = [
        subprocess.Popen([sys.executable, "-c", BEGIN, str(tmp_path), str(number)], env=env)
        for number in range(4)
    ]
    assert [process.wait(timeout=300) for process in started] == [0] * 4
    assert len(list(tmp_path.iterdir())) == 600


def test_what_a_kill_left_goes_and_what_is_under_way_stays(tmp_path: Path) -> None:
    unborn.place(tmp_path / "killed.jsonl").touch()
    descriptor = unborn.begin(tmp_path / "living.jsonl")
    unborn.sweep(tmp_path)
    assert list(tmp_path.iterdir()) == [unborn.place(tmp_path / "living.jsonl")]
    os.close(descriptor)
    unborn.sweep(tmp_path)
    assert not list(tmp_path.iterdir())


def test_one_file_is_begun_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unborn, "TRIES", 2)
    descriptor = unborn.begin(tmp_path / "s1.jsonl")
    with pytest.raises(FileExistsError):
        unborn.begin(tmp_path / "s1.jsonl")
    os.close(descriptor)
