"""The script behind Explore, and the data blocks that it reads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.report.charts import explore
from mmbench.report.charts.theme import CONFIG
from mmbench.report.store import Store
from tests.report.conftest import SITE
from tests.support import hostile


@pytest.fixture(scope="session")
def script() -> str:
    source = (SITE / "explore" / "explore.js").read_text()
    return explore.bundle(source, "LICENSES.txt", Store(None)).decode()


def test_the_script_names_its_licences_and_leaves_one_name_on_the_page(script: str) -> None:
    head, _, body = script.partition("\n")
    assert head.startswith("/*! ") and "BSD-3-Clause" in head and "LICENSES.txt" in head
    assert body.startswith("(()=>{") and body.endswith("})();\n")
    assert re.findall(r"window\.(mmbench\w+)=", body) == ["mmbenchExplore"]
    assert CONFIG["font"] in body


def test_the_licences_cover_what_is_bundled() -> None:
    text = (SITE / "explore" / "LICENSES.txt").read_text()
    for name in ("vega", "vega-lite", "vega-embed", "vega-interpreter", "d3-array", "topojson-client"):
        assert re.search(rf"^{name}\b|, {name}[,\s]", text, re.MULTILINE), name
    assert text.count("Redistributions in binary form must reproduce") >= 5


def test_the_script_is_kept_by_what_it_is_made_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = explore.bundle("window.mmbenchExplore=vegaEmbed;", "L", Store(tmp_path))
    monkeypatch.setattr(explore, "_bundled", lambda snippet: "other")
    assert explore.bundle("window.mmbenchExplore=vegaEmbed;", "L", Store(tmp_path)) == first
    assert explore.bundle("window.mmbenchExplore=vegaEmbed;", "M", Store(tmp_path)) != first


@given(st.recursive(st.text() | st.floats(allow_nan=False, allow_infinity=False), st.lists, max_leaves=5))
def test_a_block_reads_back_and_holds_no_markup(value: object) -> None:
    text = str(explore.block(value))
    assert not set("<>&") & set(text) and text.isascii()
    assert json.loads(text) == value


def test_a_lone_surrogate_is_replaced() -> None:
    assert json.loads(str(explore.block(hostile.ALL))) == hostile.ALL.replace("\ud800", "\ufffd")


def test_what_all_charts_share_is_left_out() -> None:
    assert explore.compact({"config": CONFIG, "$schema": "x", "mark": "point"}) == {"mark": "point"}
