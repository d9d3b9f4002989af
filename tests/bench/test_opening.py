"""Cases are kept beside the results whole, whatever an earlier process left."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench.bench import opening
from mmbench.case import Case
from mmbench.errors import DataError
from mmbench.layout import project
from tests.test_case import DOCUMENT


def test_a_case_file_that_a_power_cut_tore_is_written_again(tmp_path: Path) -> None:
    where, digest = project(tmp_path / "results", tmp_path / "state"), Case(DOCUMENT, "synthetic").digest
    opening.store_case(where, digest, DOCUMENT)
    path = where.case_file(digest)
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    opening.store_case(where, digest, DOCUMENT)
    assert path.read_bytes() == whole
    changed = path.stat().st_mtime_ns
    opening.store_case(where, digest, DOCUMENT)
    assert path.stat().st_mtime_ns == changed
    assert list(path.parent.iterdir()) == [path]


def test_a_session_line_that_lacks_its_fields_cannot_be_continued(tmp_path: Path) -> None:
    where = project(tmp_path / "results", tmp_path / "state")
    where.results.mkdir()
    path = where.results / "20260101t000000z-nop-local-abcd.jsonl"
    path.write_text('{"kind": "session", "cell": {"agent": "nop", "profile": "local"}}\n')
    with pytest.raises(DataError, match="cannot be continued") as error:
        opening.newest(where, "nop", "local")
    assert "leave --resume out" in str(error.value)
