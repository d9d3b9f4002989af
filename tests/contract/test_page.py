"""The page of the docs is what was proven, of the versions that are pinned, for all agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmbench.bench import toolchain
from mmbench.layout import project
from tests.contract import proof
from tests.contract.proof import COLUMNS, Proof
from tests.contract.test_prompts import PROMPTS


def test_every_pinned_version_is_proven() -> None:
    told = {one.agent: one.version for one in proof.known()}
    assert told == {name: toolchain.pinned(name, project()) for name in toolchain.TOOLS}


def test_every_claim_was_tried_and_holds() -> None:
    for one in proof.known():
        assert sorted(one.proven) == sorted(COLUMNS), one.agent
        assert "**no**" not in one.proven.values(), one.agent
        assert sorted(one.prompts) == sorted(PROMPTS), one.agent
        assert one.tools, one.agent
        assert {"input_total", "output_total"} <= set(one.reported), one.agent


def test_the_page_is_written_from_the_data() -> None:
    assert proof.PAGE.read_text(encoding="utf-8") == proof.page(proof.known())


def test_what_was_not_tried_and_what_failed_is_shown_as_such() -> None:
    page = proof.page([Proof("codex", "1.2.3", {"runs": "yes", "mm": "**no**"}, {"long": "changed"})])
    (row,) = [line for line in page.splitlines() if line.startswith("| codex ")]
    assert row.startswith("| codex | 1.2.3 | yes | **no** | not tried |")
    assert "- Prompts arrive: changed (long)" in page


def test_another_version_starts_with_nothing_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "DATA", tmp_path / "proofs")
    known = Proof("pi", "1.0.0", {"runs": "yes"}, {}, ["bash"], ["input_total"])
    proof.save(known)
    assert proof.load("pi", "1.0.0") == known
    assert proof.load("pi", "1.0.1") is None
    assert proof.load("codex") is None
    assert proof.known() == [known]
