"""Finding the pinned mm and noticing when it is no longer what it was."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from mmbench.bench.mm import PIN, Mm, at, kept, locate, owns
from mmbench.errors import PrerequisiteError
from tests.support.mm import installed_mm  # noqa: F401 (the fixture `mm`)


@pytest.fixture
def own(mm: Mm, tmp_path: Path) -> Path:
    """A state folder with a copy of mm's own files, small enough to be spoiled."""
    prefix = tmp_path / "mm"
    for source in mm.hashes:
        target = prefix / source.relative_to(mm.prefix)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    info = next(mm.site_packages.glob("mm_ctx-*.dist-info"))
    shutil.copy(info / "RECORD", prefix / info.relative_to(mm.prefix) / "RECORD")
    shutil.copy(mm.prefix / "pyvenv.cfg", prefix)
    return tmp_path


def module(state: Path) -> Path:
    return next(state.glob("mm/lib/python3*/site-packages/mm/cli.py"))


def test_the_installed_one(mm: Mm) -> None:
    assert mm.version == PIN
    assert len(mm.digest) == 64 and len(mm.hashes) > 80
    assert mm.python.exists() and (mm.base_prefix / "bin").is_dir()
    assert [script.name for script in mm.scripts] == ["mm"]
    assert mm.roots == (mm.prefix, mm.base_prefix)
    assert kept(mm).changed() == []


def test_digest_is_of_the_content_and_not_of_the_place(mm: Mm, own: Path) -> None:
    found = locate(own)
    assert found.digest == mm.digest and found.prefix != mm.prefix
    found.executable.write_text("#!another/python\n# another installer's script\n")
    (module(own).parent / "__pycache__").mkdir()
    (module(own).parent / "__pycache__" / "cli.pyc").write_bytes(b"x")
    record = next(own.glob("mm/lib/python3*/site-packages/mm_ctx-*.dist-info/RECORD"))
    lines = [line for line in record.read_text().splitlines() if "bin/mm" not in line]
    record.write_text("\n".join([*lines, "../../../bin/mm,,", "mm/__pycache__/cli.pyc,,"]))
    assert locate(own).digest == mm.digest


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="not installed.*nox -s"):
        locate(tmp_path)
    script = tmp_path / "mm" / "bin" / "mm"
    script.parent.mkdir(parents=True)
    script.touch()
    with pytest.raises(PrerequisiteError, match="mm-ctx is not installed"):
        locate(tmp_path)


def test_another_version(own: Path) -> None:
    with pytest.raises(PrerequisiteError, match=rf"mm {PIN} is installed.* measures 9\.9"):
        locate(own, pin="9.9")


def test_outside_a_virtualenv(own: Path) -> None:
    (own / "mm" / "pyvenv.cfg").unlink()
    with pytest.raises(PrerequisiteError, match="virtualenv of its own"):
        locate(own)


@pytest.mark.parametrize("spoil", ["edit", "delete"])
def test_changed_after_installation(own: Path, spoil: str) -> None:
    path = module(own)
    path.write_text("print()") if spoil == "edit" else path.unlink()
    with pytest.raises(PrerequisiteError, match=r"missing or was changed.*cli\.py"):
        locate(own)


def test_changes_are_named_and_touches_are_not(own: Path) -> None:
    found = locate(own)
    before = kept(found)
    os.utime(module(own), ns=(1, 1))
    assert before.changed() == []
    size = module(own).stat().st_size
    module(own).write_bytes(b"#" * size)
    found.executable.unlink()
    assert before.changed() == [str(found.executable), str(module(own).resolve())]


def test_a_change_that_restores_size_and_time_is_found(own: Path) -> None:
    found = locate(own)
    before = kept(found)
    old = module(own).stat()
    module(own).write_bytes(b"#" * old.st_size)
    os.utime(module(own), ns=(old.st_atime_ns, old.st_mtime_ns))
    assert before.changed() == [str(module(own).resolve())]


def test_a_link_to_the_script_finds_the_installation(mm: Mm, tmp_path: Path) -> None:
    (tmp_path / "mm").symlink_to(mm.executable)
    assert at(tmp_path / "mm") == mm


def test_what_mm_owns(mm: Mm) -> None:
    mine = owns(mm)
    assert mine("mm", "/usr/bin/other") and mine("alias", str(mm.prefix / "bin" / "python"))
    assert not mine("mmv", "/usr/bin/mmv") and not mine("python3", f"{mm.prefix}-else/bin/python3")
