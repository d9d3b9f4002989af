"""Whatever comes from a CLI is read without a crash, and nothing broken is taken for a success."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmbench.bench import toolchain
from mmbench.bench.agents import load
from mmbench.bench.agents.base import RawRun
from tests.bench.agents.expect import check_sane
from tests.bench.agents.mangle import mangled
from tests.support.samples import sample, scenarios

each_agent = pytest.mark.parametrize("agent", toolchain.TOOLS)
STREAMING = ("claude", "codex", "gemini", "qwen", "opencode")
"""CLIs with a stream that ends with its last line."""


@pytest.mark.parametrize("name", ["ok", "auth"])
@pytest.mark.parametrize("agent", STREAMING)
def test_no_prefix_of_a_stream_is_a_success(agent: str, name: str) -> None:
    raw = replace(sample(agent, name).raw, extras={})
    end = raw.stdout.rstrip()
    for size in range(0, len(end), 7):
        outcome = load(agent).parse(replace(raw, stdout=end[:size]))
        check_sane(outcome, raw)
        assert outcome.parse != "ok"


@each_agent
@given(st.data())
def test_any_damage_is_read_sanely(agent: str, data: st.DataObject) -> None:
    raw = data.draw(mangled(sample(agent, data.draw(st.sampled_from(scenarios(agent)))).raw))
    check_sane(load(agent).parse(raw), raw)


@each_agent
@given(st.binary(max_size=400), st.binary(max_size=200), st.sampled_from([None, 0, 1, 139]))
def test_any_bytes_are_read_sanely(agent: str, stdout: bytes, other: bytes, code: int | None) -> None:
    files = dict.fromkeys(sample(agent, "ok").raw.extras, other)
    raw = RawRun(stdout, other, code, extras=files)
    outcome = load(agent).parse(raw)
    check_sane(outcome, raw)
    assert outcome.parse != "ok"
