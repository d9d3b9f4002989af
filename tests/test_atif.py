"""Trajectories keep the rules of ATIF: steps from 1, agent-only fields, references that resolve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmbench import atif, export, jsontext, ledger, records
from mmbench.layout import Project
from tests.support import sessions, synthetic

KEY = sessions.keys(1)[0]
FIELDS = {
    "root": {"schema_version", "session_id", "agent", "steps", "notes", "final_metrics", "extra"},
    "agent": {"name", "version", "model_name", "extra"},
    "step": {"step_id", "timestamp", "source", "message", "tool_calls", "observation", "metrics", "extra"},
    "call": {"tool_call_id", "function_name", "arguments"},
    "result": {"source_call_id", "content"},
}
AGENT_ONLY = {"tool_calls", "metrics"}


def require_valid(found: dict[str, Any]) -> None:
    """Check what Harbor's own models check."""
    assert found.keys() <= FIELDS["root"]
    assert found["agent"].keys() <= FIELDS["agent"]
    assert isinstance(found["agent"]["version"], str)
    assert [step["step_id"] for step in found["steps"]] == list(range(1, len(found["steps"]) + 1))
    calls = [call["tool_call_id"] for step in found["steps"] for call in step.get("tool_calls", ())]
    assert len(calls) == len(set(calls))
    for step in found["steps"]:
        assert step.keys() <= FIELDS["step"]
        assert isinstance(step["message"], str)
        assert step["source"] == "agent" or not AGENT_ONLY & step.keys()
        own = {call["tool_call_id"] for call in step.get("tool_calls", ())}
        for call in step.get("tool_calls", ()):
            assert call.keys() == FIELDS["call"]
        for result in step.get("observation", {}).get("results", ()):
            assert result.keys() <= FIELDS["result"]
            assert result.get("source_call_id") in {None, *own}


def item(kind: str, text: str, name: str | None = None, *, truncated: bool = False) -> dict[str, Any]:
    return {"kind": kind, "name": name, "text": {"text": text, "bytes": len(text), "truncated": truncated}}


def made(*items: dict[str, Any], prompt: str | None = "Do it.") -> dict[str, Any] | None:
    trial = sessions.trial(KEY)
    trial["steps"]["items"] = list(items)
    trial["usage"] |= {"input_total": 10, "cache_read": 0}
    lines = [
        {"kind": "session", "v": 1} | sessions.header([KEY]),
        {"kind": "trial", "v": 1} | trial,
        {"kind": "checks", "v": 1} | sessions.checks(KEY),
    ]
    session = records.fold(lines)
    return atif.trajectory(session, session.trials[KEY].attempts[0], prompt)


def test_a_run_becomes_steps_with_results_at_their_calls() -> None:
    found = made(
        item("message", "Let me look."),
        item("tool_call", "ls", "shell"),
        item("tool_call", "a.pdf", "read"),
        item("tool_result", "a.pdf", "shell"),
        item("tool_result", "text", "read", truncated=False),
        item("message", "Done.", truncated=True),
    )
    assert found is not None
    require_valid(found)
    user, look, shell, read, done = found["steps"]
    assert (user["source"], user["message"]) == ("user", "Do it.")
    assert look["message"] == "Let me look."
    assert shell["tool_calls"][0]["function_name"] == "shell"
    assert shell["observation"]["results"][0]["content"] == "a.pdf"
    assert read["observation"]["results"][0]["content"] == "text"
    assert done["extra"]["truncated"] is True
    assert found["final_metrics"] == {"total_prompt_tokens": 10, "total_cached_tokens": 0, "total_steps": 5}
    assert found["extra"]["correctness"] == 100.0


@pytest.mark.parametrize(
    "items",
    [
        [item("tool_result", "out", "shell")],
        [item("tool_result", "out")],
        [item("tool_call", "x", None), item("tool_result", "y", None)],
        [item("tool_call", "x", "a"), item("tool_result", "1", "a"), item("tool_result", "2", "a")],
    ],
)
def test_results_without_a_call_stand_alone(items: list[dict[str, Any]]) -> None:
    found = made(*items, prompt=None)
    assert found is not None
    require_valid(found)
    texts = [
        result["content"]
        for step in found["steps"]
        for result in step.get("observation", {}).get("results", ())
    ]
    assert texts == [entry["text"]["text"] for entry in items if entry["kind"] == "tool_result"]


def test_a_run_without_steps_has_no_trajectory() -> None:
    assert made() is None


def test_a_whole_history_is_valid(tmp_path: Path) -> None:
    where = Project(tmp_path, tmp_path / "results", tmp_path / "state")
    synthetic.tree(where.results, synthetic.SMALL[:1], synthetic.write_fast)
    found = dict(export.atif_files(where, list(ledger.ledgers(where.results))))
    assert found
    for data in found.values():
        require_valid(jsontext.loads(data))
