"""What a record says of a tree is text from elsewhere: nothing is made again outside of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench import jsontext
from mmbench.bench.rebuild import NotKept, Origin, rebuild
from tests.support import sessions

EVIL = b"planted"


@pytest.mark.parametrize("path", ["../planted", "/tmp/planted", "link/planted", "link/deep/planted"])
@pytest.mark.parametrize("change", ["added", "deleted"])
def test_no_recorded_path_leads_out_of_the_tree(path: str, change: str, tmp_path: Path) -> None:
    outside, source, results = (tmp_path / name for name in ("outside", "source", "results"))
    for folder in (outside, source, results / "artifacts" / "s1"):
        folder.mkdir(parents=True)
    (outside / "planted").write_text("precious")
    (source / "link").symlink_to(outside)
    sha, stored = jsontext.sha256(EVIL), "artifacts/s1/planted"
    (results / stored).write_bytes(EVIL)
    entry = {"path": path, "size": len(EVIL), "sha256": sha}
    trial = sessions.trial(sessions.keys(1)[0])
    trial["tree"] |= {"dropped": 0, "changes": [entry | {"change": change, "kind": "file"}]}
    trial["artifacts"] = [entry | {"media_type": "text/plain", "stored": stored, "refused": None}]
    with pytest.raises(NotKept, match="not a path inside the tree"):
        rebuild(trial, Origin(source, {}), results, tmp_path / "target" / "tree")
    assert [file.read_text() for file in outside.iterdir()] == ["precious"]
