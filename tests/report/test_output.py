"""The folder of the built site."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench.errors import UsageError
from mmbench.report.output import MARKER, Output


def make(folder: Path, files: dict[str, bytes]) -> tuple[int, int]:
    with Output(folder) as output:
        for path, data in files.items():
            output.write(path, data)
        return output.finish(), output.changed


def break_off(folder: Path, files: dict[str, bytes]) -> None:
    """Write some files and never finish."""
    with Output(folder) as output:
        for path, data in files.items():
            output.write(path, data)


def test_unchanged_files_are_not_touched(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out, {"a.html": b"a", "b/c.html": b"c"})
    before = (out / "a.html").stat().st_mtime_ns
    assert make(out, {"a.html": b"a", "b/c.html": b"C"}) == (0, 1)
    assert (out / "a.html").stat().st_mtime_ns == before
    assert (out / "b/c.html").read_bytes() == b"C"


def test_files_that_are_no_longer_made_go(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out, {"a.html": b"a", "b/c/d.html": b"c"})
    assert make(out, {"a.html": b"a"})[0] == 1
    assert sorted(path.name for path in out.iterdir()) == [MARKER, "a.html"]


def test_somebody_elses_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="was not built by mmbench"):
        Output(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_broken_off_build_can_be_built_over(tmp_path: Path) -> None:
    out = tmp_path / "out"
    break_off(out, {"a.html": b"half"})
    assert make(out, {"a.html": b"whole"})[0] == 0
    assert (out / "a.html").read_bytes() == b"whole"


@pytest.mark.parametrize("cut", [0, 3])
def test_what_a_broken_off_build_left_goes(tmp_path: Path, cut: int) -> None:
    out = tmp_path / "out"
    make(out, {"a.html": b"a"})
    (out / "CNAME").write_text("bench.example.org")
    break_off(out, {"a.html": b"a", "b/c.html": b"c", "d.html": b"d"})
    marker = (out / MARKER).read_bytes()
    (out / MARKER).write_bytes(marker[: len(marker) - cut])  # a line is cut where the machine stopped
    break_off(out, {"e.html": b"e"})
    make(out, {"a.html": b"a"})
    left = {path.name for path in out.rglob("*") if path.is_file()}
    assert left == {MARKER, "CNAME", "a.html"} | ({"d.html"} if cut else set())


def test_a_marker_cannot_name_files_outside(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "victim").write_text("x")
    (out / MARKER).write_text("title\n../victim\n/etc/passwd\n")
    assert make(out, {}) == (0, 1)
    assert (tmp_path / "victim").exists()


def test_one_path_cannot_be_made_twice(tmp_path: Path) -> None:
    with Output(tmp_path / "out") as output:
        output.write("a", b"1")
        with pytest.raises(ValueError, match="made twice"):
            output.write("a", b"2")
